"""GPU requests and limits are equal whole numbers.

GPUs are extended resources: the API server takes them as whole numbers only, wants the limit to be there, and the
request, where there is one, to be equal to it. A name without a number behind it (`nvidia.com/gpu:`) counts as zero:
the pod gets no GPU, and nobody says so. `1` and `"1"` are the same quantity, and so is `1000m`; `0.5`, `500m`, a
negative number or a word are none. A Deployment or a Pod is refused at once; a template inside a resource of its own
kind (a PyTorchJob, a RayCluster, a Workflow) is taken, and its pods never come: only an event says why.

A quota counts what pods request of a device, by the one name that begins with `requests.`: an `nvidia.com/gpu` or a
`limits.nvidia.com/gpu` in a ResourceQuota is taken without a word and counts nothing, so that the namespace may have
all GPUs there are. (HAMi's own scheduler counts by `limits.`, so that alone is a warning.)

A ClusterQueue of Kueue's counts for each flavor all that it covers, in that order, and names a flavor once; only one in
a cohort has a `borrowingLimit` or a `lendingLimit`, and lends no more than it has: Kueue refuses another one. A job
whose LocalQueue leads to a ClusterQueue that covers no GPUs is never admitted.

The memory and the cores that HAMi shares (`nvidia.com/gpumem`, `nvidia.com/gpucores`) are whole numbers, too. No
request and a limit of zero are no fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nodeworthy.documents.settled import PLACEHOLDER, is_charts, settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.pod.containers import Container, NotAQuantity, is_gpu_resource, whole
from nodeworthy.facts.pod.queues import GpuQueue, LocalQueue, QueueCover
from nodeworthy.facts.pod.quotas import COUNTED, DeviceQuota
from nodeworthy.facts.pod.refused import draft_of_refusals
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, Unknown, fail, skip, unknown

RULE = Rule(
    "gpu-quantity",
    severity=Severity.ERROR,
    incident="D",
    title="GPU requests and limits are equal whole numbers",
    remedy="give the limit alone, as a whole number: resources.limits, nvidia.com/gpu: 1",
)

_QUEUE = "kueue.x-k8s.io/queue-name"
_REFUSED = "the API server refuses the pod"
_DRAWN = "it is a mapping, of which whatever makes its pods makes a number"
_A_NAME = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


@RULE.check
def amounts_are_equal_whole_numbers(pod: PodTemplate) -> Findings:
    hidden = pod.why_hidden if pod.uses_gpus else None
    if not pod.gpu_resources and hidden is None:
        skip("nothing here asks for GPUs")
    for container in pod.containers:
        for resource in container.gpu_resources:
            yield from _of_a_container(pod, container, resource)
    if not pod.gpu_resources and not is_charts(hidden):
        yield unknown(pod, f"what {pod.title} asks for is not known: {hidden}")
    if pod.gpu_resources:
        hidden = _never_told(pod)
    if is_charts(hidden):
        skip("the values of its chart say how many GPUs it asks for")


def _amount(tree: Tree) -> Located[Any]:
    """Where a number belongs, a word of capitals is one that a program writes it over: GPUS_PER_NODE."""
    located = settle(tree)
    is_a_name = tree.text is not None and _A_NAME.fullmatch(tree.text) is not None
    return replace(located, state=Unknown(PLACEHOLDER)) if is_a_name else located


def _never_told(pod: PodTemplate) -> str | None:
    """Why no number that a container asks for is known."""
    amounts = [
        _amount(tree.get(name)).state
        for each in pod.containers
        for tree in (each.limits, each.requests)
        for name in each.gpu_resources
        if not tree.get(name).is_absent
    ]
    unknowns = [each.why for each in amounts if isinstance(each, Unknown)]
    return unknowns[0] if unknowns and len(unknowns) == len(amounts) else None


@RULE.check
def the_api_server_takes_them(refused: RefusedPods) -> Findings:
    if refused.quantity is None:
        skip("they were refused for something else")
    yield fail(
        refused,
        f"the API server refuses its pods: {refused.words}",
        is_=refused.quantity,
        should="equal whole numbers in requests and limits",
        cause="its template asks for GPUs in a way that no pod may, so that its pods never come",
        remedy="correct the resources in its template: the limit alone, as a whole number",
    )


@RULE.check
def a_quota_counts_requests(quota: DeviceQuota) -> Findings:
    if not quota.uncounted:
        return
    (name, amount), *others = quota.uncounted.items()
    device = name.rpartition("limits.")[2]
    is_bare = name == device or any(is_gpu_resource(each) for each, _ in others)
    counted = f"{COUNTED}{device}: {amount.located().shown()}"
    yield fail(
        amount.heading,
        f"{quota.title} counts no GPUs by {name}",
        is_=name,
        should=f"{COUNTED}{device}",
        related=[Related(tree.heading, f"nor by {each}") for each, tree in others],
        cause="of devices a quota counts by requests. alone: it is taken without a word, and the namespace may have "
        "every GPU of the cluster",
        remedy=f"write {counted}; kubectl describe quota then shows what is used",
        severity=Severity.ERROR if is_bare else Severity.WARNING,
    )


@RULE.check
def kueue_takes_its_quotas(queue: GpuQueue) -> Findings:
    if found := list(queue.refusals()):
        yield draft_of_refusals(
            f"Kueue refuses this: {queue.title}",
            found,
            "without the queue nothing that waits for its GPUs is ever admitted",
            "; `kubectl apply --dry-run=server -f` tells",
        )


@RULE.check
def kueue_counts_what_is_asked_for(
    queue: LocalQueue, covers: Sequence[QueueCover], pods: Sequence[PodTemplate]
) -> Findings:
    """One ClusterQueue of that name, and jobs of the queue's own namespace: others may be another cluster's."""
    there = [each for each in covers if each.name == queue.leads_to]
    if len(there) != 1:
        skip("what the ClusterQueue covers that it leads to is not said here")
    coming = [each for each in pods if each.gpu_resources and _comes_by(each, queue)]
    if not coming:
        skip("no pods with GPUs come by it")
    for pod in coming:
        missing = [each for each in pod.gpu_resources if each not in there[0].resources]
        if missing:
            yield _uncounted(pod, pod.labels[_QUEUE], missing[0], queue, there[0])


def _comes_by(pod: PodTemplate, queue: LocalQueue) -> bool:
    label = pod.labels.get(_QUEUE)
    return label is not None and label.text == queue.name and pod.namespace == queue.namespace


def _uncounted(pod: PodTemplate, label: Tree, resource: str, queue: LocalQueue, cover: QueueCover) -> Draft:
    return fail(
        label.heading,
        f"Kueue never admits {pod.kind} '{pod.name}': its queue counts no {resource}",
        is_=f"ClusterQueue '{cover.name}' covers {', '.join(sorted(cover.resources))}",
        should=f"{resource} among coveredResources, with a nominalQuota in each of the group's flavors",
        related=[
            Related(cover.place, f"ClusterQueue '{cover.name}'"),
            Related(queue.place, f"LocalQueue '{queue.name}' leads to it"),
        ],
        cause=f"couldn't assign flavors to pod set main: resource {resource} unavailable in ClusterQueue: of what a "
        "ClusterQueue does not cover it has no quota, not even one to borrow, and the job stays suspended",
        remedy=f"add {resource} to a resource group of '{cover.name}', or name a queue that has GPUs; to be sure: "
        "kubectl get workloads -A; kubectl describe workload NAME",
    )


def _of_a_container(pod: PodTemplate, container: Container, resource: str) -> Findings:
    limit, request = container.limits.get(resource), container.requests.get(resource)
    amounts = [tree for tree in (limit, request) if not (pod.elsewhere is not None and tree.is_mapping)]
    faults = [fault for tree in amounts if (fault := _not_whole(container, resource, tree)) is not None]
    yield from faults
    if limit.is_null:
        yield _without_number(pod, container, resource, limit)
        return
    # `{distribution: uniform, min: 2, max: 8}`, of an object that is no API server's: what makes its pods draws one.
    drawn = [tree.located() for tree in (limit, request) if tree not in amounts]
    if drawn:
        yield unknown(drawn[0], f"how many of {resource} {container.name} asks for is not known: {_DRAWN}")
        return
    hidden = [each for tree in (limit, request) if isinstance((each := _amount(tree)).state, Unknown)]
    if hidden:
        yield from _undecided(container, resource, hidden[0])
    elif limit.is_absent:
        yield from _without_limit(pod, container, resource, request)
    elif not faults and not request.is_absent and whole(limit.value) != whole(request.value):
        yield fail(
            request.located(),
            f"{container.name} requests another number of {resource} than its limit",
            should=limit.located().shown(),
            related=[Related(limit.place, f"the limit is {limit.located().shown()}")],
            cause=f"GPUs can't be overcommitted: {_REFUSED}",
            remedy="remove the request, or make it equal to the limit",
        )


def _not_whole(container: Container, resource: str, tree: Tree) -> Draft | None:
    located = _amount(tree)
    if not isinstance(located.state, Known) or tree.is_absent:
        return None
    try:
        whole(tree.value)
    except NotAQuantity as problem:
        return fail(
            located,
            f"{resource} of {container.name} {problem}",
            is_=tree.written if tree.written is not None and not tree.secret else None,
            should="a whole number",
            cause=f"a GPU can't be asked for in parts by this resource: {_REFUSED}",
            remedy=_remedy(resource),
        )
    return None


def _remedy(resource: str) -> str:
    if resource.startswith("nvidia.com/gpumem"):
        return "give the memory in MiB, as a whole number"
    return "ask for a whole number of GPUs; to share one, use MIG, time-slicing or HAMi"


def _without_number(pod: PodTemplate, container: Container, resource: str, limit: Tree) -> Draft:
    if pod.elsewhere is not None:
        return unknown(
            limit.located(), f"whether {container.name} has a limit of {resource} is not known: {pod.elsewhere}"
        )
    return fail(
        limit.located(),
        f"{resource} of {container.name} has no number",
        is_="nothing behind the colon",
        should="a whole number",
        cause="the API server takes it as zero: the pod starts, and gets no GPU",
        remedy=f"write how many: {resource}: 1",
    )


def _undecided(container: Container, resource: str, hidden: Located[Any]) -> Findings:
    why = hidden.state.why if isinstance(hidden.state, Unknown) else "it is not known"
    if is_charts(why):
        return
    yield unknown(hidden, f"how many of {resource} {container.name} asks for is not known: {why}")


def _without_limit(pod: PodTemplate, container: Container, resource: str, request: Tree) -> Findings:
    hidden = why_incomplete(container.limits) or pod.elsewhere
    if is_charts(hidden):
        return
    if hidden is not None:
        yield unknown(request.located(), f"whether {container.name} has a limit of {resource} is not known: {hidden}")
        return
    yield fail(
        request.located(),
        f"{container.name} requests {resource} and has no limit of it",
        should=f"limits: {{{resource}: {request.located().shown()}}}",
        cause=f"GPUs can't be overcommitted, so the limit must be set: {_REFUSED}",
        remedy=f"write resources.limits, {resource}: {request.located().shown()}; the request then follows from it",
    )
