"""Verification work is bounded, preemptible, honours opt-out and window, leaves nothing.

In the incident verification pods stayed Running between their cycles and held sixteen GPUs for most of the day, while
every training pod failed at admission (`UnexpectedAdmissionError`, `Requested: 4, Available: 0`). Work that proves
nodes fit must never keep them from work:

- it ends: `activeDeadlineSeconds` on its Job or its pods; no Deployment or DaemonSet holds GPUs for it, and no loop
  waits inside for the next cycle, which is what a CronJob is for: its schedule is the window, and runs do not overlap
  (what has no replicas as it is written holds none until somebody wants it to);
- it is preempted by any other work: a PriorityClass below zero, for pods without one have zero;
- it keeps away from nodes that carry the label `nodeworthy/verify=disabled` (or incident B's
  `coreweave.com/hpc-verify=disabled`), by a required node affinity;
- it is gone when it is over: `ttlSecondsAfterFinished` on a Job that no CronJob clears away.

Verification work is what says so (`nodeworthy/verification`, hpc-verification, a burn-in), what runs a program that
only tries machines (nhc, `dcgmi diag`, gpu-burn), and what measures again and again (nccl-tests, Linpack in a CronJob,
a Deployment or a loop). It is judged where it asks for GPUs: what holds none keeps nobody away. Of a gpu-burn that
somebody starts by hand only its end is asked: by its own arguments within an hour, or by a deadline. What runs in a
cluster is judged by what it holds: beyond its bound, above all other work, on a node that opted out, or in the way of
pods that were turned away. A run of `nodeworthy accept` is judged by its ledger: each node offers as many GPUs after it
as before, and none of its pods has kept one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.accept.given_back import GpusGivenBack
from nodeworthy.facts.cluster.classes import ClusterClasses
from nodeworthy.facts.pod.template import ENDLESS, PodTemplate
from nodeworthy.facts.verification.signs import is_a_trial, loops, seconds_by_itself, why_verification
from nodeworthy.facts.verification.work import VerificationWork
from nodeworthy.known.verification import OPT_OUTS
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Place, Related, Severity, Unknown, fail, skip, unknown

RULE = Rule(
    "verification-yields",
    severity=Severity.ERROR,
    incident="B",
    title="Verification work is bounded, preemptible, honours opt-out and window, leaves nothing",
    remedy="run it as a CronJob with activeDeadlineSeconds, a PriorityClass below zero and the opt-out's affinity",
)

_IN_THE_WAY = "who comes for these GPUs waits until it ends"
_HELD = "the GPUs are held while nothing is verified, and pods that were promised them are rejected at admission"


@RULE.check(unless=VerificationWork)
def it_can_never_keep_work_away(pod: PodTemplate, classes: ClusterClasses | None) -> Findings:
    if pod.live is not None:
        skip("what runs is judged by what it holds")
    why = why_verification(pod)
    if why is None:
        skip("nothing says that it is verification work")
    if not pod.gpu_resources:
        skip("it holds no GPUs")
    replicas = pod.above_says("replicas")
    if replicas is not None and replicas.value == 0:
        return
    yield from endless(pod, why, _HELD)
    if is_a_trial(pod):
        return
    yield from overlaps(pod)
    yield from lets_others_in(pod, classes)
    yield from opt_out(pod)
    yield from leftovers(pod)


@RULE.check
def it_holds_no_gpus_beyond_its_time(work: VerificationWork) -> Findings:
    held = f"{_pods(work)} of {work.name} hold{'s' if len(work.pods) == 1 else ''} {work.gpus} GPUs"
    bound = work.bound.state
    if isinstance(bound, Unknown):
        yield unknown(work, f"{held}, and for how long they may is not known: {bound.why}", victims=work.rejected)
        return
    if work.yields:
        return
    yield fail(
        work,
        f"verification holds {work.gpus} GPUs on {_nodes(work)}, {_since(work, bound)}",
        is_=f"{held} ({work.why})",
        should="bounded, preemptible, and gone between its cycles",
        cause="; ".join(_causes(work, bound)),
        remedy=f"now: kubectl delete pods -n {work.template.namespace} {' '.join(each.name for each in work.pods[:4])}"
        f"{' …' if len(work.pods) > 4 else ''}; to last: {RULE.remedy}",
        victims=work.rejected,
    )


@RULE.check
def it_gives_back_what_it_took(given: GpusGivenBack) -> Findings:
    """The GPUs that a run of accept itself has taken."""
    if given.kept:
        yield fail(
            given,
            f"the run is over, and its pods still hold GPUs of {given.node}",
            is_=", ".join(given.kept[:4]),
            should="gone, and their GPUs free",
            cause=_HELD,
            remedy=f"kubectl delete pods --grace-period=0 -n {given.kept[0].partition('/')[0]} "
            f"{' '.join(each.partition('/')[2] for each in given.kept[:4])}; if they stay, look at the node's kubelet",
        )
    elif given.offered is None or given.offers is None:
        yield unknown(given, f"whether {given.node} offers as many GPUs as before the run is not known")
    elif given.offers < given.offered:
        yield fail(
            given,
            f"{given.node} offers fewer GPUs than before it was tried",
            is_=str(given.offers),
            should=str(given.offered),
            cause="the device plugin calls a GPU unhealthy since, or is gone: what it does not offer, nobody is given",
            remedy=f"nodeworthy diagnose --node {given.node}; kubectl describe node {given.node}",
        )


def _pods(work: VerificationWork) -> str:
    return "a pod" if len(work.pods) == 1 else f"{len(work.pods)} pods"


def _nodes(work: VerificationWork) -> str:
    names = sorted({each.node for each in work.pods})
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} nodes"


def _since(work: VerificationWork, bound: Known[int | None]) -> str:
    if bound.value is None:
        return "without a bound"
    if work.overdue:
        return f"longer than its {bound.value} s"
    return "which opted out of it" if work.opted_out and not work.rejected else "and gives way to nobody"


def _causes(work: VerificationWork, bound: Known[int | None]) -> list[str]:
    said = [_HELD] if bound.value is None or work.overdue or work.rejected else [_IN_THE_WAY]
    if bound.value is None:
        said.append("no activeDeadlineSeconds ends it")
    if work.opted_out:
        nodes = ", ".join(f"{name} ({label})" for name, label in sorted(work.opted_out.items())[:4])
        said.append(f"a label takes the node out of verification: {nodes}")
    if work.priority is None or work.priority >= 0:
        said.append(f"its priority is {work.priority or 0}, so that nothing of the usual priority preempts it")
    if not honours_opt_out(work.template):
        said.append("no affinity keeps it from nodes that opted out")
    return said


# What of verification work, as it is written, would keep other work from its GPUs.


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
    """Fails if runs of a CronJob may overlap, which they may by default."""
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
            told = known.value.shown()
            yield _too_high(pod, named, told, [Related(known.value.place, f"{name} is {told}")])
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
        affinity.heading,
        f"{pod.title} also runs on nodes that opted out of verification",
        is_="no required node affinity about the opt-out's label",
        should=expression(),
        cause=f"a node's label {labels.split(' and ', maxsplit=1)[0]} has no effect on it",
        remedy="add this matchExpression to the pod's required node affinity, in every term",
    )


def leftovers(pod: PodTemplate) -> Iterator[Draft]:
    """Fails if a Job stays when it is over. Jobs of a CronJob are cleared away."""
    if pod.kind != "Job" or pod.elsewhere is not None:
        return
    spec: Tree = pod.document.get("spec")
    left = spec.get("ttlSecondsAfterFinished")
    if left.is_unknown:
        yield unknown(left.located(), f"whether {pod.title} is cleared away is not known: {settle(left).shown()}")
    elif left.says_nothing:
        yield fail(
            spec.heading,
            f"{pod.title} stays when it is over",
            is_="no ttlSecondsAfterFinished",
            should="ttlSecondsAfterFinished: 600",
            cause="its pods stay behind, and who counts them counts their GPUs",
            remedy="set spec.ttlSecondsAfterFinished",
        )


# Whether a pod keeps away from nodes that were taken out of verification.


def honours_opt_out(pod: PodTemplate) -> bool:
    """Whether it stays away from nodes that opted out: by a required node affinity (NotIn, DoesNotExist), or by
    choosing nodes that are marked otherwise."""
    return any(pod.selection.refuses(label, value) for label, value in OPT_OUTS.items())


def expression() -> str:
    label, value = next(iter(OPT_OUTS.items()))
    return f"{{key: {label}, operator: NotIn, values: [{value}]}}"
