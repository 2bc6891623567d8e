"""How many nodes for profiling a pool promises, and how many of its nodes there are or will be that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import INSTANCES, MANAGED, NodeGroup
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.facts.profiling.nodes import is_dedicated, registrations
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True)
class Dedicated:
    """Nodes that are started or counted together."""

    title: str
    place: Place
    count: Located[int]
    # Whether they are for profiling.
    dedicated: Located[bool]


@dataclass(frozen=True)
class ProfilingPromise:
    called: ClassVar[str] = "a pool that promises nodes for profiling"
    whole_stack: ClassVar[bool] = True
    # Of a plan, boot scripts say which nodes register as such.
    known_late: ClassVar[bool] = True

    title: str
    place: Place
    promised: int
    nodes: tuple[Dedicated, ...]
    # Nodes that exist, by which a promise is kept; in a plan, groups that start them.
    exist: bool = False


@derive
def promises_of_plan(
    planned: PlannedFleet, groups: Sequence[NodeGroup], scripts: Sequence[BootScript]
) -> Iterator[ProfilingPromise]:
    by_urn = {script.holder: script for script in scripts}
    for pool in _promising(planned.fleet):
        if pool.provision:
            own = tuple(_group(each, by_urn) for each in groups if each.pool is pool)
            yield ProfilingPromise(f"pool '{pool.name}'", pool.place, pool.profiling_dedicated, own)


def promises_of_cluster(nodes: Iterable[ClusterNode], fleet: Fleet) -> Iterator[ProfilingPromise]:
    seen = list(nodes)
    for pool in _promising(fleet):
        own = tuple(found for node in seen if (found := _node(node, pool, fleet)) is not None)
        yield ProfilingPromise(f"pool '{pool.name}'", pool.place, pool.profiling_dedicated, own, exist=True)


def _promising(fleet: Fleet) -> Iterator[Pool]:
    yield from (pool for pool in fleet.gpu_pools if pool.profiling_dedicated)


def _node(node: ClusterNode, pool: Pool, fleet: Fleet) -> Dedicated | None:
    member = pool_of(node, fleet.gpu_pools)
    one = Located(Known(1), node.place)
    if member.pool is pool:
        return Dedicated(node.title, node.place, one, Located(Known(is_dedicated(node.labels)), node.place))
    if member.pool is not None or not is_dedicated(node.labels):
        return None
    why = f"{node.title} is dedicated to profiling, and {member.why}"
    return Dedicated(node.title, node.place, one, Located.unknown(why, node.place))


def _group(group: NodeGroup, scripts: dict[str, BootScript]) -> Dedicated:
    return Dedicated(group.resource.title, group.place, _count(group), _is_for_profiling(group, scripts))


def _is_for_profiling(group: NodeGroup, scripts: dict[str, BootScript]) -> Located[bool]:
    if group.group is not None and group.group.type == MANAGED:
        labels = group.group.get("labels")
        told = {name: value.text for name, value in labels.mapping.items() if value.text is not None}
        if labels.is_unknown:
            return Located.unknown(f"the labels of {group.resource.title} are not known", labels.place)
        if is_dedicated(told):
            return Located(Known(True), labels.place)
    script = scripts.get(group.template.urn) if group.template is not None else None
    if script is None:
        return Located(Known(False), group.place)
    if script.read is None or script.userdata.unread:
        return Located.unknown(f"with which labels its nodes register is not known: {script.unread}", script.place)
    return Located(Known(any(is_dedicated(labels) for _, labels in registrations(script))), script.place)


def _count(group: NodeGroup) -> Located[int]:
    if group.group is None:
        return Located(Known(int(group.resource.type in INSTANCES)), group.place)
    for path in (("desiredCapacity",), ("scalingConfig", "desiredSize"), ("minSize",), ("scalingConfig", "minSize")):
        said = group.group.get(*path)
        if said.is_unknown:
            return Located.unknown(f"how many nodes {group.resource.title} starts is not known", said.place)
        if not said.says_nothing:
            return Located(Known(_whole(said)), said.place)
    return Located(Known(0), group.place)


def _whole(said: Tree) -> int:
    return int(said.value) if isinstance(said.value, (int, float)) else 0
