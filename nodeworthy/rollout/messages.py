"""What people who run jobs are told of a rollout: that it begins, how far it is, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from nodeworthy.records import dataclass
from nodeworthy.report.fleet_html import PALETTE
from nodeworthy.rollout.journal import Journal, Lane, Stage, Status


@dataclass
class Told:
    """What they have been told already."""

    has_begun: bool = False
    finished: int = 0
    status: Status = Status.RUNNING


def messages(journal: Journal, told: Told) -> Iterator[str]:
    """The messages that are due. Nobody is told a thing twice."""
    if not told.has_begun:
        told.has_begun, told.finished = True, journal.finished()
        yield _first(journal)
    if journal.finished() > told.finished and journal.status is Status.RUNNING and journal.unfinished():
        told.finished = journal.finished()
        yield _update(journal)
    if journal.status is not told.status:
        told.status = journal.status
        yield _last(journal)


def _first(journal: Journal) -> str:
    terms, count = journal.terms, len(journal.unfinished())
    waits = (
        f"Work on GPUs is waited for, {terms.job_seconds:g} s at most."
        if terms.job_seconds is not None
        else "Work on GPUs is waited for until it ends."
    )
    return (
        f"FIRST MESSAGE, to everybody who runs jobs here\n\n{_counted(count, journal)} replaced, one after "
        f"the other; at most {terms.most_unavailable} at a time {'is' if terms.most_unavailable == 1 else 'are'} away. "
        f"{waits} Nothing is to be done by you. A new job may wait longer for a node than usual."
    )


def _counted(count: int, journal: Journal) -> str:
    return f"{count} node{'' if count == 1 else 's'} of {journal.group} {'is' if count == 1 else 'are'}"


def _update(journal: Journal) -> str:
    done, left = journal.finished(), len(journal.unfinished())
    return (
        f"UPDATE\n\n{done} of {len(journal.lanes)} nodes of {journal.group} are replaced, and proven before they took "
        f"work; {left} to go."
    )


def _last(journal: Journal) -> str:
    done = f"{journal.finished()} of {len(journal.lanes)} nodes of {journal.group} are replaced"
    if journal.status is Status.DONE:
        return f"RESOLUTION\n\nAll {len(journal.lanes)} nodes of {journal.group} are replaced and proven. It is over."
    if journal.status is Status.PAUSED:
        return f"UPDATE\n\nIt pauses: {done}; the others work as before. You are told when it goes on."
    return (
        f"UPDATE\n\nIt has stopped: {done}; the others work as before. {_lost(journal)}The platform team looks into "
        f"it; when it goes on is not known yet.\n\nFOR THE PLATFORM TEAM\n\n{journal.why}"
    )


def _lost(journal: Journal) -> str:
    """What is missing until somebody has looked."""
    away = [each for each in journal.under_way() if each.fresh or each.stage.value == "terminated"]
    if not away:
        return ""
    one = len(away) == 1
    return f"{len(away)} node{'' if one else 's'} {'is' if one else 'are'} kept from work until then. "


# A page to watch a rollout by, written anew at each step: no network, no script; the browser asks for it again.


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
