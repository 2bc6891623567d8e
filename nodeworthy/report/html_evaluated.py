"""What was evaluated and what was skipped, and why: a report that does not say so proves nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nodeworthy.report.html_text import name, text
from nodeworthy.report.report import Report
from nodeworthy.verdict import Verdict

MOST_REASONS = 20
LONGEST_REASON = 1_000
MOST_PASSED = 5_000
_COLUMNS = (Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.SKIP)


def evaluated(report: Report, *, show_passed: bool) -> str:
    return "".join(_sections(report, show_passed))


def _sections(report: Report, show_passed: bool) -> Iterator[str]:
    yield "<section><h2>What was evaluated</h2>"
    rows = "".join(
        f'<tr><th scope="row">{name(what)}</th><td>{count:,}</td></tr>' for what, count in report.evaluated.items()
    )
    yield f'<table class="counts">{rows}</table>'
    counted = _by_rule(report)
    if counted:
        every = f"Every rule and its verdicts ({len(counted)})"
        yield f"<details><summary>{every}</summary>{_table(report, counted)}</details>"
    if show_passed:
        yield _passed(report)
    yield "</section>\n"
    yield _skipped(report.skipped)


def _by_rule(report: Report) -> dict[str, Counter[str]]:
    counted: dict[str, Counter[str]] = {}
    for each in report.judgements:
        counted.setdefault(each.rule.id, Counter())["suppressed" if each.suppressed else each.verdict] += 1
    return dict(sorted(counted.items()))


def _table(report: Report, counted: Mapping[str, Counter[str]]) -> str:
    titles = {each.rule.id: each.rule.title for each in report.judgements}
    columns = (*_COLUMNS, "suppressed")
    heads = "".join(f'<th scope="col">{each}</th>' for each in ("rule", *columns))
    rows = "".join(
        f'<tr><th scope="row">{name(rule)}<span class="faint">{name(titles[rule])}</span></th>'
        f"{''.join(f'<td>{counts[each]:,}</td>' if counts[each] else '<td></td>' for each in columns)}</tr>"
        for rule, counts in counted.items()
    )
    opened = '<div class="scroll" tabindex="0" role="group" aria-label="every rule">'
    return f'{opened}<table class="rules"><tr>{heads}</tr>{rows}</table></div>'


def _passed(report: Report) -> str:
    passed = [each for each in report.judgements if each.verdict is Verdict.PASS and not each.findings]
    items = "".join(
        f"<li>{name(each.rule.id)} <code>{name(str(each.subject.place))}</code></li>" for each in passed[:MOST_PASSED]
    )
    more = f"<li>and {len(passed) - MOST_PASSED:,} more</li>" if len(passed) > MOST_PASSED else ""
    return f"<details><summary>What passed ({len(passed):,})</summary><ul>{items}{more}</ul></details>"


def _skipped(skipped: Mapping[str, Mapping[str, int]]) -> str:
    if not skipped:
        return ""
    rows = "".join(f"<dt>{name(rule)}</dt><dd>{_reasons(reasons)}</dd>" for rule, reasons in skipped.items())
    shut = " open" if len(skipped) <= 10 else ""
    rules = "1 rule" if len(skipped) == 1 else f"{len(skipped)} rules"
    told = f'<details{shut}><summary>{rules}</summary><dl class="skipped">{rows}</dl></details>'
    return f"<section><h2>What was skipped, and why</h2>{told}</section>\n"


def _reasons(reasons: Mapping[str, int]) -> str:
    told = [_reason(why, count) for why, count in list(reasons.items())[:MOST_REASONS]]
    more = [f"and {len(reasons) - MOST_REASONS:,} reasons more"] if len(reasons) > MOST_REASONS else []
    return "<br>".join([*told, *more])


def _reason(why: str, count: int) -> str:
    often = f' <span class="faint">({count:,} times)</span>' if count > 1 else ""
    return text(why, LONGEST_REASON) + often
