"""The report as one page: no network and no script, by mouse, by keyboard and on paper, in light and in dark.

Whatever comes from outside is text: escaped, without control characters, cut where nobody reads on. A policy in the
page forbids what should nevertheless have come through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.report.asked import Asked
from nodeworthy.report.counted import NOTHING, counted, in_short, numbers
from nodeworthy.report.fleet_html import figure
from nodeworthy.report.html_findings import CALLED, Excerpts, Group, anchor, article, groups_of, named
from nodeworthy.report.html_style import style
from nodeworthy.report.html_text import name, prose, text
from nodeworthy.report.markdown import Beside
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report
from nodeworthy.rule import Rule
from nodeworthy.verdict import Verdict

# More of them than these are folded to their sentences.
OPEN_AT_ONCE = 12
LONGEST_BLOCK = 200_000
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(
    report: Report, beside: Beside | None = None, excerpts: Excerpts | None = None, asked: Asked | None = None
) -> str:
    asked = asked or Asked()
    groups = groups_of(report, asked)
    return "".join(_page(report, groups, beside or Beside(), excerpts or {}, asked))


def _page(report: Report, groups: list[Group], beside: Beside, excerpts: Excerpts, asked: Asked) -> Iterator[str]:
    outcomes = Counter[str]()
    for group in groups:
        outcomes[group.outcome] += group.findings
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>nodeworthy: {in_short(report, asked)} in the {report.moment.value}</title>
<style>{style(outcomes)}</style>
</head>
<body>
"""
    yield _head(report, beside, asked)
    yield _filters(outcomes)
    yield _index(groups)
    yield "<main>\n"
    yield from _findings(report, groups, outcomes, excerpts)
    yield from _beside(beside)
    yield _evaluated(report, show_passed=asked.show_passed)
    yield "</main>\n</body>\n</html>\n"


def _findings(
    report: Report, groups: Sequence[Group], outcomes: Mapping[str, int], excerpts: Excerpts
) -> Iterator[str]:
    rules = {each.rule.id: each.rule for each in report.judgements}
    is_open = sum(outcomes.values()) <= OPEN_AT_ONCE
    taken: Counter[str] = Counter()
    for word in outcomes:
        many = f"<small>{_counted(outcomes[word])}</small>"
        yield f'<section id="are-{word}"><h2 class="of-{word}">{CALLED[word]} {many}</h2>\n'
        for group in groups:
            if group.outcome == word:
                yield f'<section class="rule" id="{name(group.key)}">{_heading(group, rules)}'
                yield from _articles(group, taken, excerpts, is_open)
                yield "</section>\n"
        yield "</section>\n"


def _counted(findings: int) -> str:
    return f"{findings:,} finding{'s' if findings > 1 else ''}"


def _articles(group: Group, taken: Counter[str], excerpts: Excerpts, is_open: bool) -> Iterator[str]:
    for each in group.told:
        key = anchor(each.first)
        taken[key] += 1
        yield article(each, key if taken[key] == 1 else f"{key}-{taken[key]}", excerpts, is_open=is_open)


def _heading(group: Group, rules: Mapping[str, Rule]) -> str:
    known = [rules[each] for each in group.rules if each in rules]
    if len(group.rules) > 1:
        items = "".join(f"<li><code>{name(each.id)}</code> {text(each.title)}</li>" for each in known)
        return (
            f'<h3>{named(group)}</h3><details class="ground"><summary>which rules</summary><ul>{items}</ul></details>\n'
        )
    heading = f"<h3><code>{name(group.rules[0])}</code></h3>"
    if not known:
        return heading
    rule = known[0]
    why = f'<details class="ground"><summary>why this is so</summary>{prose(rule.documentation)}</details>'
    return f'{heading}<p class="title"><span class="faint">must be true:</span> {text(rule.title)}</p>{why}\n'


def _beside(beside: Beside) -> Iterator[str]:
    if beside.fleet is not None:
        yield f"<section><h2>The fleet</h2>{printable(figure(beside.fleet))}</section>\n"
    for title, block in beside.blocks.items():
        if block.strip():
            yield (
                f"<section><h2>{name(title)}</h2><details><summary>{block.count(chr(10)) + 1:,} lines</summary>"
                f'<pre class="plan" tabindex="0">{text(block, LONGEST_BLOCK)}</pre></details></section>\n'
            )


SEEN_AT_ONCE = 20


def _head(report: Report, beside: Beside, asked: Asked) -> str:
    code = report.exit_code(strict=asked.strict, allow_unknown=asked.allow_unknown)
    sign, tone, word = {0: ("✓", "good", "Passed"), 1: ("✕", "bad", "Failed")}.get(code, ("?", "unsure", "Not proven"))
    short = in_short(report, asked)
    nothing = not report.evaluated["verdicts"]
    told = short.capitalize() if short == "clean" else f"{word}: {short}"
    whose = f" of {name(beside.about)}" if beside.about else ""
    empty = f"<p><strong>{NOTHING.capitalize()}.</strong></p>" if nothing else ""
    return (
        f'<header class="tone-{tone}"><h1><span aria-hidden="true">{sign}</span>{told}</h1>{empty}'
        f"<p>nodeworthy, in the {report.moment.value}{whose}; exit code {code}</p>{_tiles(report, asked)}"
        f'<p class="faint">{text(counted(report, asked))}</p></header>\n'
    )


def _tiles(report: Report, asked: Asked) -> str:
    told = numbers(report, asked)
    counts = {**told, "warnings": told["warning"], "skip": report.summary["skip"]}
    words = ("fail", "error", "unknown", "warnings", "pass", "skip", "suppressed")
    items = "".join(
        f'<li class="{f"of-{word}" if counts[word] else "none"}"><b>{counts[word]:,}</b>{word}</li>' for word in words
    )
    return f'<ul class="tiles">{items}</ul>'


def _filters(outcomes: Mapping[str, int]) -> str:
    if len(outcomes) < 2:
        return ""
    boxes = "".join(
        f'<label><input type="checkbox" id="show-{word}" checked> {word} ({count:,})</label>'
        for word, count in outcomes.items()
    )
    return f'<fieldset class="filters"><legend>Show findings</legend>{boxes}</fieldset>\n'


def _index(groups: Sequence[Group]) -> str:
    if len(groups) < 2:
        return ""
    items = "".join(
        f'<li><a href="#{name(each.key)}">{named(each)}</a> '
        f'<span class="of-{each.outcome}">{each.findings:,} {each.outcome}</span></li>'
        for each in groups
    )
    shut = " open" if len(groups) <= SEEN_AT_ONCE else ""
    told = f"<details{shut}><summary>{len(groups)} groups, by rule</summary><ul>{items}</ul></details>"
    return f'<nav class="index" aria-label="rules with findings">{told}</nav>\n'


MOST_REASONS = 20
LONGEST_REASON = 1_000
MOST_PASSED = 5_000
_COLUMNS = (Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.SKIP)


def _evaluated(report: Report, *, show_passed: bool) -> str:
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
