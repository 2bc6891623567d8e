"""Why pods that ask for GPUs are not placed, where no other rule says so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import ClassVar

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.claiming_pods import ClaimingPods
from nodeworthy.facts.cluster.elapsed import has_just_begun
from nodeworthy.facts.cluster.node import GPU
from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.cluster.pending_beside import NOT_AWAY, NOT_BESIDE
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_devices import INSUFFICIENT
from nodeworthy.facts.cluster.pending_hami import refused_by_hami
from nodeworthy.facts.cluster.pending_held import cause_of_held, gang
from nodeworthy.facts.cluster.pending_kept_away import (
    cause_of_taints,
    is_a_cordon,
    is_state,
    not_chosen,
    taken_out_node,
    with_uncordon,
)
from nodeworthy.facts.cluster.pending_not_offered import nobody_shares, not_offered
from nodeworthy.facts.cluster.pending_said import cause_in_events, without_words
from nodeworthy.facts.cluster.pending_volumes import ELSEWHERE
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import QuotaRefusal, is_of_a_gang, reasons
from nodeworthy.facts.cluster.starters_words import besides_by_its_log, counts_none
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.facts.pod.node_choice import Barrier, NodeChoice
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.known.hami import resources
from nodeworthy.known.scaling import obstacle_in, uncounted_by_karpenter
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place, Related

# Causes that are about some of the nodes which have what is asked for, and not about others.
_OF_NODES = ("not chosen", "tainted", "not ready", "held", "scattered")
_HELD = ("held", "scattered")
# As known/evidence calls what clouds say.
_CLOUD = "cloud"
# The scheduler's words where a class of devices stands for what a pod asks for by its name.
_NO_CLAIM = "cannot allocate all claims"
# How long nodes may take to come, and a scheduler to look.
_COMES = timedelta(minutes=15)
_LOOKS = timedelta(minutes=5)

# As Karpenter calls a label that neither it nor the pool knows.
_NO_POOL_HAS = pattern(r'label \\?"(?P<name>[^"\\]{1,317})\\?" does not have known values')


@dataclass(frozen=True)
class WaitingPods:
    """Pods that wait for one reason."""

    pods: tuple[AskingPod, ...]
    cause: PendingCause

    @property
    def place(self) -> Place:
        return self.pods[0].place


@dataclass(frozen=True)
class Waiting:
    called: ClassVar[str] = "a cluster whose pods wait for GPUs"

    groups: tuple[WaitingPods, ...]
    quotas: tuple[QuotaRefusal, ...] = ()
    # Who waits for what verification holds, which is that rule's to tell.
    verified: tuple[str, ...] = ()
    # Who waits for a node whose GPUs nobody offers, by its name: another rule tells why.
    starved: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Who waits for devices that he claims, and asks for none by its name.
    claiming: tuple[ClaimingPods, ...] = ()
    # Who waits for a node of Karpenter's, whose own objects say why none comes.
    stranded: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        some = self.groups[0] if self.groups else next(iter(self.claiming), None)
        return some.place if some is not None else Place(subject="pods")

    @property
    def tells_of_no_offer(self) -> bool:
        return any(each.cause.key[:2] == ("not offered", GPU) for each in self.groups)


class _Elsewhere(Exception):
    """Another rule says why this pod waits."""


class _Verified(_Elsewhere):
    """Verification that yields to nobody holds what they ask for."""


class _Starved(_Elsewhere):
    """Nothing offers the GPUs of nodes that would take the pod."""

    def __init__(self, node: str) -> None:
        super().__init__()
        self.node = node


def waiting(
    pods: Iterable[AskingPod],
    world: PendingWorld,
    elsewhere: Collection[str],
    quotas: Iterable[QuotaRefusal] = (),
) -> Waiting:
    found: dict[tuple[str, ...], list[AskingPod]] = defaultdict(list)
    causes: dict[tuple[str, ...], PendingCause] = {}
    verified: list[str] = []
    stranded: list[str] = []
    starved: dict[str, list[str]] = defaultdict(list)
    for some in _alike(pods, world, elsewhere):
        try:
            cause = _cause(some, world)
        except _Verified:
            verified += [each.object for each in some]
        except _Starved as problem:
            starved[problem.node] += [each.object for each in some]
        except _Elsewhere:
            continue
        else:
            if cause.key[0] == "not offered" and cause.more_nodes_help and _is_stranded(some, world):
                stranded += [each.object for each in some]
                continue
            found[cause.key] += some
            besides = _of_more_nodes(cause, some, world)
            causes.setdefault(cause.key, _with(_told_whom(cause, some[0], world), besides, some[0].choice))
    groups = [
        WaitingPods(tuple(sorted(some, key=lambda each: each.object)), causes[key]) for key, some in found.items()
    ]
    return Waiting(tuple(groups), tuple(quotas), tuple(sorted(verified)), starved, stranded=tuple(sorted(stranded)))


def _of_more_nodes(cause: PendingCause, pods: Sequence[AskingPod], world: PendingWorld) -> str:
    """Why no node comes for them: as they are told, else, where others hold what there is, as a log says."""
    told = world.not_growing(pods) or world.in_vain(pods)
    if told or cause.key[0] not in _HELD:
        return told
    return besides_by_its_log(world.starters_say, pods, world.offering(cause.key[1]))


def _is_stranded(pods: Sequence[AskingPod], world: PendingWorld) -> bool:
    """No node has the GPUs, and what is said of the pods themselves tells less than the objects of Karpenter."""
    return world.starts_no_nodes and not world.not_growing(pods)


def _alike(pods: Iterable[AskingPod], world: PendingWorld, elsewhere: Collection[str]) -> Iterable[list[AskingPod]]:
    """The pods in groups that wait for the same, each looked at once. A pod that is gated or new is as it should be."""
    alike: dict[tuple[object, ...], list[AskingPod]] = defaultdict(list)
    for each in pods:
        if each.object not in elsewhere and not each.gates and not _is_new(each, world):
            words = world.words(each)
            key = (each.choice.written, *sorted(each.amounts.items()), each.scheduler, each.never_preempts, words != "")
            alike[*key, *_lacks(each, words)].append(each)
    return alike.values()


def _lacks(pod: AskingPod, words: str) -> Iterator[object]:
    """What else two pods may wait for that ask for the same GPUs: another device, a volume of their own."""
    if INSUFFICIENT in words:
        yield from sorted({why for _, why in reasons(words) if why.startswith(INSUFFICIENT) and "/" in why})
    if any(each in words for each in ELSEWHERE):
        yield pod.namespace, pod.claims
    if NOT_BESIDE in words or NOT_AWAY in words:
        yield str(pod.neighbours)


def _is_new(pod: AskingPod, world: PendingWorld) -> bool:
    """Whether nodes are on their way, or the scheduler has hardly had the time to look."""
    key = (pod.namespace, pod.name)
    coming = moment(world.events.growing.get(key, ""))
    if has_just_begun(coming, world.now, _COMES):
        return True
    if world.has_node_in_view(pod, _COMES):
        return True
    looked = pod.was_looked_at or key in world.events.unplaced
    return not looked and has_just_begun(pod.created, world.now, _LOOKS)


def _cause(pods: Sequence[AskingPod], world: PendingWorld) -> PendingCause:
    pod = pods[0]
    share = next((name for name in pod.amounts if name in resources().shares), None)
    if share is not None and not world.hami.is_there:
        if world.hami.is_missed:
            raise _Elsewhere
        return nobody_shares(share)
    refused = refused_by_hami(pods, world)
    if refused is not None:
        return refused
    asked = {name: amount for name, amount in pod.amounts.items() if holds_a_gpu(name)}
    for resource, amount in sorted(asked.items(), key=lambda each: -each[1]):
        cause = _of_resource(pod, resource, amount, world)
        if cause is not None:
            return cause
    told = list(filter(None, (world.words(each) for each in pods)))
    together = next(filter(is_of_a_gang, told), None)
    if together is not None:
        return gang(pods, together, world)
    words = next(iter(told), "")
    return cause_in_events(pods, words, world) if words else without_words(pod, world)


def _told_whom(cause: PendingCause, pod: AskingPod, world: PendingWorld) -> PendingCause:
    """The cause with the pod's lines that rule nodes out which could run it otherwise."""
    if cause.key[0] not in _OF_NODES:
        return cause
    resource = cause.key[1]
    amount = pod.amounts.get(resource, 0)
    able = [node for node in world.offering(resource) if node.allocatable.get(resource, 0) >= amount]
    barred = [node for node in able if not pod.choice.takes(node.labels, node.name) or pod.choice.kept_away(node)]
    told = cause.key[2] if cause.key[0] == "tainted" else ""
    return replace(cause, draft=cause.draft.with_more(related=shut_out(pod, barred, resource, told)))


def _with(cause: PendingCause, besides: str, choice: NodeChoice) -> PendingCause:
    """The cause with the words of whoever starts nodes, and, where a node would help, with what removes the
    obstacle."""
    draft = cause.draft
    if not besides or draft.is_unknown:
        return cause
    uncounted = uncounted_by_karpenter(besides)
    said = besides.partition(": ")[2]
    is_told = said != "" and said in (draft.cause or "")
    parts = (draft.cause, counts_none(uncounted), "" if is_told else besides, _of_no_pool(besides, choice))
    told = replace(draft, cause="; ".join(filter(None, parts)))
    obstacle = obstacle_in(besides) if cause.more_nodes_help else None
    if obstacle is not None:
        remedy = obstacle.remedy if obstacle.is_final else f"{obstacle.remedy}; or {draft.remedy}"
        told = replace(told, remedy=remedy)
    elif (known := _of_the_cloud(besides)) is not None and cause.more_nodes_help:
        told = replace(
            told, cause=f"{known.why}; {besides}; {draft.cause}", remedy=f"{known.mending}; or {draft.remedy}"
        )
    return replace(cause, draft=told)


def _of_no_pool(besides: str, choice: NodeChoice) -> str:
    """The label that no pool gives its nodes, with the value that the pods ask for, which is not said of it."""
    label = _NO_POOL_HAS.search(besides)
    wanted = dict.fromkeys(choice.selection.wanted(label["name"])) if label is not None else {}
    if label is None or not wanted:
        return ""
    return f"the pods choose nodes by {label['name']}={' or '.join(wanted)}"


def _of_the_cloud(besides: str) -> Evidence | None:
    """What whoever starts nodes passes on of it: no quota, no machines, no rights."""
    found = (each.evidence for each in in_text(besides))
    return next((each for each in found if each.layer == _CLOUD and not each.is_symptom), None)


def _of_resource(pod: AskingPod, resource: str, amount: int, world: PendingWorld) -> PendingCause | None:
    """None where the GPUs are there for it."""
    starving = world.starving(pod, resource, amount)
    if resource not in world.resources and starving not in world.blamed:
        is_claimed = world.by_claims and _NO_CLAIM in world.words(pod)
        return None if is_claimed else taken_out_node(pod, resource, world) or not_offered(resource, world)
    if resource == GPU and not starving and _fits_no_size(pod, amount, world):
        raise _Elsewhere
    chosen = world.chosen(pod.choice, resource)
    if starving and not any(world.has_room(pod.choice, node, resource, amount) for node in chosen):
        raise _Starved(starving)
    if not chosen:
        return taken_out_node(pod, resource, world) or not_chosen(pod, resource, world)
    away = {node.name: taints for node in chosen if (taints := pod.choice.kept_away(node))}
    open_to_it = [node for node in chosen if node.name not in away and node.is_ready]
    large = [node for node in open_to_it if node.allocatable.get(resource, 0) >= amount]
    if any(world.free(node, resource) >= amount for node in large):
        return None
    if not large:
        if any(node.capacity.get(resource, 0) >= amount for node in open_to_it):
            raise _Elsewhere  # unhealthy devices: their count is not complete
        if resource == GPU and any(node.gpus_if_all_counted >= amount for node in open_to_it):
            raise _Elsewhere  # nor is that of a node which counts fewer than its machine has
        return cause_of_taints(resource, amount, chosen, away, world)
    if any(world.without_verification(node, resource) >= amount for node in large):
        raise _Verified
    cause = cause_of_held(pod, (resource, amount), large, _in_the_way(chosen, away), world)
    cordoned = [node for node in chosen if node.name in away and world.free(node, resource) >= amount]
    return with_uncordon(cause, [node for node in cordoned if all(map(is_a_cordon, away[node.name]))])


def _in_the_way(chosen: Sequence[NodeGpus], away: Mapping[str, Sequence[Taint]]) -> Counter[str]:
    """The taints of nodes that it might have taken."""
    return Counter(str(taint) for node in chosen for taint in away.get(node.name, ()))


def _fits_no_size(pod: AskingPod, amount: int, world: PendingWorld) -> bool:
    """Whether no size of node has room, judged as the rule about this does."""
    willing = [size for size in world.sizes if size.may_run(pod.choice.selection)]
    return not any(size.gpus.state.value >= amount for size in willing)  # type: ignore[union-attr]


# Nodes with GPUs that a waiting pod may not take, and the lines of the pod that shut them out.


_SHOWN, _NAMES = 4, 3


@dataclass(frozen=True)
class _Line:
    """One line of a pod, and what the nodes that it shuts out have instead."""

    barrier: Barrier
    pool: str

    def of(self, pod: AskingPod, nodes: Sequence[NodeGpus], resource: str) -> Related:
        count = f"{len(nodes)} nodes" if len(nodes) > 1 else "one node"
        most = max(node.capacity.get(resource, 0) for node in nodes)
        whom = f"pool '{self.pool}' ({count}, up to {most} {resource} each)" if self.pool else _nodes_in_words(nodes)
        instead = f": {self.barrier.instead} there" if self.barrier.instead else ""
        return Related(pod.place.about(self.barrier.path), f"{self.barrier.says} shuts out {whom}{instead}")


def _nodes_in_words(nodes: Sequence[NodeGpus]) -> str:
    first = ", ".join(f"'{node.name}'" for node in nodes[:_NAMES])
    more = f" and {len(nodes) - _NAMES} more" if len(nodes) > _NAMES else ""
    return f"node{'s' if len(nodes) > 1 else ''} {first}{more}"


def shut_out(pod: AskingPod, nodes: Iterable[NodeGpus], resource: str, told: str = "") -> tuple[Related, ...]:
    """The lines that shut nodes out, those with the most nodes first, without the taint that is reported already."""
    found: dict[_Line, list[NodeGpus]] = defaultdict(list)
    for node in nodes:
        for barrier in _barriers(pod, node, told):
            found[_Line(barrier, node.labels.get(POOL, ""))].append(node)
    lines = sorted(found.items(), key=lambda each: (-len(each[1]), each[0].pool, each[0].barrier.path))
    return tuple(line.of(pod, some, resource) for line, some in lines[:_SHOWN])


def _barriers(pod: AskingPod, node: NodeGpus, told: str) -> Iterator[Barrier]:
    yield from pod.choice.barred(node.labels, node.name)
    for taint in pod.choice.kept_away(node):
        if str(taint) != told and not is_state(taint):
            yield Barrier("spec.tolerations", f"the lack of a toleration of {taint}", "")
