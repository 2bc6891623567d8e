"""The report for a person: each finding in the order in which one reads it at 3 a.m., then what was evaluated."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from nodeworthy.patterns import pattern
from nodeworthy.report.counted import NOTHING, count_line, last_line, outcome
from nodeworthy.report.printable import escape_commands, on_one_line, printable, shorten
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.report.stories import Story, stories_of
from nodeworthy.verdict import Finding, Verdict

if TYPE_CHECKING:
    from nodeworthy.report.frame import Excerpts

WIDTH = 108
# How many reasons a rule is given for which it was skipped: JSON with --show-passed has all of them.
REASONS = 4
# What a value is called that is not known, which the sentence says already.
UNSAID = "(unknown)"
# How many of the rules that wait for something are named.
RULES = 4
# What stands between backticks is to be copied, and no line ends in it; far too long for any line, it is prose.
_CODE = pattern(r"`[^`\n]{1,200}`")
_BLANK = "\ue000"
_COLOURS = {
    "fail": "31;1",
    "warning": "33;1",
    "unknown": "35;1",
    "error": "31;1",
    "pass": "32;1",
    "dim": "2",
    "bold": "1",
}


class Paint:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, style: str, text: str) -> str:
        return f"\033[{_COLOURS[style]}m{text}\033[0m" if self._colour else text


def render(
    report: Report, asked: ReportOptions | None = None, *, colour: bool = False, excerpts: Excerpts | None = None
) -> str:
    paint, asked = Paint(colour), asked or ReportOptions()
    stories = sorted(stories_of(told_whole(report, asked)), key=_was_not_looked_at)
    blocks = ["\n".join(_story_lines(each, paint, excerpts)) for each in stories]
    if not asked.show_passed:
        blocks.append("\n".join(_folded(report)))
    if asked.show_passed:
        blocks.append("\n".join(_passed(report, paint)))
    if not asked.quiet:
        blocks.append("\n".join(_closing(report, paint, asked)))
    return "\n\n".join(filter(None, blocks)) + "\n"


def told_whole(report: Report, asked: ReportOptions) -> list[Finding]:
    """Less those of the baseline, which are told by their number."""
    return [each for each in asked.told(report) if not each.baselined or asked.show_passed]


def _folded(report: Report) -> Iterator[str]:
    rules = Counter(each.rule for each in report.findings if each.baselined)
    if rules:
        often = ", ".join(
            f"{number} {rule}" for rule, number in sorted(rules.items(), key=lambda each: (-each[1], each))
        )
        told = f"in the baseline {report.baseline}: {often} (--show-passed lists them)"
        yield from _wrapped(printable(told), "", "  ", break_long_words=False)


def finding_text(finding: Finding) -> str:
    return story_text(Story([finding]))


def story_text(told: Story) -> str:
    return "\n".join(_story_lines(told, Paint(colour=False)))


def _was_not_looked_at(told: Story) -> bool:
    """What nobody could look at of a whole cluster or machine stands behind what is wrong there. In a file each finding
    stands where its line does."""
    return told.first.verdict is Verdict.UNKNOWN and told.first.where.path is None


def suppression_word(finding: Finding) -> str:
    return "in the baseline" if finding.baselined else "suppressed"


def _head(finding: Finding, paint: Paint, named: str = "") -> str:
    word = outcome(finding)
    marks = [
        *([suppression_word(finding)] if finding.suppressed else []),
        *(["simulated"] if finding.simulated else []),
    ]
    told = f" ({', '.join(marks)})" if marks else ""
    return f"{paint('bold', on_one_line(str(finding.where)))}: {paint(word, word)} {named or finding.rule}{told}"


def _story_lines(told: Story, paint: Paint, excerpts: Excerpts | None = None) -> Iterator[str]:
    yield _head(told.first, paint, rule_name(told))
    yield from _wrapped(printable(shorten(told.sentence())), "  ", "  ", break_long_words=True)
    if excerpts:
        from nodeworthy.report.frame import frame

        yield from (paint("dim", each) for each in frame(told.first.where, excerpts))
    rows = [*details_of(told), *([("page", page_of(told))] if excerpts is not None else [])]
    for label, text in rows:
        yield from _wrapped(printable(text), f"    {paint('dim', f'{label:<7}')} ", " " * 12, break_long_words=False)


@lru_cache(maxsize=1000)  # a report of thousands says the same causes and remedies over and over
def _wrapped(text: str, first: str, others: str, *, break_long_words: bool) -> tuple[str, ...]:
    # Most fit as they are, and textwrap takes its time to see that.
    if len(first) + len(text) <= WIDTH and text.isprintable() and text == text.strip() != "":
        return (first + text,)
    lines = textwrap.wrap(
        _CODE.sub(lambda found: found.group().replace(" ", _BLANK), text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=break_long_words,
        break_on_hyphens=False,
    )
    # A word that was broken may go on with what is a command at the beginning of a line.
    return tuple(escape_commands(line.replace(_BLANK, " ")) for line in lines)


def page_of(told: Story) -> str:
    """What prints the page of its rule, wherever nodeworthy is installed."""
    return f"`nodeworthy explain {told.first.rule}`"


def rule_name(told: Story) -> str:
    return told.rules[0] if len(told.rules) == 1 else f"to {len(told.rules)} rules"


def sentence_of(finding: Finding) -> str:
    return shorten(finding.sentence())


def details(finding: Finding) -> Iterator[tuple[str, str]]:
    return ((label, shorten(text)) for label, text in _details(finding))


def details_of(told: Story) -> Iterator[tuple[str, str]]:
    """The details of findings that are told at once: what they have in common, and where each of them stands."""
    if len(told.rules) > 1:
        yield "rules", ", ".join(told.rules)
    for number, each in enumerate(told.places()):
        yield "" if number else "at", shorten(each)
    if len(told.findings) == 1:
        yield from details(told.first)
        return
    for label in ("why", "fix"):  # that they do not differ in these is why they are told at once
        said = (text for each in told.findings for name, text in _details(each) if name == label)
        yield from ((label, shorten(text)) for text in islice(said, 1))


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.is_ is not None and (finding.verdict is not Verdict.UNKNOWN or finding.is_ != UNSAID):
        yield "is", finding.is_
    if finding.should is not None:
        yield "should", finding.should
    for related in finding.related:
        yield "see", f"{related.place}: {related.says}"
    if finding.cause:
        yield "why", finding.cause
    if finding.victims:
        shown = ", ".join(finding.victims[:5])
        more = f" and {len(finding.victims) - 5} more" if len(finding.victims) > 5 else ""
        yield "victims", f"{len(finding.victims)}: {shown}{more}"
    if finding.remedy:
        yield "fix", finding.remedy


def _passed(report: Report, paint: Paint) -> Iterator[str]:
    for each in report.judgements:
        if each.verdict is Verdict.PASS and not each.findings:
            yield f"{paint('pass', 'pass')} {each.rule.id} {on_one_line(str(each.subject.place))}"


def _closing(report: Report, paint: Paint, asked: ReportOptions) -> Iterator[str]:
    for line in _skipped(report) if asked.skips else _to_give(report):
        yield paint("dim", line)
    yield count_line(report, asked)
    if not report.evaluated["verdicts"]:
        yield paint("unknown", NOTHING)
    elif report.is_all_unknown:
        yield paint("unknown", "nothing but unknowns, so nothing is proven")
    last = last_line(report, asked)
    if last:
        yield last


def _to_give(report: Report) -> Iterator[str]:
    """One line for each thing that the reader could give, however much would be judged by it."""
    for each in report.to_give:
        rules = sorted(each.rules)
        more = f" and {len(rules) - RULES} more" if len(rules) > RULES else ""
        why = f"{next(iter(each.reasons))}: " if len(each.reasons) == 1 else ""
        yield on_one_line(f"not judged by {', '.join(rules[:RULES])}{more}: {why}{each.told}")


def _skipped(report: Report) -> Iterator[str]:
    shown, more = _by_reason(report)
    for why, rules in shown.items():
        often = ", ".join(f"{rule}{f' ({count} times)' if count > 1 else ''}" for rule, count in rules.items())
        yield on_one_line(f"skipped {often}: {why}")
    for rule, others in more.items():
        yield f"skipped {rule} ({sum(others)} times): {len(others)} other reasons"


def _by_reason(report: Report) -> tuple[dict[str, dict[str, int]], dict[str, list[int]]]:
    """Why rules were skipped, and of a rule with many reasons how often for all but the first."""
    reasons: dict[str, dict[str, int]] = {}
    more: dict[str, list[int]] = {}
    for rule, counts in report.skipped.items():
        often = sorted(counts.items(), key=lambda each: -each[1])
        shown = often if len(often) <= REASONS else often[: REASONS - 1]
        for why, count in shown:
            reasons.setdefault(why, {})[rule] = count
        if len(shown) < len(often):
            more[rule] = [count for _, count in often[len(shown) :]]
    return reasons, more
