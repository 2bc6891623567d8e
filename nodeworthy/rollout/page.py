"""A page to watch a rollout by, written anew at each step: no network, no script; the browser asks for it again."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from nodeworthy.report.fleet_html import PALETTE
from nodeworthy.rollout.journal import Journal, Lane, Stage, Status

_STYLE: Final = """
body { margin: 2rem auto; max-width: 1100px; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
td, th { text-align: left; padding: .3rem 1rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { color: var(--faint); font-weight: 600; }
.stopped, .aborted { color: var(--profiling); font-weight: 600; }
.done { color: var(--gpu); } .waits { color: var(--faint); }
.now { font-weight: 600; } .steps td:first-child { white-space: nowrap; color: var(--faint); }
@media print { body { margin: 0; } }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_SHOWN: Final = 200
_WORDS: Final = {
    Stage.WAITS: "waits for its turn",
    Stage.GROWN: "its successor is being started",
    Stage.CORDONED: "takes no new work; its pods leave",
    Stage.EMPTY: "empty, about to be ended",
    Stage.TERMINATED: "ended; its successor is being started",
    Stage.REPLACED: "its successor boots",
    Stage.JOINED: "its successor has joined",
    Stage.LABELLED: "its successor is looked at by the node suite",
    Stage.PROVEN: "its successor proves itself by work",
    Stage.ACCEPTED: "its successor is about to get work",
    Stage.WELCOME: "its successor takes work",
    Stage.DONE: "replaced, and proven",
}


def page(journal: Journal, steps: Sequence[tuple[str, str]]) -> str:
    title = f"Rollout of {journal.group}: {journal.finished()} of {len(journal.lanes)} nodes replaced"
    again = '<meta http-equiv="refresh" content="5">\n' if journal.status is Status.RUNNING else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
{again}<title>{escape(title)}</title>
<style>{PALETTE}{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p class="{journal.status.value}">{_standing(journal)}</p>
<p>From version {escape(journal.former or "(not known)")} of the template to {escape(journal.target)}; never more than
{journal.terms.most_unavailable} away at once.</p>
<table>
<tr><th>node</th><th>successor</th><th>how far</th></tr>
{"".join(map(_row, journal.lanes))}</table>
<h2>Step by step</h2>
<table class="steps">
{"".join(_step(*each) for each in reversed(steps[-_SHOWN:]))}</table>
</body>
</html>
"""


def _standing(journal: Journal) -> str:
    if journal.status is Status.RUNNING:
        return escape(f"under way{f': {journal.intent}' if journal.intent else ''}")
    return escape(f"{journal.status.value}{f': {journal.why}' if journal.why else ''}")


def _row(lane: Lane) -> str:
    kind = "done" if lane.stage is Stage.DONE else "waits" if lane.stage is Stage.WAITS else "now"
    fresh = escape(lane.fresh_title) if lane.fresh else ""
    return f'<tr class="{kind}"><td>{escape(lane.title)}</td><td>{fresh}</td><td>{_WORDS[lane.stage]}</td></tr>\n'


def _step(when: str, what: str) -> str:
    return f"<tr><td>{escape(when)}</td><td>{escape(what)}</td></tr>\n"
