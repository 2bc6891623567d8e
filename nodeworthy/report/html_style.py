"""How the page of a report looks: light and dark, narrow and wide, on paper; filters without a script."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.report.fleet_html import DRAWING, PALETTE

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
    """Of each outcome that there is, a box takes away what it stands for."""
    hiding = "".join(f"body:has(#show-{each}:not(:checked)) #are-{each} {{ display: none; }}\n" for each in outcomes)
    return f"{PALETTE}{_COLOURS}{_PAGE}{_FINDINGS}{DRAWING}{_NARROW}{hiding}"
