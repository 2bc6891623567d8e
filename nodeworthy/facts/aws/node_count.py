"""How many nodes a group starts, at least, at most and now: numbers which AWS takes only if they go together."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import MANAGED, NodeGroup
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Findings, Located, Unknown, fail

GROUP = "aws:autoscaling/group:Group"


@dataclass(frozen=True)
class _Size:
    name: str
    tree: Tree

    @property
    def value(self) -> float | None:
        """None where it is not known, or nobody gives it."""
        value = self.tree.value
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None


def refused_size(group: AwsResource) -> Draft | None:
    """The first fault: mended, it may mend the others."""
    return next(_refused(_sizes(group)), None)


def _sizes(group: AwsResource) -> Sequence[_Size]:
    """The least, the most, and how many there are to be."""
    if group.type == GROUP:
        return [_Size(name, group.get(name)) for name in ("minSize", "maxSize", "desiredCapacity")]
    if group.type == MANAGED:
        names = ("minSize", "maxSize", "desiredSize")
        return [_Size(f"scalingConfig.{name}", group.get("scalingConfig", name)) for name in names]
    return ()


def _refused(sizes: Sequence[_Size]) -> Findings:
    known = [(each, value) for each in sizes if (value := each.value) is not None]
    yield from (
        fail(each.tree.located(), f"{each.name} is below zero", should="0, or more")
        for each, value in known
        if value < 0
    )
    order = [sizes[at] for at in (0, 2, 1)] if sizes else []
    for one, other in ((one, other) for at, one in enumerate(order) for other in order[at + 1 :]):
        least, most = one.value, other.value
        if least is None or most is None or least <= most:
            continue
        odd, than = (one, f"more than {other.name}") if one is order[1] else (other, f"less than {one.name}")
        should = f"at most {most:g}" if odd is one else f"at least {least:g}"
        yield fail(odd.tree.located(), f"{odd.name} is {than}", should=should)


POLICIES = ("aws:autoscaling/policy:Policy",)
SCHEDULES = ("aws:autoscaling/schedule:Schedule",)


@dataclass(frozen=True)
class NodeCount:
    min: Located[int | None]
    max: Located[int | None]
    # None where nobody says: then it is the least.
    desired: Located[int | None]


def node_count(nodes: NodeGroup) -> NodeCount:
    if nodes.is_managed:
        names = [nodes.groups("scalingConfig", name) for name in ("minSize", "maxSize", "desiredSize")]
    else:
        names = [nodes.groups(name) for name in ("minSize", "maxSize", "desiredCapacity")]
    return NodeCount(*(_number(nodes, each) for each in names))


def _number(nodes: NodeGroup, tree: Tree) -> Located[int | None]:
    located = tree.located()
    if isinstance(located.state, Unknown):
        why = f"how many nodes {nodes.title} has is not known: {located.state.why}"
        return Located(Unknown(why, located.state.of), located.place)
    if located.state.value is None:
        return located
    written = str(located.state.value).removesuffix(".0")
    if not written.removeprefix("-").isdigit():
        return Located.unknown(f"{located.shown()} is no number of nodes", located.place)
    return Located.known(int(written), located.place)


def unseen_scaling(nodes: NodeGroup) -> list[AwsResource]:
    """Policies and schedules that are there, or may be, and of which nobody could say anything."""
    if nodes.group is None or nodes.is_managed:
        return []
    return [each for each in nodes.stack.of(*POLICIES, *SCHEDULES) if each.inputs.is_unknown]


def what_scales(nodes: NodeGroup) -> list[AwsResource]:
    """What changes the number of nodes by itself: by load, or by the clock."""
    if nodes.group is None or nodes.is_managed:
        return []
    return nodes.stack.pointing_at(nodes.group, "autoscalingGroupName", (*POLICIES, *SCHEDULES))


_PROVIDERS = ("aws:ecs/capacityProvider:CapacityProvider",)
_ITS_GROUP = "autoScalingGroupProvider"
# What the cluster's autoscaler looks for in the groups of an account.
_TO_BE_FOUND = "k8s.io/cluster-autoscaler/enabled"


def capacity_providers(nodes: NodeGroup) -> list[AwsResource]:
    """The capacity providers of ECS that have this group for their machines."""
    if nodes.group is None or nodes.is_managed:
        return []
    return [each for each in nodes.stack.of(*_PROVIDERS) if nodes.group in _machines_of(each, nodes)]


def _machines_of(provider: AwsResource, nodes: NodeGroup) -> Sequence[AwsResource]:
    named = provider.get(_ITS_GROUP, "autoScalingGroupArn")
    return nodes.stack.links(provider, _ITS_GROUP, named, GROUP).found


def is_found_by_autoscaler(nodes: NodeGroup) -> bool:
    tags = nodes.groups("tags")
    return _TO_BE_FOUND in tags.mapping or any(each.get("key").value == _TO_BE_FOUND for each in tags.sequence)
