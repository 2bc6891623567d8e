"""The top of the page: what came of it, to be understood in five seconds, and the way to each of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.report.asked import Asked
from nodeworthy.report.counted import counted, numbers
from nodeworthy.report.html_groups import Group, named
from nodeworthy.report.html_text import name, text
from nodeworthy.report.in_short import NOTHING, in_short
from nodeworthy.report.markdown import Beside
from nodeworthy.report.report import Report

SEEN_AT_ONCE = 20


def head(report: Report, beside: Beside, asked: Asked) -> str:
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


def filters(outcomes: Mapping[str, int]) -> str:
    if len(outcomes) < 2:
        return ""
    boxes = "".join(
        f'<label><input type="checkbox" id="show-{word}" checked> {word} ({count:,})</label>'
        for word, count in outcomes.items()
    )
    return f'<fieldset class="filters"><legend>Show findings</legend>{boxes}</fieldset>\n'


def index(groups: Sequence[Group]) -> str:
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
