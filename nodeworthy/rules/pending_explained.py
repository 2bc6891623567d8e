"""A pod that asks for GPUs and is on no node has a named cause.

The scheduler only says how many nodes lack what (`0/5 nodes are available: 5 Insufficient nvidia.com/gpu`), and not
whether the GPUs are held, gone or out of reach. The cause is read from the nodes and the pods themselves, counted as
the scheduler counts them:

- no node offers the resource: no device plugin has registered, or it offers slices by another name;
- no node that has it carries the labels which the pod chooses;
- the nodes that have it are tainted (`nodeworthy/unverified` until a node is verified), cordoned or not ready;
- all of it is held: by whom, how many, since when, of which priority; or enough is free, but scattered;
- the GPUs are free and something else is short: CPU, memory, a volume in another zone, a claim that is not bound, a
  network card's function that no node offers, a node beside the pods that its affinity names, or without them;
- the namespace's quota is used up, so that its pods are not even made;
- no scheduler of the name that the pod asks for has looked at it.

Of a pod that claims devices by Dynamic Resource Allocation there is nothing to count. A DeviceClass that its claim
names and that nobody has made, and a driver that publishes no device of that class, are told by their names; else what
the scheduler says of it is looked up, where no other vendor's DeviceClass is named.

Where nodes that have what it asks for are of no use to it, each line of the pod that shuts them out is named
(nodeSelector, node affinity, the lack of a toleration), with the pool that it shuts out and what that has instead.

What asks for more than any node has is another rule's (`gpu-fits-a-node`), and so are unhealthy devices
(`gpu-count-complete`), verification that holds GPUs (`verification-yields`) and what HAMi shares. Pods that are gated
(a queue holds them back on purpose), and those for which nodes are just starting, are as they should be.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.claiming_pods import ClaimingPods
from nodeworthy.facts.cluster.pending_causes import Waiting, WaitingPods
from nodeworthy.facts.cluster.scheduling_events import QuotaRefusal
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "pending-explained",
    severity=Severity.ERROR,
    incident="C",
    title="A pod that asks for GPUs and is on no node has a named cause",
    remedy="compare what the pod asks for with what is free: nodeworthy diagnose --ledger",
)

# Most of what keeps pods is in what they ask for.
_LINKS = {"not ready": "allocatable", "held": "held", "scattered": "held"}


_LET_IT_COME = (
    "let the DRA driver's kubelet plugin choose these nodes (kubeletPlugin.affinity and tolerations in its chart's "
    "values), or give them the label that it goes by; then kubectl get resourceslices shows their devices"
)


@RULE.check
def why_they_wait(waiting: Waiting) -> Findings:
    for group in waiting.groups:
        yield _draft_of_group(group)
    for quota in waiting.quotas:
        yield _of_quota(quota)
    for claiming in waiting.claiming:
        yield _of_claims(claiming)


def _of_claims(claiming: ClaimingPods) -> Draft:
    """Pods that wait for their claims, by the scheduler's words alone."""
    waits = "a pod waits" if len(claiming.pods) == 1 else f"{len(claiming.pods)} pods wait"
    count = f"{waits} for {_of_what(claiming)}"
    victims = [each.object for each in claiming.pods]
    words = " ".join(claiming.words.split())
    fault = claiming.fault
    if fault is not None and not claiming.absent:
        return fail(
            claiming,
            f"{count}: {fault.says}",
            is_=fault.is_,
            should=fault.should,
            cause=f"{fault.cause}; the scheduler says: {words}" if words else fault.cause,
            remedy=fault.remedy,
            related=fault.related,
            victims=victims,
            link="plugin",
        )
    known = next((each.evidence for each in in_text(words)), None) if words else None
    if known is None:
        why = f"the scheduler says: {words}" if words else "no word of a scheduler is in what was read"
        remedy = "kubectl describe pod; kubectl get deviceclasses,resourceslices; kubectl get resourceclaims -A"
        message = f"why {count} is not known: {why}"
        return unknown(claiming, message, is_=words or None, remedy=remedy, victims=victims)
    cause, remedy = _why_none_fits(claiming, known)
    return fail(
        claiming,
        f"{count}: {known.says}",
        is_=words,
        should="a node whose devices the claim can have",
        cause=cause,
        remedy=remedy,
        victims=victims,
        link="plugin" if claiming.absent else "pod",
    )


def _why_none_fits(claiming: ClaimingPods, known: Evidence) -> tuple[str, str]:
    if claiming.absent:
        why = f"the DRA driver comes to no node with GPUs, so that none publishes its devices: {claiming.absent}"
        return why, _LET_IT_COME
    grown = next((each.evidence for each in in_text(claiming.no_node)), None)
    if grown is None:
        return known.cause, known.mending
    no_node = f"no node comes for them: {grown.says}: {grown.cause}; {claiming.no_node}"
    return f"{no_node}; else {known.cause}", f"{grown.mending}; or {known.mending}"


def _of_what(claiming: ClaimingPods) -> str:
    return "a part of a GPU (gpu-fraction, gpu-memory)" if claiming.pods[0].wants_a_part else "devices that they claim"


def _draft_of_group(group: WaitingPods) -> Draft:
    found, victims = group.cause.draft, tuple(each.object for each in group.pods)
    count = "a pod waits" if len(victims) == 1 else f"{len(victims)} pods wait"
    if found.is_unknown:
        message = f"why {count} for GPUs is not known: {found.message}"
        return replace(found, where=group.place, message=message, victims=victims)
    return replace(
        found,
        where=group.place,
        message=f"{count} for GPUs: {found.message}",
        cause=f"{found.cause}{_since(group)}",
        victims=(*victims, *found.victims),
        link=found.link or _LINKS.get(group.cause.key[0], "pod"),
    )


def _since(group: WaitingPods) -> str:
    first = min((each.created for each in group.pods if each.created is not None), default=None)
    return f"; waiting since {first:%Y-%m-%d %H:%M}Z" if first is not None else ""


def _of_quota(quota: QuotaRefusal) -> Draft:
    in_vain = quota.taken_by
    first = f"{in_vain[0]}{' …' if len(in_vain) > 1 else ''}" if in_vain else ""
    return fail(
        quota,
        f"pods for GPUs are not made: the quota '{quota.quota}' of namespace '{quota.namespace}' is used up",
        is_=f"{quota.used} of {quota.limited} {quota.resource} used, {quota.asked} more asked for",
        should=f"at most {quota.limited} {quota.resource}",
        cause="the API server refuses a pod with which its namespace would ask for more than its ResourceQuota"
        + (f"; pods that wait for a node themselves count as well: {first}" if first else ""),
        remedy=(f"see first why {in_vain[0]} waits, and end it if in vain; " if first else "")
        + f"end what is done in namespace {quota.namespace}, or raise the ResourceQuota {quota.quota}",
        victims=[quota.maker],
    )
