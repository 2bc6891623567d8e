"""Nodes that are dedicated to profiling, by the labels that they register with or by what the fleet promises."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.boot.hidden_labels import may_be
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.node_selection import Labels
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.operator_parts import PROFILING
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, NotKnown, Place

if TYPE_CHECKING:
    from nodeworthy.boot.effects import Joins

INSTANCE_TYPE = "node.kubernetes.io/instance-type"


@dataclass(frozen=True)
class ProfilingNodes:
    called: ClassVar[str] = f"a node that is dedicated to profiling ({PROFILING[0]}={PROFILING[1]})"
    # Who registers as such, only the boot scripts of all pools say.
    whole_stack: ClassVar[bool] = True
    known_late: ClassVar[bool] = True

    place: Place
    title: str
    labels: Mapping[str, str]
    # Whether it was seen with which labels they register; the fleet alone only promises them.
    registered: bool = True
    # Why the boot script that says so can't be read.
    unread: str | None = None
    # Why they may be other nodes: a template writes their labels.
    doubt: str | None = None

    @property
    def as_labels(self) -> Labels:
        return Labels(self.labels)


@dataclass(frozen=True)
class DeclaredForProfiling:
    """Such nodes, and the fleet's operator: no other values of one were seen beside them."""

    called: ClassVar[str] = "a node that is dedicated to profiling, and the fleet's operator"

    nodes: ProfilingNodes
    operator: OperatorValues

    @property
    def place(self) -> Place:
        return self.nodes.place


def is_dedicated(labels: Mapping[str, str]) -> bool:
    return labels.get(PROFILING[0]) == PROFILING[1]


def profiling_nodes(scripts: Iterable[BootScript], fleet: Fleet | None) -> Iterator[ProfilingNodes]:
    """What scripts register; of pools that promise such nodes and have no script here, the promise."""
    seen: set[str] = set()
    for script in scripts:
        pools = [each.pool.name for each in script.pools]
        if script.read is None or script.userdata.unread:
            yield from _not_read(script, seen)
        seen.update(pools)
        for place, labels in registrations(script):
            if is_dedicated(labels):
                of = f"pool '{pools[0]}'" if len(pools) == 1 else "this boot script"
                yield ProfilingNodes(place, f"the profiling nodes of {of}", labels)
        yield from _hidden(script)
    for pool in fleet.gpu_pools if fleet is not None else ():
        if pool.profiling_dedicated and pool.name not in seen:
            labels = dict((PROFILING,))
            if pool.instance_type is not None and isinstance(pool.instance_type.state, Known):
                labels[INSTANCE_TYPE] = pool.instance_type.state.value
            yield ProfilingNodes(pool.place, f"the profiling nodes of pool '{pool.name}'", labels, registered=False)


def _not_read(script: BootScript, seen: Container[str]) -> Iterator[ProfilingNodes]:
    for pool in (each.pool for each in script.pools):
        if pool.profiling_dedicated and pool.name not in seen:
            title = f"the profiling nodes of pool '{pool.name}'"
            yield ProfilingNodes(script.place, title, dict((PROFILING,)), unread=script.unread)


def _hidden(script: BootScript) -> Iterator[ProfilingNodes]:
    """Nodes of whose labels a template writes one that may be this: where it is named, or the fleet promises such."""
    for join in _joins(script):
        known = dict(join.labels)
        label = may_be(PROFILING[0], join.hidden_labels) if not is_dedicated(known) else None
        promised = any(each.pool.profiling_dedicated for each in script.pools)
        if label is not None and (promised or label.startswith(PROFILING[0])):
            why = f"a template writes {label}"
            title = "the nodes of this boot script"
            yield ProfilingNodes(join.place, title, {**known, PROFILING[0]: PROFILING[1]}, unread=why, doubt=why)


def _joins(script: BootScript) -> list[Joins]:
    """None of a script that can't be read."""
    from nodeworthy.boot.effects import Joins

    try:
        return list(script.timeline.of(Joins))
    except NotKnown:
        return []


def registrations(script: BootScript) -> Iterator[tuple[Place, Mapping[str, str]]]:
    """Each way in which a script joins its node, with the labels."""
    joins = _joins(script)
    # Several NodeConfigs are merged into one.
    told = [each for each in joins if each.tells]
    if told:
        yield told[-1].place, {name: value for each in told for name, value in each.labels}
    yield from ((each.place, dict(each.labels)) for each in joins if not each.tells)
