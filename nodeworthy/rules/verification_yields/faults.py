"""What of verification work, as it is written, would keep other work from its GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.classes import ClusterClasses
from nodeworthy.facts.pod.template import ENDLESS, PodTemplate
from nodeworthy.facts.verification.opt_out import expression, honours_opt_out
from nodeworthy.facts.verification.signs import is_a_trial, loops, seconds_by_itself
from nodeworthy.known.verification import OPT_OUTS
from nodeworthy.verdict import Draft, Known, Located, Place, Related, Unknown, fail, unknown

_DEADLINE = "activeDeadlineSeconds"
# What a trial by hand may take without anybody having to bound it.
_SHORT = 3600
_CRITICAL = ("system-node-critical", "system-cluster-critical")


def endless(pod: PodTemplate, why: str, held: str) -> Iterator[Draft]:
    gpus = f"{pod.title} verifies, and never lets go of its GPUs"
    again = "run it as a CronJob: its schedule is the window, and between two runs it holds nothing"
    if pod.kind in ENDLESS:
        is_ = f"a {pod.kind}{', with a loop inside' if loops(pod) else ''} ({why})"
        yield fail(pod, gpus, is_=is_, should="a CronJob or a Job", cause=held, remedy=again)
        return
    deadline = pod.above_says(_DEADLINE) or pod.above_says("runPolicy", _DEADLINE)
    if deadline is None and not loops(pod) and is_a_trial(pod) and seconds_by_itself(pod) <= _SHORT:
        return
    if deadline is None:
        yield _unbounded(pod, why, held)
    elif loops(pod) and pod.kind in ("Pod", "Job"):
        yield fail(pod, gpus, is_=f"a loop inside a {pod.kind} ({why})", should="a CronJob", cause=held, remedy=again)


def _unbounded(pod: PodTemplate, why: str, held: str) -> Draft:
    hidden = pod.elsewhere or next(filter(None, map(why_incomplete, (pod.spec, *pod.above))), None)
    if hidden is not None:
        return unknown(pod, f"whether {pod.title} is bounded is not known: {hidden}")
    where = "spec.jobTemplate.spec" if pod.kind == "CronJob" else "spec"
    return fail(
        pod,
        f"{pod.title} verifies, and nothing bounds how long it holds its GPUs",
        is_=f"no {_DEADLINE} ({why})",
        should=f"{_DEADLINE}: 3600",
        cause=held,
        remedy=f"set {where}.{_DEADLINE} to the longest time that it may take",
    )


def overlaps(pod: PodTemplate) -> Iterator[Draft]:
    """A CronJob allows it by default."""
    if pod.kind not in ("CronJob", "CronWorkflow"):
        return
    policy = settle(pod.document.get("spec", "concurrencyPolicy"))
    if isinstance(policy.state, Unknown):
        yield unknown(policy, f"whether runs of {pod.title} may overlap is not known: {policy.state.why}")
    elif policy.state.value in (None, "Allow"):
        yield fail(
            policy,
            f"runs of {pod.title} may overlap",
            is_="Allow" if policy.written else "concurrencyPolicy is not set, which is Allow",
            should="concurrencyPolicy: Forbid",
            cause="a run that takes too long holds its GPUs while the next one asks for more",
            remedy="set spec.concurrencyPolicy: Forbid",
        )


def lets_others_in(pod: PodTemplate, classes: ClusterClasses | None) -> Iterator[Draft]:
    named = settle(pod.spec.get("priorityClassName"))
    if isinstance(named.state, Unknown):
        yield unknown(named, f"whether {pod.title} is preempted is not known: {named.state.why}")
        return
    name = named.state.value
    if not name:
        yield _same_priority(pod, named.place.about("priorityClassName"))
        return
    known = classes.priority(name) if classes is not None else None
    value = known.value.state if known is not None else None
    if known is not None and isinstance(value, Known):
        if not isinstance(value.value, int) or value.value >= 0:
            yield _too_high(pod, named, str(value.value), [Related(known.value.place, f"{name} is {value.value}")])
    elif name in _CRITICAL:
        yield _too_high(pod, named, name, [])
    else:
        why = value.why if isinstance(value, Unknown) else f"no PriorityClass {name} stands here"
        yield unknown(named, f"whether {pod.title} is preempted is not known: {why}")


def _same_priority(pod: PodTemplate, where: Place) -> Draft:
    hidden = why_incomplete(pod.spec) or pod.elsewhere
    if hidden is not None:
        return unknown(pod, f"whether {pod.title} is preempted is not known: {hidden}")
    return fail(
        where,
        f"nothing preempts {pod.title}",
        is_="no priorityClassName, which is the priority of all other work",
        should="a PriorityClass below zero",
        cause="the scheduler preempts only pods of a lower priority, so training waits until verification ends",
        remedy="make a PriorityClass with value: -10 and preemptionPolicy: Never, and name it in priorityClassName",
    )


def _too_high(pod: PodTemplate, named: Located[Any], is_: str, related: list[Related]) -> Draft:
    return fail(
        named,
        f"nothing preempts {pod.title}: its priority is not below that of other work",
        is_=is_,
        should="a PriorityClass below zero",
        related=related,
        cause="work without a PriorityClass has zero, and is not let in",
        remedy="name a PriorityClass with a value below zero",
    )


def opt_out(pod: PodTemplate) -> Iterator[Draft]:
    if honours_opt_out(pod):
        return
    affinity = pod.spec.get("affinity")
    hidden = pod.selection.why_hidden or why_incomplete(pod.spec) or pod.elsewhere
    if hidden is not None:
        yield unknown(affinity.located(), f"whether {pod.title} keeps from nodes that opted out is not known: {hidden}")
        return
    labels = " and ".join(f"{name}={value}" for name, value in OPT_OUTS.items())
    yield fail(
        affinity.key or affinity.place,
        f"{pod.title} also runs on nodes that opted out of verification",
        is_="no required node affinity about the opt-out's label",
        should=expression(),
        cause=f"a node's label {labels.split(' and ', maxsplit=1)[0]} has no effect on it",
        remedy="add this matchExpression to the pod's required node affinity, in every term",
    )


def leftovers(pod: PodTemplate) -> Iterator[Draft]:
    """A CronJob clears its Jobs away; a Job alone stays."""
    if pod.kind != "Job" or pod.elsewhere is not None:
        return
    spec: Tree = pod.document.get("spec")
    left = spec.get("ttlSecondsAfterFinished")
    if left.is_unknown:
        yield unknown(left.located(), f"whether {pod.title} is cleared away is not known: {settle(left).shown()}")
    elif left.is_absent or left.is_null:
        yield fail(
            spec.key or spec.place,
            f"{pod.title} stays when it is over",
            is_="no ttlSecondsAfterFinished",
            should="ttlSecondsAfterFinished: 600",
            cause="its pods stay behind, and who counts them counts their GPUs",
            remedy="set spec.ttlSecondsAfterFinished",
        )
