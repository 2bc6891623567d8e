"""The report as a comment on a pull request: what was found, the plan, the picture of the fleet.

Whatever comes from outside stands in code, where nothing is markup, nobody is mentioned and nothing is a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.report.chain import Chain, picture
from nodeworthy.report.counted import count_line, in_short, last_line, outcome
from nodeworthy.report.fleet_picture import Picture, text_picture
from nodeworthy.report.in_checkout import path_of
from nodeworthy.report.printable import on_one_line, printable
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.report.stories import Story, stories_of
from nodeworthy.report.text import rule_name, story_text, suppression_word
from nodeworthy.verdict import Finding, Verdict

# GitHub takes 65,536 as one comment; whoever puts it there may add a line.
LIMIT = 65_000
# Of it, findings leave this much to what follows them; a sentence that says what was cut needs this much.
FOR_BLOCKS = 16_384
FOR_CUTS = 400
LONGEST_NAME = 300
# A block of more lines is folded.
SEEN_AT_ONCE = 40

CHAINS = "From card to pod"

_MARKER = pattern(r"[^A-Za-z0-9_.]+")


@dataclass(frozen=True)
class BesideFindings:
    """What stands beside the findings: whose they are, and blocks of plain text by their titles."""

    about: str = ""
    blocks: Mapping[str, str] = field(default_factory=dict)
    fleet: Picture | None = None
    # From card to pod, of nodes whose chain broke.
    chains: Sequence[Chain] = ()

    @property
    def as_text(self) -> Mapping[str, str]:
        drawn = {CHAINS: "\n".join(map(picture, self.chains))} if self.chains else {}
        return {**({"The fleet": text_picture(self.fleet)} if self.fleet is not None else {}), **drawn, **self.blocks}


def render(
    report: Report,
    beside: BesideFindings | None = None,
    asked: ReportOptions | None = None,
    *,
    below: str = "",
    limit: int = LIMIT,
) -> str:
    beside, asked = beside or BesideFindings(), asked or ReportOptions()
    head = "\n\n".join(_head(report, beside, asked)) + "\n\n"
    left = max(limit - characters(head) - FOR_CUTS, 0)
    blocks = {title: text for title, text in beside.as_text.items() if text.strip()}
    kept = min(FOR_BLOCKS, left // 2) if blocks else 0
    findings, left = _findings(_worst_first(asked.told(report)), left - kept, below)
    return head + findings + _blocks(blocks, left + kept)


def marker(report: Report, about: str) -> str:
    """The mark by which the comment is found again when there is something new to say."""
    return f"<!-- nodeworthy {report.moment.value} {_MARKER.sub('-', about[:LONGEST_NAME])} -->"


def _head(report: Report, beside: BesideFindings, asked: ReportOptions) -> Iterator[str]:
    yield marker(report, beside.about)
    whose = f" of {code(beside.about[:LONGEST_NAME])}" if beside.about else ""
    yield f"### nodeworthy: {in_short(report, asked)} in the {report.moment.value}{whose}"
    yield "\n".join(f"{line}." for line in (count_line(report, asked), last_line(report, asked)) if line)
    if not report.evaluated["verdicts"]:
        yield "**Nothing was evaluated, so nothing is proven.**"


def _worst_first(findings: Sequence[Finding]) -> list[Story]:
    order = ("fail", "error", "unknown", "warning")
    return sorted(
        stories_of(each for each in findings if each.verdict is not Verdict.PASS),
        key=lambda told: (told.first.suppressed, order.index(outcome(told.first))),
    )


def _findings(findings: Sequence[Story], room: int, below: str) -> tuple[str, int]:
    """As many findings as there is room for, and the room that is left."""
    told: list[str] = []
    for each in findings:
        text = _finding(each, below)
        if characters(text) > room:
            text = _finding(each, below, room) if not told else ""
        if not text or characters(text) > room:
            told.append(_cut(f"{len(findings) - len(told)} more findings"))
            break
        told.append(text)
        room -= characters(text)
    return "".join(told), max(room, 0)


def _finding(told: Story, below: str, room: int | None = None) -> str:
    found = told.first
    path = path_of(found.where, below)
    place = ":".join(str(part) for part in (path, found.where.line) if part is not None) if path else str(found.where)
    marks = f" ({suppression_word(found)})" if found.suppressed else ""
    title = f"**{outcome(found)}** {code(rule_name(told))}{marks} at {code(place[:LONGEST_NAME])}"
    text = story_text(told)
    shown = text if room is None else _shortened(text, room - characters(title) - 100)
    return f"{title}\n\n{fence(shown)}\n\n" + (_cut("the rest of this finding") if shown != text else "")


def _blocks(blocks: Mapping[str, str], room: int) -> str:
    """The short ones whole, the long ones share what is left."""
    told: dict[str, str] = {}
    for number, title in enumerate(sorted(blocks, key=lambda name: len(blocks[name]))):
        share = room // (len(blocks) - number)
        told[title] = _block(title, blocks[title], share)
        room -= characters(told[title])
    return "".join(told[title] for title in blocks)


def _block(title: str, text: str, room: int) -> str:
    lines = text.rstrip("\n").split("\n")
    shut = "" if len(lines) > SEEN_AT_ONCE else " open"
    opening, closing = f"<details{shut}><summary>{title}</summary>\n\n", "\n\n</details>\n\n"
    whole = opening + fence(text) + closing
    if characters(whole) <= room:
        return whole
    shown = _shortened(text, room - characters(opening + closing) - 200)
    left_out = len(lines) - shown.count("\n") - 1
    return f"{opening}{fence(shown)}\n\n{_cut(f'{left_out} more lines')}{closing}" if shown else _cut(title)


def _cut(what: str) -> str:
    return f"*Cut here, for a comment takes only so much: {what}. The command itself prints all of it.*\n\n"


_TICKS = pattern("`+")


def code(text: str) -> str:
    plain = on_one_line(text).strip()
    if not plain:
        return "(empty)"
    marks = "`" * (_longest(plain) + 1)
    space = " " if plain[0] == "`" or plain[-1] == "`" else ""
    return f"{marks}{space}{plain}{space}{marks}"


def fence(text: str) -> str:
    plain = printable(text).strip("\n")
    marks = "`" * max(3, _longest(plain) + 1)
    return f"{marks}text\n{plain}\n{marks}"


def characters(text: str) -> int:
    """The length as GitHub counts it: a character beyond the first 65,536 of Unicode counts twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def _shortened(text: str, room: int) -> str:
    """The first lines, as many as there is room for."""
    kept: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        # The fence around it grows with the longest run of ticks, twice.
        room -= characters(line) + 1
        if room < 2 * _longest(line):
            break
        kept.append(line)
    return "\n".join(kept)


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
