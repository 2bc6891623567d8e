"""The report as one page: no network and no script, by mouse, by keyboard and on paper, in light and in dark.

Whatever comes from outside is text: escaped, without control characters, cut where nobody reads on. A policy in the
page forbids what should nevertheless have come through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.report import html_runs
from nodeworthy.report.chain import Chain, ChainStep, Colour
from nodeworthy.report.counted import NOTHING, count_line, in_short, last_line, numbers
from nodeworthy.report.fleet_html import DRAWING, PALETTE, figure
from nodeworthy.report.frame import Excerpts
from nodeworthy.report.html_findings import (
    CALLED,
    FindingGroup,
    anchor,
    article,
    group_name,
    groups_of,
    name,
    prose,
    text,
)
from nodeworthy.report.markdown import CHAINS, BesideFindings
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.rule import Rule
from nodeworthy.verdict import Verdict

# How the page of a report looks: light and dark, narrow and wide, on paper; filters without a script.

_COLOURS = """
:root { --fail: #b3261e; --error: #b3261e; --unknown: #7a3fa8; --warning: #8a5a00; --pass: #2c6e2f; --quiet: #5b6675;
  --raised: #f6f8fb; --here: #fff1c9; }
@media screen and (prefers-color-scheme: dark) { :root { --fail: #ff8a80; --error: #ff8a80; --unknown: #d3a6f5;
  --warning: #f2bd5b; --pass: #8fd694; --quiet: #a3afbd; --raised: #1a2029; --here: #453a17; } }
"""
_PAGE = """
* { box-sizing: border-box; }
body { margin: 0 auto 4rem; max-width: 1060px; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .4rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
a { color: inherit; } .faint, .at, .link, .says-why { color: var(--faint); } .cut { color: var(--faint); }
:focus-visible { outline: 3px solid var(--unknown); outline-offset: 2px; border-radius: 3px; }
header { margin: 1.5rem 0 1rem; padding: 1.1rem 1.3rem; background: var(--raised); border-radius: 8px;
  border-left: 8px solid var(--tone); } header p { margin: .3rem 0; max-width: 75ch; }
header h1 span { color: var(--tone); margin-right: .5rem; }
.tone-bad { --tone: var(--fail); } .tone-unsure { --tone: var(--unknown); } .tone-good { --tone: var(--pass); }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem 1.6rem; list-style: none; margin: .9rem 0 .2rem; padding: 0; }
.tiles b { font-size: 1.35rem; margin-right: .35rem; } .none { color: var(--faint); }
.filters { border: 0; padding: 0; margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; }
.filters legend { float: left; color: var(--faint); } .filters input { accent-color: var(--unknown); }
.index ul { columns: 20rem auto; list-style: none; margin: .3rem 0; padding: 0; } .index li { break-inside: avoid; }
"""
_FINDINGS = """
summary { cursor: pointer; } .rule { margin: 1.1rem 0 1.6rem; } .rule > header { all: unset; display: block; }
h3 { font-size: 1rem; margin: 0 0 .1rem; } h3 code { font-size: .95rem; font-weight: 700; }
h2 small { font-size: .9rem; font-weight: 400; color: var(--faint); } .title { margin: 0; }
.ground { margin: .2rem 0 .6rem; color: var(--faint); max-width: 80ch; } .ground[open] { color: inherit; }
article { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; content-visibility: auto;
  contain-intrinsic-size: auto 3rem; }
article > details > summary { padding: .5rem .8rem; } .says { font-weight: 600; }
.at { display: inline-block; font-size: 12px; }
article > details[open] > summary { border-bottom: 1px solid var(--line); }
.body { padding: .3rem .8rem .6rem; scroll-margin-top: 6rem; }
article:has(:target) { border: 2px solid var(--unknown); }
.word { display: inline-block; padding: 0 .45rem; margin-right: .2rem; border-radius: 3px; border: 1px solid;
  font-size: 12px; font-weight: 700; color: var(--quiet); }
.is-fail, .of-fail { color: var(--fail); } .is-error, .of-error { color: var(--error); }
.is-unknown, .of-unknown { color: var(--unknown); } .is-warning, .of-warning, .of-warnings { color: var(--warning); }
.of-pass { color: var(--pass); }
dl { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: .35rem .8rem; margin: .4rem 0; }
.skipped { grid-template-columns: 15rem minmax(0, 1fr); }
dt { color: var(--faint); } dd { margin: 0; white-space: pre-line; } dd ul { margin: .2rem 0; padding-left: 1.2rem; }
dd code { white-space: pre-wrap; } .fix { user-select: all; display: block; padding: .4rem .6rem; border-radius: 4px;
  background: var(--raised); border: 1px solid var(--line); }
figure { margin: .35rem 0 .3rem; } .says-why { margin: .2rem 0; }
.lines { margin: 0; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); padding: .25rem 0; }
.lines > * { display: flex; color: inherit; background: none; } .lines > mark { background: var(--here); }
.lines i { flex: 0 0 3.6rem; padding-right: .8rem; text-align: right; color: var(--faint); font-style: normal;
  user-select: none; } .lines b { font-weight: 400; white-space: pre-wrap; padding-right: .5rem; min-width: 0; }
.lines mark i { color: inherit; font-weight: 700; } .link { font-size: 12px; }
table { border-collapse: collapse; margin: .5rem 0; } th { font-weight: 400; text-align: left; }
td, th { padding: .2rem 1rem .2rem 0; vertical-align: top; } tr + tr > * { border-top: 1px solid var(--line); }
td { text-align: right; font-variant-numeric: tabular-nums; } .rules th[scope=col] { color: var(--faint); }
.chain { list-style: none; margin: .3rem 0 1rem; padding: 0; } .chain li { padding: .1rem 0; }
.rules th .faint { display: block; font-size: 13px; } .plan { overflow-x: auto; white-space: pre; }
"""
_NARROW = """
@media (max-width: 600px) { dl { display: block; } dt { margin-top: .5rem; } h1 { font-size: 1.35rem; }
  .lines i { flex-basis: 2.6rem; padding-right: .5rem; } .rules { min-width: 560px; } }
@media print { body { max-width: none; font-size: 11px; } .filters, .link, .index { display: none; }
  article { break-inside: avoid; content-visibility: visible; }
  details::details-content { content-visibility: visible; block-size: auto; } }
"""


def style(outcomes: Iterable[str]) -> str:
    """The style sheet, in which one box for each outcome hides what has that outcome."""
    hiding = "".join(f"body:has(#show-{each}:not(:checked)) #are-{each} {{ display: none; }}\n" for each in outcomes)
    return f"{PALETTE}{_COLOURS}{_PAGE}{_FINDINGS}{DRAWING}{_NARROW}{hiding}"


# More of them than these are folded to their sentences.
OPEN_AT_ONCE = 12
LONGEST_BLOCK = 200_000
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(
    report: Report,
    beside: BesideFindings | None = None,
    excerpts: Excerpts | None = None,
    asked: ReportOptions | None = None,
) -> str:
    asked = asked or ReportOptions()
    groups = groups_of(report, asked)
    return "".join(_page(report, groups, beside or BesideFindings(), excerpts or {}, asked))


def _page(
    report: Report, groups: list[FindingGroup], beside: BesideFindings, excerpts: Excerpts, asked: ReportOptions
) -> Iterator[str]:
    outcomes, runs = Counter[str](), report.extra.get("runs", ())
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
<style>{style(outcomes)}{html_runs.STYLE if runs else ""}</style>
</head>
<body>
"""
    yield _head(report, beside, asked)
    yield _filters(outcomes)
    yield _index(groups)
    yield "<main>\n"
    yield from _findings(report, groups, outcomes, excerpts)
    yield from html_runs.sections(runs)
    yield from _beside(beside)
    yield _evaluated(report, show_passed=asked.show_passed)
    yield "</main>\n</body>\n</html>\n"


def _findings(
    report: Report, groups: Sequence[FindingGroup], outcomes: Mapping[str, int], excerpts: Excerpts
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


def _articles(group: FindingGroup, taken: Counter[str], excerpts: Excerpts, is_open: bool) -> Iterator[str]:
    for each in group.told:
        key = anchor(each.first)
        taken[key] += 1
        yield article(each, key if taken[key] == 1 else f"{key}-{taken[key]}", excerpts, is_open=is_open)


def _heading(group: FindingGroup, rules: Mapping[str, Rule]) -> str:
    known = [rules[each] for each in group.rules if each in rules]
    if len(group.rules) > 1:
        items = "".join(f"<li><code>{name(each.id)}</code> {text(each.title)}</li>" for each in known)
        heading = f"<h3>{group_name(group)}</h3>"
        return f'{heading}<details class="ground"><summary>which rules</summary><ul>{items}</ul></details>\n'
    heading = f"<h3><code>{name(group.rules[0])}</code></h3>"
    if not known:
        return heading
    rule = known[0]
    why = f'<details class="ground"><summary>why this is so</summary>{prose(rule.documentation)}</details>'
    return f'{heading}<p class="title"><span class="faint">must be true:</span> {text(rule.title)}</p>{why}\n'


def _beside(beside: BesideFindings) -> Iterator[str]:
    if beside.fleet is not None:
        yield f"<section><h2>The fleet</h2>{printable(figure(beside.fleet))}</section>\n"
    if beside.chains:
        yield f"<section><h2>{CHAINS}</h2>{''.join(map(_chain, beside.chains))}</section>\n"
    for title, block in beside.blocks.items():
        if block.strip():
            yield (
                f"<section><h2>{name(title)}</h2><details><summary>{block.count(chr(10)) + 1:,} lines</summary>"
                f'<pre class="plan" tabindex="0">{text(block, LONGEST_BLOCK)}</pre></details></section>\n'
            )


def _chain(chain: Chain) -> str:
    """The links in their order; what is told by colour is told by a word, too."""
    items = "".join(map(_link, chain.steps))
    return f'<h3><code>{name(chain.walk.name)}</code></h3><ol class="chain">{items}</ol>\n'


_WORDS = {Colour.GREEN: ("pass", "well"), Colour.RED: ("fail", "broken"), Colour.GREY: ("none", "not seen")}


def _link(step: ChainStep) -> str:
    style, word = _WORDS[step.colour]
    kind = f"is-{style}" if step.colour is Colour.RED else f"of-{style}" if step.colour is Colour.GREEN else style
    says = text(step.says, LONGEST_REASON)
    return f'<li class="{kind}"><span class="word">{word}</span> <b>{name(step.link.title)}</b> {says}</li>'


SEEN_AT_ONCE = 20


def _head(report: Report, beside: BesideFindings, asked: ReportOptions) -> str:
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
        f'<p class="faint">{text(count_line(report, asked))}</p>{_last(report, asked)}</header>\n'
    )


def _last(report: Report, asked: ReportOptions) -> str:
    told = last_line(report, asked)
    return f"<p>{text(told)}</p>" if told else ""


def _tiles(report: Report, asked: ReportOptions) -> str:
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


def _index(groups: Sequence[FindingGroup]) -> str:
    if len(groups) < 2:
        return ""
    items = "".join(
        f'<li><a href="#{name(each.key)}">{group_name(each)}</a> '
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
