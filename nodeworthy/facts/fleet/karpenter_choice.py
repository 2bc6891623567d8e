"""Which EC2NodeClass a NodePool takes: the one of the name that it says, in its own cluster.

A cluster has one of a name. A repository may describe several clusters, each with a pool and a class of the same names
in a folder of its own: so a pool and a class belong together where neither has one of that name that lies nearer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True, eq=False)
class ChosenClass:
    """A NodePool, and the EC2NodeClass that it takes."""

    called: ClassVar[str] = "a NodePool of Karpenter's with its EC2NodeClass"

    pool: KarpenterPool
    node_class: KarpenterClass

    @property
    def place(self) -> Place:
        return self.pool.place


@derive
def chosen_classes(pools: Sequence[KarpenterPool], classes: Sequence[KarpenterClass]) -> Iterator[ChosenClass]:
    classes_called: dict[str, list[KarpenterClass]] = defaultdict(list)
    for each in classes:
        classes_called[each.name].append(each)
    # As another cluster may have one: of the same name, and of the same class.
    pools_like: dict[tuple[str, str], list[KarpenterPool]] = defaultdict(list)
    for pool in pools:
        pools_like[pool.name, pool.node_class].append(pool)
    for pool in (each for each in pools if not each.is_of_a_cloud):
        like = pools_like[pool.name, pool.node_class]
        own = [each for each in classes_called[pool.node_class] if _steps(pool, each) == _least(each, like)]
        nearest = [each for each in own if _steps(pool, each) == _least(pool, own)]
        if len(nearest) == 1:
            yield ChosenClass(pool, nearest[0])


def _least(one: KarpenterPool | KarpenterClass, others: Iterable[KarpenterPool | KarpenterClass]) -> int:
    return min(_steps(one, each) for each in others)


def _steps(one: KarpenterPool | KarpenterClass, other: KarpenterPool | KarpenterClass) -> int:
    """From the folder of one to that of the other, up and down; fewer than none within one file."""
    if one.place.path == other.place.path:
        return -1
    here, there = (PurePath(each.place.file).parent.parts for each in (one, other))
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there, strict=False)))
    return len(here) + len(there) - 2 * common


def nodes_of_karpenter(facts: Iterable[object]) -> Iterator[AskedNodes]:
    """The nodes of pools whose class is known, or whose image nobody chooses."""
    pools, chosen = _chosen_in(facts)
    for pool in pools:
        found = chosen.get(id(pool))
        nodes = pool.of_auto_mode or pool.of_aks or (found.nodes(pool) if found is not None else None)
        if nodes is not None:
            yield nodes


def pools_of_any_image(facts: Iterable[object]) -> Iterator[AskedNodes]:
    """Pools whose class lies elsewhere. What their nodes run is not known, and how large they are is."""
    pools, chosen = _chosen_in(facts)
    for pool in pools:
        if id(pool) not in chosen and not pool.is_of_a_cloud:
            why = f"the EC2NodeClass '{pool.node_class}' is not here"
            distribution: Located[str] = Located.unknown(why, pool.place)
            yield AskedNodes(pool.name, "NodePool", pool.place, distribution, "", machines=pool.machines)


def _chosen_in(facts: Iterable[object]) -> tuple[list[KarpenterPool], dict[int, KarpenterClass]]:
    every = list(facts)
    pools = [each for each in every if isinstance(each, KarpenterPool)]
    classes = [each for each in every if isinstance(each, KarpenterClass)]
    return pools, {id(each.pool): each.node_class for each in chosen_classes(pools, classes)}
