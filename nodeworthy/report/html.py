"""The report as one page: no network and no script, by mouse, by keyboard and on paper, in light and in dark.

Whatever comes from outside is text: escaped, without control characters, cut where nobody reads on. A policy in the
page forbids what should nevertheless have come through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.report.asked import Asked
from nodeworthy.report.fleet_html import figure
from nodeworthy.report.html_evaluated import evaluated
from nodeworthy.report.html_excerpt import Excerpts
from nodeworthy.report.html_finding import anchor, article
from nodeworthy.report.html_groups import CALLED, Group, groups_of, named
from nodeworthy.report.html_head import filters, head, index
from nodeworthy.report.html_style import style
from nodeworthy.report.html_text import name, prose, text
from nodeworthy.report.in_short import in_short
from nodeworthy.report.markdown import Beside
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report
from nodeworthy.rule import Rule

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
    yield head(report, beside, asked)
    yield filters(outcomes)
    yield index(groups)
    yield "<main>\n"
    yield from _findings(report, groups, outcomes, excerpts)
    yield from _beside(beside)
    yield evaluated(report, show_passed=asked.show_passed)
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
