"""What pods are judged by, besides themselves: the classes that there are, and the nodes of the fleet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nodeworthy.engine import Fact, Missing

if TYPE_CHECKING:
    from nodeworthy.fleet.model import Fleet

# The facts that ask for it; by name, for they are imported only where there are any.
_ASKING = frozenset(("PodTemplate", "RuntimeClass"))


def beside_pods(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    """Nothing where no fact would ask for it."""
    if _ASKING.isdisjoint(type(each).__name__ for each in facts):
        return
    from nodeworthy.facts.cluster.classes import classes_of
    from nodeworthy.facts.fleet.node_size import sizes_of_fleet

    classes = classes_of(facts, fleet)
    if classes is not None and any(type(each).__name__ == "NodeFiles" for each in facts):
        from nodeworthy.facts.containerd.configured_handlers import configured_handlers

        classes = replace(classes, configured=tuple(configured_handlers(facts)))
    if classes is not None:
        yield classes
    if fleet is not None:
        yield from sizes_of_fleet(fleet)


def missing_beside_pods(facts: Sequence[Fact], why: str) -> Mapping[type[Any], Missing]:
    """Why there are no nodes to fit, where pods would have to."""
    if _ASKING.isdisjoint(type(each).__name__ for each in facts):
        return {}
    from nodeworthy.facts.fleet.node_size import NodeSize

    return {NodeSize: Missing(why)}
