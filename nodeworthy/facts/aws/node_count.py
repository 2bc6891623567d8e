"""How many nodes a group starts, at least, at most and now."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Unknown

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


def what_scales(nodes: NodeGroup) -> list[AwsResource]:
    """What changes the number of nodes by itself: by load, or by the clock."""
    if nodes.group is None or nodes.is_managed:
        return []
    return nodes.stack.pointing_at(nodes.group, "autoscalingGroupName", (*POLICIES, *SCHEDULES))
