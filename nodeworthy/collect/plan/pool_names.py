"""What says of which pool a planned resource is: its tags, the labels of its nodes, its instance type, or those of the
group that starts its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from nodeworthy.collect.plan.plan import Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.pools import POOL_LABEL
from nodeworthy.records import dataclass

MANAGED = "aws:eks/nodeGroup:NodeGroup"
_GROUPS = ("aws:autoscaling/group:Group", MANAGED)
_SaidBy = Callable[[Resource, Planter], str | None]
_TEMPLATES = ("launchTemplate", "mixedInstancesPolicy", "launchConfiguration")


@dataclass(frozen=True)
class PoolNames:
    resources: Sequence[Resource]

    def tagged(self, resource: Resource, planter: Planter) -> str | None:
        return _tagged(resource, planter) or self._tags_of_groups.get(resource.urn)

    def instance_type(self, resource: Resource, planter: Planter) -> str | None:
        return _only_type(resource, planter) or self._types_of_groups.get(resource.urn)

    @cached_property
    def _tags_of_groups(self) -> Mapping[str, str]:
        """By launch template, the pool that the group which starts its nodes is tagged with."""
        return dict(self._by_template(_tagged))

    @cached_property
    def _types_of_groups(self) -> Mapping[str, str]:
        return dict(self._by_template(_only_type))

    def templates_of(self, kind: str) -> frozenset[str]:
        """The launch templates from which groups of this kind start nodes."""
        return frozenset(urn for group in self.resources if group.type == kind for urn in _started_from(group))

    def _by_template(self, said_by: _SaidBy) -> Iterable[tuple[str, str]]:
        for group in (each for each in self.resources if each.type in _GROUPS):
            said = said_by(group, Planter(group.place))
            if said is not None:
                yield from ((urn, said) for urn in _started_from(group))


def _started_from(group: Resource) -> Iterable[str]:
    return (urn for name in _TEMPLATES for urn in group.property_dependencies.get(name, ()))


def _tagged(resource: Resource, planter: Planter) -> str | None:
    """The pool that tags name, a mapping or the list that auto scaling groups take, or that the labels do which EKS
    gives the nodes of its groups."""
    tags = _input(resource, planter, "tags")
    named = [each.get("value") for each in tags.sequence if each.get("key").text == POOL_LABEL]
    named += [tags.get(POOL_LABEL)] if tags.is_mapping else []
    named += [each.get("tags", POOL_LABEL) for each in _input(resource, planter, "tagSpecifications").sequence]
    if resource.type in _GROUPS:
        named.append(_input(resource, planter, "labels").get(POOL_LABEL))
    return next((each.text for each in named if each.text is not None), None)


def _only_type(resource: Resource, planter: Planter) -> str | None:
    own = _input(resource, planter, "instanceType").text
    every = {each.text for each in _input(resource, planter, "instanceTypes").sequence}
    return own or (every.pop() if len(every) == 1 else None)


def _input(resource: Resource, planter: Planter, name: str) -> Tree:
    return planter.tree(resource.inputs.get(name), name)
