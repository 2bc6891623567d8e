"""Whether what Karpenter may start for a NodePool could take a pod: its limits, its taints, its requirements."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.karpenter import OF_POOL, KarpenterPool
from nodeworthy.facts.fleet.node_taint import NodeTaint, untolerated_taint
from nodeworthy.facts.pod.containers import GPU, NotAQuantity, quantity, whole
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.instances import cpus_of, gpus_of, least_gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, need

if TYPE_CHECKING:
    from fractions import Fraction

# Labels that GPU feature discovery sets, and node feature discovery of NVIDIA's cards.
_DISCOVERED = (
    "nvidia.com/gpu.",
    "nvidia.com/cuda.",
    "nvidia.com/mig.",
    "nvidia.com/mig-",
    "feature.node.kubernetes.io/pci-10de",
    "feature.node.kubernetes.io/pci-0302_10de",
    "feature.node.kubernetes.io/pci-0300_10de",
)


@dataclass(frozen=True)
class NodePools:
    """The NodePools of one scope that have GPUs."""

    called: ClassVar[str] = "NodePools of Karpenter's with GPUs"

    pools: tuple[KarpenterPool, ...]
    # Somebody else is asked for nodes with GPUs, too.
    beside_others: bool

    @property
    def place(self) -> Place:
        return self.pools[0].place

    def meant_for(self, pod: PodTemplate) -> tuple[KarpenterPool, ...]:
        """The pools that a pod names. A pod that asks for GPUs, and chooses by no label which these pools lack, gets
        those in its own folder where all pools lie there and nobody else is asked for nodes with GPUs."""
        named = tuple(each for each in self.pools if each.name in set(pod.selection.wanted(OF_POOL)))
        if named or self.beside_others or GPU not in pod.gpu_resources or not self._tell(pod.selection.labels):
            return named
        folders = {posixpath.dirname(place.file) for place in (pod.place, *(each.place for each in self.pools))}
        return self.pools if len(folders) == 1 else ()

    def discovered_label(self, pod: PodTemplate) -> str | None:
        """A label that a pod with GPUs chooses nodes by, that no pool here promises, and that feature discovery sets on
        a node which is there: by it no node is ever started. None where others may have such nodes."""
        if self.beside_others or GPU not in pod.gpu_resources or pod.elsewhere or pod.selection.why_hidden:
            return None
        if len({posixpath.dirname(place.file) for place in (pod.place, *(each.place for each in self.pools))}) > 1:
            return None
        asked = (each for each in pod.selection.labels if each.startswith(_DISCOVERED) and not self._tell((each,)))
        return next((each for each in asked if pod.selection.refuses(each, None)), None)

    def _tell(self, labels: Iterable[str]) -> bool:
        """Whether each of them is one that a pool says its nodes have: other nodes have others."""
        told = {label for each in self.pools for label in (*each.machines.labels, *_values(each))}
        return told.issuperset(labels)


@derive
def node_pools(pools: Sequence[KarpenterPool], asked: Sequence[AskedNodes] | None) -> Iterator[NodePools]:
    others = any(each.noun != "NodePool" for each in asked or ())
    yield NodePools(tuple(pools), others)


_TYPE = "node.kubernetes.io/instance-type"
_FAMILY, _GPU_COUNT = "karpenter.k8s.aws/instance-family", "karpenter.k8s.aws/instance-gpu-count"


def least_gpus(pool: KarpenterPool) -> tuple[int, str] | None:
    """How many GPUs the smallest type of a pool has, and which type that is. Where the pool names no types, their
    family and their count may say it. None where neither does."""
    types = [str(each.state.value) for each in pool.machines.types if isinstance(each.state, Known)]
    named = next((values for key, operator, values in pool.requirements if key == _TYPE and operator == "In"), ())
    known = [found for each in types if (found := gpus_of(each)) is not None]
    if not known or not (len(named) == len(types) == len(known)):
        return max(_bounds(pool), default=None)
    smallest = min(known, key=lambda each: each.count)
    return smallest.count, smallest.type


def _bounds(pool: KarpenterPool) -> Iterator[tuple[int, str]]:
    """What no type of it has fewer GPUs than, each by one requirement: all of them hold."""
    may = _values(pool)
    counts = [int(each) for each in may.get(_GPU_COUNT, ()) if each.isdecimal()]
    if counts and len(counts) == len(may[_GPU_COUNT]):
        yield min(counts), f"each type with {_GPU_COUNT} {' or '.join(may[_GPU_COUNT])}"
    least = [least_gpus_of(each) for each in may.get(_FAMILY, ())]
    known = [each for each in least if each is not None]
    if known and len(known) == len(least):
        yield min(known), f"the smallest type of {' or '.join(may[_FAMILY])}"


def least_cpus(pool: KarpenterPool) -> tuple[int, str] | None:
    """How many CPUs the smallest type of a pool has that names its types, and which type that is. None where one of
    them is not known."""
    named = next((values for key, operator, values in pool.requirements if key == _TYPE and operator == "In"), ())
    cpus = [(count, each.string) for each in named if (count := cpus_of(each.string)) is not None]
    return min(cpus) if cpus and len(cpus) == len(named) else None


def cpu_limit(pool: KarpenterPool) -> Located[Fraction | None]:
    """None where it sets none."""
    limit = pool.tree.get("spec", "limits", "cpu")
    if limit.is_absent:
        return Located(Known(None), pool.place, written=False)
    written = need(limit.located())
    try:
        return Located.known(quantity(written), limit.place.about("spec.limits.cpu"))
    except NotAQuantity:
        return Located.unknown(f"spec.limits of cpu is no amount: {written}", limit.place)


def gpu_limit(pool: KarpenterPool) -> Located[int | None]:
    """None where it sets none."""
    limit = pool.tree.get("spec", "limits", GPU)
    if limit.is_absent:
        return Located(Known(None), pool.place, written=False)
    written = need(limit.located())
    try:
        return Located.known(whole(written), limit.place.about(f"spec.limits.{GPU}"))
    except NotAQuantity as why:
        return Located.unknown(f"spec.limits of {GPU} {why}: {written}", limit.place)


def keeps_away(pool: KarpenterPool, pod: PodTemplate) -> NodeTaint | None:
    """The taint of its nodes that the pod does not tolerate."""
    for taint in pool.taints("taints"):
        need(taint.located())
    return untolerated_taint(pool.machines.taints, pod.spec.get("tolerations"), pod.gpu_resources)


def contradictions(pool: KarpenterPool, pod: PodTemplate) -> Iterator[tuple[str, str, str]]:
    """Each label that the pod's nodeSelector wants otherwise than the pool's nodes can have it: which, what it wants,
    what they may have."""
    may = _values(pool)
    own = pool.machines.labels
    for label, chosen in pod.selection.selector.items():
        if label == OF_POOL or not isinstance(chosen.state, Known):
            continue
        wanted = str(chosen.state.value)
        if label in own:
            if isinstance(own[label].state, Known) and own[label].shown() != wanted:
                yield label, wanted, own[label].shown()
        elif label in may and wanted not in may[label]:
            yield label, wanted, " or ".join(may[label])


def _values(pool: KarpenterPool) -> Mapping[str, tuple[str, ...]]:
    """The values that its requirements leave, of labels of which they name all."""
    return {
        key: tuple(each.string for each in values)
        for key, operator, values in pool.requirements
        if operator == "In" and values
    }
