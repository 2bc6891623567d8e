"""A pool that promises nodes for profiling has them, and they say so of themselves.

`profilingDedicated: 1` promises that one node of the pool has the label `gpu.monitoring/profiling-dedicated=true`:
profiling jobs ask for it, and DCGM stays off it. A label that somebody set by hand is gone with the node that it was
set on, so nodes register with it: their boot script says so. Without one, jobs that profile wait for ever.
"""

from __future__ import annotations

from nodeworthy.facts.profiling.promise import Dedicated, ProfilingPromise
from nodeworthy.known.operator_parts import PROFILING
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, Unknown, fail, unknown

LABEL = "=".join(PROFILING)

RULE = Rule(
    "profiling-node-exists",
    severity=Severity.ERROR,
    incident="D",
    title="A pool that promises profiling nodes has them, labelled",
    remedy=f"register as many nodes as profilingDedicated says with the label {LABEL}",
)


@RULE.check
def they_are_there(promise: ProfilingPromise) -> Findings:
    sure = sum(_sure(each) for each in promise.nodes)
    if sure >= promise.promised:
        return
    why = next(filter(None, map(_doubt, promise.nodes)), None)
    if why is not None:
        yield unknown(promise, f"whether {promise.title} has the profiling nodes that it promises is not known: {why}")
        return
    verb = "has" if promise.exist else "would start"
    yield fail(
        promise,
        f"{promise.title} promises {_counted(promise.promised)} for profiling, and {verb} {sure or 'none'}",
        is_=f"{sure} with the label {LABEL}",
        should=f"{promise.promised}",
        related=[Related(each.place, f"{each.title} is of this pool") for each in promise.nodes[:3]],
        cause=f"jobs that profile ask for a node with the label {LABEL}, and stay Pending",
        remedy=_remedy(promise),
    )


def _sure(each: Dedicated) -> int:
    if each.dedicated.state == Known(True) and isinstance(each.count.state, Known):
        return each.count.state.value
    return 0


def _doubt(each: Dedicated) -> str | None:
    """What keeps one from counting these."""
    if each.dedicated.state == Known(False):
        return None
    return next((part.state.why for part in (each.dedicated, each.count) if isinstance(part.state, Unknown)), None)


def _counted(number: int) -> str:
    return "1 node" if number == 1 else f"{number} nodes"


def _remedy(promise: ProfilingPromise) -> str:
    if not promise.exist:
        return f"start {_counted(promise.promised)} with a boot script that registers them with {LABEL}"
    return f"start nodes that register with {LABEL}; `kubectl label node NAME {LABEL}` lasts as long as its node"
