"""What cordons and drains a node that auto scaling is about to end: the termination handler, or what AWS tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import SCALING_GROUP, NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
ENDING = "autoscaling:EC2_INSTANCE_TERMINATING"
# Tags by which Kubernetes, EKS and the autoscaler know whose an instance is.
_OF_A_CLUSTER = ("kubernetes.io/cluster/", "k8s.io/", "eks:", "alpha.eksctl.io/", "nodeworthy/", "aws-node-termination")


def hooks(nodes: NodeGroup) -> Sequence[Tree]:
    """The lifecycle hooks at which it waits before an instance of this group ends. They stand in the group itself or
    beside it."""
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
    keys = [each.get("key").string for each in nodes.groups("tags").sequence]
    return any(key.startswith(_OF_A_CLUSTER) for key in keys)


HANDLER = "aws-node-termination-handler"
# The chart's settings by which it drains at auto scaling's hook: told through a queue, or by the node's own metadata.
LISTENING = {
    "enableSqsTerminationDraining": "ENABLE_SQS_TERMINATION_DRAINING",
    "enableASGLifecycleDraining": "ENABLE_ASG_LIFECYCLE_DRAINING",
}
EVENT = "EC2 Instance-terminate Lifecycle Action"
EVENT_RULE = "aws:cloudwatch/eventRule:EventRule"
EVENT_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
QUEUE = "aws:sqs/queue:Queue"
QUEUE_READER = "aws:lambda/eventSourceMapping:EventSourceMapping"


@dataclass(frozen=True, eq=False)
class Handler:
    """The termination handler, as a release of its chart or as plain manifests."""

    title: str
    place: Place
    # Of a release: its values. Of manifests: its variables by name.
    settings: Tree
    elsewhere: str | None = None

    @cached_property
    def listens(self) -> Located[bool]:
        """Whether it hears of auto scaling's hook, which it does only where it is told to."""
        said = [self.settings.get(name) for pair in LISTENING.items() for name in pair]
        if any(str(each.value).lower() == "true" for each in said):
            return Located.known(True, self.place)
        for each in said:
            if isinstance(each.value, Unknown):
                return Located(each.value, each.place)
        if self.elsewhere is not None:
            return Located.unknown(self.elsewhere, self.place)
        return Located.known(False, next((each.place for each in said if not each.is_absent), said[0].place))


@dataclass(frozen=True, eq=False)
class NodeDrainers:
    called: ClassVar[str] = "what drains nodes"
    whole_stack: ClassVar[bool] = True

    stack: AwsStack
    handlers: Sequence[Handler]

    @property
    def place(self) -> Place:
        return self.stack.place

    @cached_property
    def told(self) -> Sequence[AwsResource]:
        """What AWS tells through EventBridge when an instance is about to end: queues, functions."""
        return tuple(self._told())

    def _told(self) -> Iterator[AwsResource]:
        for rule in self.stack.of(EVENT_RULE):
            pattern = rule.get("eventPattern").value
            if isinstance(pattern, Unknown) or EVENT in str(pattern):
                yield from self.stack.pointing_at(rule, "rule", (EVENT_TARGET,))

    @property
    def somebody_acts(self) -> bool:
        return any(map(self._acts, self.told))

    def _acts(self, target: AwsResource) -> bool:
        """Whether what is told does something, which a queue does not: somebody has to read it."""
        queues = self.stack.links(target, "arn", target.get("arn"), QUEUE)
        readers = (self.stack.pointing_at(each, "eventSourceArn", (QUEUE_READER,)) for each in queues.found)
        return not queues.found or any(readers)


def is_handler(chart: Tree) -> bool:
    return chart.text is not None and chart.text.rstrip("/").rsplit("/", 1)[-1] == HANDLER


def variables(container: Tree) -> Tree:
    """The variables of a container as settings by name."""
    named = {str(each.get("name").text): each.get("value") for each in container.get("env").sequence}
    return Tree(named, container.place, container.key)
