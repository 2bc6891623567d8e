"""Verification work is bounded, preemptible, honours opt-out and window, leaves nothing.

In the incident verification pods stayed Running between their cycles and held sixteen GPUs for most of the day, while
every training pod failed at admission (`UnexpectedAdmissionError`, `Requested: 4, Available: 0`). Work that proves
nodes fit must never keep them from work:

- it ends: `activeDeadlineSeconds` on its Job or its pods; no Deployment or DaemonSet holds GPUs for it, and no loop
  waits inside for the next cycle, which is what a CronJob is for: its schedule is the window, and runs do not overlap;
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

from nodeworthy.facts.accept.given_back import GpusGivenBack
from nodeworthy.facts.cluster.classes import ClusterClasses
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.verification.opt_out import honours_opt_out
from nodeworthy.facts.verification.signs import is_a_trial, why_verification
from nodeworthy.facts.verification.work import VerificationWork
from nodeworthy.rule import Rule
from nodeworthy.rules.verification_yields.faults import endless, leftovers, lets_others_in, opt_out, overlaps
from nodeworthy.verdict import Findings, Known, Severity, Unknown, fail, skip, unknown

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
    """Of a run of accept itself."""
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
