"""Of which pool of a fleet a resource is: by its tags, the labels of its nodes, its instance type, or its group's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from nodeworthy.facts.aws.node_group import MANAGED, SCALING_GROUP, NodeGroup
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.pools import POOL_LABEL, named_pool
from nodeworthy.facts.boot.script import BootScript, NotInFleet
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known

_GROUPS = (SCALING_GROUP, MANAGED)


@dataclass(frozen=True)
class PoolNames:
    groups: Sequence[NodeGroup]

    def tagged(self, resource: AwsResource) -> str | None:
        return _tagged(resource) or self._tags_of_groups.get(resource.urn)

    def instance_type(self, resource: AwsResource) -> str | None:
        return _only_type(resource) or self._types_of_groups.get(resource.urn)

    @cached_property
    def _tags_of_groups(self) -> Mapping[str, str]:
        """By launch template, the pool that the group which starts its nodes is tagged with."""
        return dict(self._by_template(_tagged))

    @cached_property
    def _types_of_groups(self) -> Mapping[str, str]:
        return dict(self._by_template(_only_type))

    def templates_of(self, kind: str) -> frozenset[str]:
        """The launch templates from which groups of this kind start nodes."""
        return frozenset(template.urn for group, template in self._pairs if group.type == kind)

    @cached_property
    def _pairs(self) -> Sequence[tuple[AwsResource, AwsResource]]:
        return [(each.group, each.template) for each in self.groups if each.group is not None and each.template]

    def _by_template(self, said_by: Callable[[AwsResource], str | None]) -> Iterable[tuple[str, str]]:
        for group, template in self._pairs:
            said = said_by(group)
            if said is not None:
                yield template.urn, said


def _tagged(resource: AwsResource) -> str | None:
    """The pool that tags name, a mapping or the list that auto scaling groups take, or that the labels do which EKS
    gives the nodes of its groups."""
    tags = resource.get("tags")
    named = [each.get("value") for each in tags.sequence if each.get("key").text == POOL_LABEL]
    named += [tags.get(POOL_LABEL)] if tags.is_mapping else []
    named += [each.get("tags", POOL_LABEL) for each in resource.get("tagSpecifications").sequence]
    if resource.type in _GROUPS:
        named.append(resource.get("labels").get(POOL_LABEL))
    return next((each.text for each in named if each.text is not None), None)


def _only_type(resource: AwsResource) -> str | None:
    own = resource.get("instanceType").text
    every = {each.text for each in resource.get("instanceTypes").sequence}
    return own or (every.pop() if len(every) == 1 else None)


def pool_named(names: PoolNames, fleet: Fleet, resource: AwsResource, script: BootScript | None) -> Pool | str:
    """The pool that the tags or the node's own label name, else the only pool of its instance type; or why none."""
    tagged = names.tagged(resource)
    is_readable = script is not None and script.read is not None
    named = tagged or (named_pool(script.timeline) if script is not None and is_readable else None)
    if named is not None:
        found = next((pool for pool in fleet.pools if pool.name == named), None)
        says = "its tags name" if tagged else "its node label names"
        return found or NotInFleet(says, named)
    kind = names.instance_type(resource)
    fitting = [pool for pool in fleet.pools if kind is not None and _type_of(pool) == kind]
    if len(fitting) == 1:
        return fitting[0]
    return f"nothing says which pool it is for: no tag {POOL_LABEL}, and {_how_many(len(fitting), kind)}"


def _type_of(pool: Pool) -> str | None:
    located = pool.instance_type
    return located.state.value if located is not None and isinstance(located.state, Known) else None


def _how_many(count: int, kind: str | None) -> str:
    if kind is None:
        return "its instance type is not known"
    return f"{'no pool is' if not count else f'{count} pools are'} of {kind}"
