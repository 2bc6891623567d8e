"""What people are told: whoever waits for a job, in plain words, and whoever mends the cluster, in exact ones.

Nothing stands here that was not found. What only a person can know is left open, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.cluster.sighting import Sighting
from nodeworthy.report import brief_messages
from nodeworthy.report.brief_causes import SHOWN, causes, few_named
from nodeworthy.report.brief_messages import line, times_told
from nodeworthy.report.counted import NOTHING, count_line, outcome
from nodeworthy.report.report import Report
from nodeworthy.report.stories import stories_of
from nodeworthy.report.text import finding_text
from nodeworthy.verdict import Finding, Verdict

MENDED = "RESOLUTION, to be sent only when `nodeworthy diagnose` finds none of this any more"


def render(report: Report) -> str:
    broken = [each for each in report.findings if not each.suppressed and outcome(each) == "fail"]
    if not broken:
        return _with_one_line_end("\n".join(_nothing_broken(report)))
    found = causes(broken)
    first = [*brief_messages.first(found, report.sightings), *_unseen(report)]
    sections = {
        "FIRST MESSAGE, to everybody who runs jobs here": first,
        "UPDATE, as long as it lasts": brief_messages.update(found),
        MENDED: brief_messages.resolution(found, report.sightings),
        "TIMELINE": _timeline(report.sightings),
        "FOR THE PLATFORM TEAM": _technical(report, broken),
    }
    return _with_one_line_end("\n\n\n".join("\n".join([title, "", *lines]) for title, lines in sections.items()))


def _with_one_line_end(text: str) -> str:
    return text.rstrip("\n") + "\n"


def _timeline(sightings: Sequence[Sighting]) -> Iterator[str]:
    lines = times_told(sightings)
    for each in lines:
        yield from line(each, "", " " * 25)
    if not lines:
        yield "Nothing that was read tells a time."
    without = sorted({each.object for each in sightings} - {each.object for each in sightings if each.first})
    if without:
        yield from line(few_named(without), "Without a time in what was read: ")


def _technical(report: Report, broken: Sequence[Finding]) -> Iterator[str]:
    for each in broken:
        yield finding_text(each)
        yield ""
    yield from _besides(report)
    yield f"{count_line(report)}."


def _nothing_broken(report: Report) -> Iterator[str]:
    looked = sorted({each.rule.id for each in report.judgements if each.verdict is Verdict.PASS})
    unseen = list(_unseen(report))
    if not looked and not unseen:
        yield f"{NOTHING[0].upper()}{NOTHING[1:]}."
        return
    yield "Nothing broken was found, but not everything was seen." if unseen else "Nothing is broken that we looked at."
    yield ""
    objects = "".join(f"{count} {name}, " for name, count in report.looked_at.items())
    rules = (
        f"by {len(looked)} rules that found nothing wrong: {', '.join(looked)}" if looked else "by no rule to its end"
    )
    yield from line(f"{objects}{rules}", "Looked at: ")
    yield from unseen
    yield from _besides(report)


def _unseen(report: Report) -> Iterator[str]:
    """What is unknown or went wrong: it may hide more."""
    kinds = (Verdict.UNKNOWN, Verdict.ERROR)
    found = (each for each in stories_of(report.findings) if each.first.verdict in kinds and not each.first.suppressed)
    sentences = dict.fromkeys(f"{each.first.where}: {each.sentence()}" for each in found)
    if sentences:
        yield "We could not see everything. What we did not see may be broken, too:"
        yield from _some(list(sentences))


def _besides(report: Report) -> Iterator[str]:
    warned = [each for each in report.findings if outcome(each) == "warning" and not each.suppressed]
    if warned:
        yield f"{len(warned)} warning{'s' if len(warned) > 1 else ''} besides:"
        yield from _some([f"{each.where}: {each.sentence()}" for each in warned])


def _some(sentences: Sequence[str]) -> Iterator[str]:
    for each in sentences[:SHOWN]:
        yield from line(each, "  - ", "    ")
    if len(sentences) > SHOWN:
        yield f"  - and {len(sentences) - SHOWN} more"
