"""A script that is written through an unquoted heredoc does not lose its variables.

The shell expands `$NAME`, `$1` and `$(…)` in the body of `<<EOF` while it writes the file. What was meant for the
script in the file is then filled in too early: a variable that nobody has set becomes nothing, a command has run once
and for all, `$1` and `$MAINPID` are gone. In the body of `<<'EOF'` nothing is expanded; in `<<EOF` a `\\$` stays. A
variable that the outer script has set is meant to be filled in.
"""

from __future__ import annotations

from nodeworthy.boot.effects import Expansion
from nodeworthy.facts.boot.inner_scripts import InnerScript, inner_scripts
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.source_line import Source
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, unknown

RULE = Rule(
    "heredoc-expands-late",
    severity=Severity.WARNING,
    title="A script written through an unquoted heredoc does not lose its variables",
    remedy="quote the delimiter (<<'EOF'), or escape what belongs to the inner script: \\$NAME",
)

CAUSE = "the shell that writes the file expands the body of an unquoted heredoc: what it has not set becomes nothing"
_DELIMITER = pattern(r"<<(-?)\s*(\w+)")


@RULE.check
def inner_scripts_keep_their_variables(script: BootScript) -> Findings:
    inner = list(inner_scripts(script.timeline, script.userdata))
    if not inner:
        skip("no script here is written through a heredoc that expands")
    source = Source(script.userdata)
    for each in inner:
        lost, doubtful = each.lost(), each.doubtful()
        if lost:
            yield _lost(source, each, lost)
        elif doubtful:
            first = doubtful[0]
            yield unknown(
                first.place,
                f"whether {first.raw} is set when {each.effect.path.shown()} is written is not known: "
                "a file that was sourced before was not read",
            )


def _lost(source: Source, inner: InnerScript, lost: list[Expansion]) -> Draft:
    path, named = inner.effect.path.shown(), list(dict.fromkeys(each.raw for each in lost))
    kind = "the unit" if inner.is_unit else "the script"
    written = Related(inner.effect.place, f"{kind} {path} is written here, through a heredoc that expands")
    return fail(
        lost[0].place,
        f"{_listed(named)} {'is' if len(named) == 1 else 'are'} expanded while {path} is written, not when it runs",
        is_=_cut(named[0]),
        should=_escaped(named[0]),
        related=[written],
        cause=CAUSE,
        remedy=_remedy(source, inner, named),
    )


def _remedy(source: Source, inner: InnerScript, named: list[str]) -> str:
    if inner.fills_in:
        return f"escape what belongs to the inner script: {', '.join(map(_escaped, named[:4]))}"
    written = source.written_at(inner.effect.place) or inner.effect.command
    found = _DELIMITER.search(written)
    quoted = f"<<{found[1]}'{found[2]}'" if found else "<<'EOF'"
    return f"quote the delimiter on {inner.effect.place.spot}: {quoted}"


def _listed(named: list[str]) -> str:
    shown = [f"`{_cut(each)}`" for each in named[:3]]
    if len(named) > 3:
        return f"{', '.join(shown)} and {len(named) - 3} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _escaped(raw: str) -> str:
    return "\\" + _cut(raw)


def _cut(raw: str) -> str:
    one_line = " ".join(raw.split())
    return one_line if len(one_line) <= 40 else f"{one_line[:39]}…"
