"""How many GPUs one node of a kind has: a pool of the fleet, or nodes of a cluster that are alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.cluster.node_labels import INSTANCE_TYPES, POOL, PRODUCT, gpu_of_product, gpus_if_all_counted
from nodeworthy.facts.fleet.gpu_pool import GpuPool, workers_of
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.gpus import gpu_named
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, Placed, value_if_known

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.node import ClusterNode
    from nodeworthy.facts.pod.node_choice import Selection


@dataclass(frozen=True)
class NodeSize:
    called: ClassVar[str] = "a pool of GPU nodes (no fleet was given)"
    asked: ClassVar[tuple[str, ...]] = ("GPU",)

    name: str
    place: Place
    gpus: Located[int]
    # The GPU's canonical name.
    gpu: str | None = None
    # The labels that are sure.
    labels: Mapping[str, str] = field(default_factory=dict)
    noun: str = "pool"
    # Why the count that pods ask for is another than that of its GPUs.
    shared: str | None = None
    # Nobody declares it: there may be others that nothing here shows.
    is_inferred: bool = False
    # A root of Terraform in another folder makes them, of which these are the variables' defaults, perhaps.
    is_of_a_root: bool = False

    @property
    def title(self) -> str:
        return f"{self.noun} '{self.name}'"

    def may_run(self, selection: Selection) -> bool:
        """Whether a pod that chooses so may come here; what is not known of either does not keep it away."""
        if any(selection.refuses(label, value) for label, value in self.labels.items()):
            return False
        wanted = [gpu_of_product(product) for product in selection.wanted(PRODUCT)]
        if not wanted or self.gpu is None or None in wanted:
            return True
        return self.gpu in wanted


@derive
def sizes_of_fleet(fleet: Fleet) -> Iterator[NodeSize]:
    for pool in fleet.gpu_pools:
        kind = value_if_known(pool.instance_type)
        labels = {POOL: pool.name, **(dict.fromkeys(INSTANCE_TYPES, kind) if kind else {})}
        yield NodeSize(
            pool.name, pool.place, pool.gpus_per_node, value_if_known(pool.gpu), labels, shared=_shared(fleet, pool)
        )


def _shared(fleet: Fleet, pool: Pool) -> str | None:
    if fleet.hami is not None:
        return f"HAMi shares the GPUs of {pool.name}, and its nodes have as many as it makes of them"
    plugin = fleet.operator.values.get("devicePlugin", "config") if fleet.operator is not None else None
    if plugin is not None and (plugin.is_mapping or plugin.is_unknown):
        return f"the device plugin has a config of its own, and may share the GPUs of {pool.name}"
    return None


def sizes_of_pools(pools: Sequence[GpuPool], *, in_any: bool = False) -> list[NodeSize]:
    """The sizes of pools that follow from evidence; none where one has nodes of unknown size, or where the pools are of
    several clusters, unless those of any of them count."""
    pools = workers_of(pools)
    largest = [each.machines.largest for each in pools]
    clusters = {each.cluster.shown() for each in pools if each.cluster is not None}
    if (len(clusters) > 1 and not in_any) or any(each is None or not isinstance(each.state, Known) for each in largest):
        return []
    return [
        NodeSize(pool.name, pool.place, size, _gpu(pool), _labels(pool), noun=pool.noun, is_inferred=True)
        for pool, size in zip(pools, largest, strict=True)
        if size is not None
    ]


def sizes_unless_shared(pools: Sequence[GpuPool], facts: Iterable[Placed], *, in_any: bool = False) -> list[NodeSize]:
    """None where something shares GPUs: then nodes may offer more of them than they have."""
    from nodeworthy.facts.hami.values import HamiValues
    from nodeworthy.facts.operator.sharing import SharingConfig
    from nodeworthy.facts.operator.values import OperatorValues

    for each in facts:
        if isinstance(each, (HamiValues, SharingConfig)):
            return []
        if isinstance(each, OperatorValues) and not each.tree.get("devicePlugin", "config").is_absent:
            return []
    return sizes_of_pools(pools, in_any=in_any)


def _gpu(pool: GpuPool) -> str | None:
    machines = pool.machines
    gpus = {machines.gpu.shown()} if machines.gpu is not None else {*machines.gpus_told()}
    named = gpu_named(gpus.pop()) if len(gpus) == 1 else None
    return named.name if named is not None else None


def _labels(pool: GpuPool) -> dict[str, str]:
    kind = value_if_known(pool.machines.type)
    every = {**pool.machines.given, **pool.machines.labels}
    own = {name: said for name, each in every.items() if (said := value_if_known(each)) is not None}
    return {**own, **(dict.fromkeys(INSTANCE_TYPES, kind) if kind else {})}


def sizes_of_nodes(nodes: Iterable[ClusterNode]) -> list[NodeSize]:
    """Nodes that are alike stand for each other: what counts is how many GPUs they say they have."""
    alike: dict[tuple[object, ...], NodeSize] = {}
    for node in nodes:
        names = (*INSTANCE_TYPES, POOL, PRODUCT)
        labels = {name: node.labels[name] for name in names if name in node.labels}
        count = gpus_if_all_counted(node.labels, node.gpus)
        key = (count, node.gpu, *sorted(labels.items()))
        if key not in alike and count:
            gpus = Located.known(count, node.place)
            alike[key] = NodeSize(node.name, node.place, gpus, node.gpu, labels, noun="node")
    return list(alike.values())
