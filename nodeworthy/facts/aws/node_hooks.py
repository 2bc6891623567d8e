"""Where auto scaling waits before it ends a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import SCALING_GROUP, NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.verdict import Known, Located, Unknown

HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
ENDING = "autoscaling:EC2_INSTANCE_TERMINATING"
# Tags by which Kubernetes, EKS and the autoscaler know whose an instance is.
_OF_A_CLUSTER = ("kubernetes.io/cluster/", "k8s.io/", "eks:", "alpha.eksctl.io/", "nodeworthy/", "aws-node-termination")


def hooks(nodes: NodeGroup) -> Sequence[Tree]:
    """Those at which it waits before an instance of this group ends, in the group itself or beside it."""
    if nodes.group is None:
        return ()
    beside = [each.inputs for each in nodes.stack.pointing_at(nodes.group, "autoscalingGroupName", (HOOK,))]
    every = [*nodes.groups("initialLifecycleHooks").sequence, *beside]
    return [each for each in every if each.get("lifecycleTransition").text == ENDING]


def unsure_hooks(nodes: NodeGroup) -> Iterator[Located[str]]:
    """What of other hooks is not known, and may make them hooks of this group."""
    inline = nodes.groups("initialLifecycleHooks")
    if inline.is_unknown:
        yield inline.located()
    for each in nodes.stack.of(HOOK):
        transition = each.get("lifecycleTransition")
        if transition.is_unknown:
            yield transition.located()
        elif transition.text == ENDING:
            yield from _perhaps_of(nodes, each)


def _perhaps_of(nodes: NodeGroup, hook: AwsResource) -> Iterator[Located[str]]:
    """What its group's name says, where that may be this group's: a name that was written is no other."""
    said = hook.get("autoscalingGroupName")
    own = nodes.groups("name").text
    for each in nodes.stack.links(hook, "autoscalingGroupName", said, SCALING_GROUP).open:
        if isinstance(said.value, Unknown):
            yield Located.unknown(f"which group {hook.title} belongs to is not known: {said.value.why}", each.place)
        elif own is None:
            yield Located.unknown(
                f"{hook.title} waits at a group '{said.text}', and what that of {nodes.title} is called is not known",
                each.place,
            )


def hooks_of_others(nodes: NodeGroup) -> Sequence[Tree]:
    """The names of other groups, or of none, by which hooks of this stack wait."""
    return [
        each.get("autoscalingGroupName")
        for each in nodes.stack.of(HOOK)
        if each.get("lifecycleTransition").text == ENDING and each.get("autoscalingGroupName").text
    ]


def is_of_a_cluster(nodes: NodeGroup) -> bool:
    """Whether its instances are nodes: a web server has nothing to drain."""
    if nodes.pool is not None or has_gpus(nodes).state == Known(True):
        return True
    keys = [each.get("key").text or "" for each in nodes.groups("tags").sequence]
    return any(key.startswith(_OF_A_CLUSTER) for key in keys)
