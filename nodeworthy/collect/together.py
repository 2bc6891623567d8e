"""Facts that only several others together make: who is for profiling, and which device plugins are for one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nodeworthy.engine import Fact
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet

if TYPE_CHECKING:
    from nodeworthy.facts.aws.node_group import NodeGroup

_OF_PLATFORM = frozenset(("DatabaseServer", "MonitoringStack", "PodTemplate"))
_OF_HAMI = frozenset(("HamiValues", "HamiNodeConfigs", "PodTemplate"))


def put_together(facts: Sequence[Fact], fleet: Fleet | None, *, by_declaration: bool = False) -> Iterator[Fact]:
    """Of the facts of one scene. By declaration, the fleet's operator is there where no values say otherwise. Imported
    only where there is anything to put together."""
    operator = _declared(facts, fleet) if by_declaration and fleet is not None else None
    yield from _of_gpus(facts, fleet, operator)
    yield from _of_platform(facts, fleet)
    yield from _of_hami(facts, fleet)


def _of_gpus(facts: Sequence[Fact], fleet: Fleet | None, operator: OperatorValues | None) -> Iterator[Fact]:
    scripts = [fact for fact in facts if isinstance(fact, BootScript)]
    if scripts:
        from nodeworthy.facts.boot.gaps import not_followed
        from nodeworthy.facts.profiling.asked import profiling_asked

        yield from profiling_asked(facts)
        yield from not_followed(scripts)
    if scripts or fleet is not None:
        from nodeworthy.facts.profiling.nodes import DeclaredForProfiling, profiling_nodes

        for nodes in profiling_nodes(scripts, fleet):
            yield nodes
            if operator is not None and nodes.registered:
                yield DeclaredForProfiling(nodes, operator)
    if any(type(fact).__name__ in ("DaemonSetManifest", "OperatorValues", "HamiValues") for fact in facts):
        from nodeworthy.facts.operator.device_plugins import device_plugins

        yield from device_plugins([*([operator] if operator is not None else []), *facts], fleet)


def pools_of(fleet: Fleet, facts: Sequence[Fact], groups: Sequence[NodeGroup] = ()) -> list[GpuPool]:
    """The fleet's GPU pools, with what the scripts that boot them, and what starts them, say of their nodes."""
    scripts = [fact for fact in facts if isinstance(fact, BootScript)]
    if not scripts and not groups:
        return gpu_pools(fleet)
    from nodeworthy.facts.boot.pool_drivers import with_drivers
    from nodeworthy.facts.boot.runtime import with_pinned_containerd

    pools = with_pinned_containerd(gpu_pools(fleet), scripts)
    if not groups:
        return with_drivers(pools, fleet, scripts, {}, {})
    from nodeworthy.facts.aws.image import images_of, labels_of

    return with_drivers(pools, fleet, scripts, images_of(groups), labels_of(groups))


def _of_platform(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    if fleet is not None or any(type(fact).__name__ in _OF_PLATFORM for fact in facts):
        from nodeworthy.facts.fleet.asked_for import asked_for
        from nodeworthy.facts.services.monitoring_stack import scraping
        from nodeworthy.facts.services.queue_database import queue_databases

        yield from asked_for(fleet)
        yield from scraping(facts)
        yield from queue_databases(facts)


def _of_hami(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    asked = fleet is not None and fleet.hami is not None
    if asked or any(type(fact).__name__ in _OF_HAMI for fact in facts):
        from nodeworthy.facts.hami.together import hami_facts

        yield from hami_facts(facts, fleet)


def _declared(facts: Sequence[Fact], fleet: Fleet) -> OperatorValues | None:
    given = any(isinstance(fact, OperatorValues) for fact in facts)
    return None if given else operator_of_fleet(fleet)
