"""The report for a person: each finding in the order in which one reads it at 3 a.m., then what was evaluated."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from nodeworthy.patterns import pattern
from nodeworthy.report.printable import on_one_line, printable, shortened
from nodeworthy.report.report import Report
from nodeworthy.verdict import Finding, Severity, Verdict

WIDTH = 108
# How many reasons a rule is given for which it was skipped: JSON with --show-passed has all of them.
REASONS = 4
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


def render(report: Report, *, colour: bool = False, show_passed: bool = False, quiet: bool = False) -> str:
    paint = Paint(colour)
    told = [each for each in report.findings if not each.baselined or show_passed]
    blocks = ["\n".join(_finding(each, paint, rules)) for each, rules in together(told)]
    blocks.append("\n".join(_head(each, paint) for each in report.findings if each.baselined and not show_passed))
    if show_passed:
        blocks.append("\n".join(_passed(report, paint)))
    if not quiet:
        blocks.append("\n".join(_closing(report, paint)))
    return "\n\n".join(filter(None, blocks)) + "\n"


def of_finding(finding: Finding) -> str:
    return "\n".join(_finding(finding, Paint(colour=False)))


def together(findings: Iterable[Finding]) -> Iterable[tuple[Finding, Sequence[str]]]:
    """Each finding with its rules: what many rules can't tell for one reason is said once."""
    rules: dict[Finding, list[str]] = {}
    for each in findings:
        alike = replace(each, rule="", severity=Severity.ERROR) if each.verdict is Verdict.UNKNOWN else each
        rules.setdefault(alike, []).append(each.rule)
    return rules.items()


def outcome(finding: Finding) -> str:
    if finding.verdict is Verdict.FAIL and finding.severity is Severity.WARNING:
        return "warning"
    return finding.verdict.value


def suppressed_by(finding: Finding) -> str:
    return "in the baseline" if finding.baselined else "suppressed"


def _head(finding: Finding, paint: Paint, rules: Sequence[str] = ()) -> str:
    word = outcome(finding)
    marks = [*([suppressed_by(finding)] if finding.suppressed else []), *(["simulated"] if finding.simulated else [])]
    told = f" ({', '.join(marks)})" if marks else ""
    return f"{paint('bold', on_one_line(str(finding.where)))}: {paint(word, word)} {_named(finding, rules)}{told}"


def _finding(finding: Finding, paint: Paint, rules: Sequence[str] = ()) -> Iterator[str]:
    yield _head(finding, paint, rules)
    yield from _wrapped(printable(said(finding)), "  ", "  ", break_long_words=True)
    of_rules = [("rules", ", ".join(rules))] if len(rules) > 1 else []
    for label, text in (*of_rules, *details(finding)):
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
    return tuple(line.replace(_BLANK, " ") for line in lines)


def _named(finding: Finding, rules: Sequence[str]) -> str:
    return finding.rule or (rules[0] if len(rules) == 1 else f"to {len(rules)} rules")


def said(finding: Finding) -> str:
    return shortened(finding.sentence())


def details(finding: Finding) -> Iterator[tuple[str, str]]:
    return ((label, shortened(text)) for label, text in _details(finding))


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.is_ is not None:
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


def _closing(report: Report, paint: Paint) -> Iterator[str]:
    shown, more = _by_reason(report)
    for why, rules in shown.items():
        named = ", ".join(f"{rule}{f' ({count} times)' if count > 1 else ''}" for rule, count in rules.items())
        yield paint("dim", f"skipped {named}: {why}")
    for rule, others in more.items():
        yield paint("dim", f"skipped {rule} ({sum(others)} times): {len(others)} other reasons")
    yield counted(report)
    if not report.evaluated["verdicts"]:
        yield paint("unknown", "nothing was evaluated, so nothing is proven")


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


def counted(report: Report) -> str:
    summary, evaluated = report.summary, report.evaluated
    looked = "".join(f", {count} {name}" for name, count in report.looked_at.items())
    return (
        f"{evaluated['verdicts']} verdicts of {evaluated['rules']} rules on {evaluated['subjects']} subjects{looked}: "
        + ", ".join(f"{summary[word]} {word}" for word in ("pass", "fail", "unknown", "error", "skip"))
        + (f", {summary['warnings']} of the failures warnings" if summary["warnings"] else "")
        + (f", {summary['suppressed']} suppressed" if summary["suppressed"] else "")
        + (f", {summary['baselined']} of them in the baseline" if summary.get("baselined") else "")
    )
