"""What was evaluated and what came of it, in one line or a headline. Its numbers are those of what the report tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nodeworthy.report.report import EVERYTHING, Report, ReportOptions
from nodeworthy.verdict import Finding, Severity, Verdict

_UNKNOWNS = {"unknowns": "values not known yet"}
# Counted by whoever looks at files, and told behind what came of it.
_UNSEEN = ("unrecognised", "excluded")


def outcome(finding: Finding) -> str:
    if finding.verdict is Verdict.FAIL and finding.severity is Severity.WARNING:
        return "warning"
    return finding.verdict.value


def numbers(report: Report, asked: ReportOptions = EVERYTHING) -> dict[str, int]:
    """How many findings of each outcome are told, suppressed ones aside; and how many subjects passed a rule."""
    counted = Counter("suppressed" if each.suppressed else outcome(each) for each in asked.told(report))
    return {
        "pass": report.summary["pass"],
        **{word: counted[word] for word in ("fail", "warning", "unknown", "error", "suppressed")},
    }


def count_line(report: Report, asked: ReportOptions = EVERYTHING) -> str:
    return f"{_looked(report)}: {', '.join(_came_of_it(report, asked))}{''.join(map('; {}'.format, _besides(report)))}"


def _looked(report: Report) -> str:
    of = [_many(number, _UNKNOWNS.get(word, word)) for word, number in report.looked_at.items() if word not in _UNSEEN]
    evaluated = report.evaluated
    on = f"{_many(evaluated['rules'], 'rules')} on {_many(evaluated['subjects'], 'subjects')}"
    return f"{on} of {', '.join(of)}" if of else on


def _came_of_it(report: Report, asked: ReportOptions) -> Iterator[str]:
    told = numbers(report, asked)
    yield f"{told['pass']} pass"
    yield f"{told['fail']} fail"
    if told["warning"]:
        yield _many(told["warning"], "warnings")
    yield f"{told['unknown']} unknown"
    hidden = asked.only_counted(report)
    if hidden:
        yield f"{hidden} more unknown of warnings (--show-unknown)"
    if told["error"]:
        yield _many(told["error"], "errors")
    if told["suppressed"]:
        yield f"{told['suppressed']} suppressed"
    if report.summary.get("baselined"):
        yield f"{sum(each.baselined for each in report.findings)} of them in the baseline"


def _besides(report: Report) -> Iterator[str]:
    left_out, unread, excluded = report.left_out, *(report.looked_at.get(each, 0) for each in _UNSEEN)
    nothing = len(set(report.judged_nothing) - left_out)
    if nothing:
        yield f"{_many(nothing, 'rules')} had nothing to judge (--show-skipped)"
    if left_out:
        yield f"{_many(len(left_out), 'rules')} left out by the settings (--show-skipped)"
    if unread:
        yield f"not read: {_many(unread, 'files of no known kind')}{_kinds(report)}"
    if excluded:
        yield _many(excluded, "files excluded by the settings")


def _kinds(report: Report) -> str:
    if not report.not_read:
        return ""
    from nodeworthy.report.not_read import in_words

    return f" ({in_words(report.not_read)})"


def last_line(report: Report, asked: ReportOptions = EVERYTHING) -> str:
    """How much there is to do, and what does a part of it; nothing where there is nothing."""
    open_ones = [each for each in asked.told(report) if not each.suppressed]
    if not open_ones:
        return f"next: {report.next}" if report.next else ""
    mended = sum(report.offer(each) is not None for each in open_ones)
    told = _many(len(open_ones), "findings")
    if report.next:
        return f"{told}; next: {report.next}"
    if not mended:
        return f"{told}, none with a fix" if report.mends else told
    return f"{told}, {mended:,} of them with a fix: {report.mends}"


def _many(number: int, words: str) -> str:
    """`1 file of no known kind`, `2 files of no known kind`."""
    first, space, rest = words.partition(" ")
    return f"{number:,} {first.removesuffix('s') if number == 1 else first}{space}{rest}"


NOTHING = "nothing was evaluated, so nothing is proven"


def in_short(report: Report, asked: ReportOptions = EVERYTHING) -> str:
    counts = numbers(report, asked)
    named = {
        "failure": counts["fail"],
        "error": counts["error"],
        "unknown": counts["unknown"],
        "warning": counts["warning"],
    }
    told = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in named.items() if count]
    if told:
        return ", ".join(told)
    return "clean" if report.evaluated["verdicts"] else "nothing evaluated"
