"""An instance refresh cordons and drains, and takes no more nodes at a time than the pool can spare.

Auto scaling ends instances; of pods it knows nothing. What drains a node first is a hook at which auto scaling waits
(`EC2_INSTANCE_TERMINATING`) and something that hears of it: the termination handler, in a mode in which it listens
(`enableSqsTerminationDraining` with a queue that EventBridge fills, or `enableASGLifecycleDraining`), or a function of
one's own. A hook for which nothing in this stack acts is unknown, because what acts may be installed by others. EKS
drains the nodes of its managed node groups by itself, unless `force_update_version` has it end those that it can't
drain. A group without an instance refresh replaces nothing, so that
there is nothing to drain.

How many nodes go at once is `minHealthyPercentage`, 90 where nobody says: of a pool below ten nodes that is one at a
time. Less than 90 is right where it means one node, as it must for a pool of a few fixed nodes, and wrong where it
means several. Of a managed node group with GPUs it is `update_config`: one node where nobody says.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_count import node_count
from nodeworthy.facts.aws.node_drainer import NodeDrainers, hooks, hooks_of_others, is_of_a_cluster, unsure_hooks
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "rollout-drains",
    severity=Severity.ERROR,
    incident="D",
    title="An instance refresh cordons and drains, and keeps the capacity the pool promises",
    remedy='aws.autoscaling.LifecycleHook(…, lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING"), and '
    "aws-node-termination-handler with enableSqsTerminationDraining",
    of_a_program=True,
)

CUT = "jobs are cut off in the middle: their node is ended while they run on it"
AT_ONCE = "the work of all of these nodes is moved at once, and others with GPUs are seldom free to take it"
USUAL = 90


@RULE.check
def somebody_drains_first(nodes: NodeGroup, drainers: NodeDrainers) -> Findings:
    refresh = _refresh(nodes)
    waiting = hooks(nodes)
    if not waiting:
        for each in unsure_hooks(nodes):
            need(each)
        others = (Related(each.place, f"this hook waits at the group '{each.text}'") for each in hooks_of_others(nodes))
        yield fail(
            refresh.heading,
            f"an instance refresh of {nodes.title} ends its nodes without draining them: auto scaling waits at no hook",
            is_="no lifecycle hook",
            should="a hook at autoscaling:EC2_INSTANCE_TERMINATING",
            related=[*nodes.declared, *others],
            cause=CUT,
        )
        return
    if any(_leads_somewhere(each) for each in waiting):
        return
    yield from _who_hears(nodes, waiting[0], drainers)


def _refresh(nodes: NodeGroup) -> Tree:
    if nodes.group is None or nodes.is_managed:
        skip("EKS drains it by itself" if nodes.is_managed else "it is in no group that could replace it")
    refresh = nodes.groups("instanceRefresh")
    if refresh.says_nothing:
        skip(f"{nodes.title} has no instance refresh: its nodes stay what they are")
    if not is_of_a_cluster(nodes):
        skip(f"nothing says that {nodes.title} starts nodes of a cluster")
    if refresh.is_unknown:
        need(refresh.located())
    return refresh


def _leads_somewhere(hook: Tree) -> bool:
    target = hook.get("notificationTargetArn")
    return not target.says_nothing


def _who_hears(nodes: NodeGroup, hook: Tree, drainers: NodeDrainers) -> Findings:
    if drainers.handlers or drainers.somebody_acts:
        return
    yield unknown(
        hook,
        f"auto scaling waits before it ends a node of {nodes.title}, and nothing in this stack drains it meanwhile",
        related=nodes.declared,
        remedy="see that something in the cluster does: aws-node-termination-handler with enableSqsTerminationDraining",
    )


@RULE.check
def the_handler_hears_of_it(drainers: NodeDrainers, everywhere: Sequence[NodeGroup]) -> Findings:
    waiting = [nodes for nodes in everywhere if nodes.groups("instanceRefresh").is_mapping and hooks(nodes)]
    if not drainers.handlers or not waiting or drainers.somebody_acts:
        skip("no node of this stack waits for a termination handler of this stack")
    if any(each.listens.state == Known(True) for each in drainers.handlers):
        return
    for each in drainers.handlers:
        need(each.listens)
        yield fail(
            each.listens,
            f"{each.title} does not hear that auto scaling is about to end a node",
            is_="neither enableSqsTerminationDraining nor enableASGLifecycleDraining",
            should="enableSqsTerminationDraining: true, and queueURL",
            on=list(dict.fromkeys(nodes.title for nodes in waiting)),
            related=[one for nodes in waiting for one in nodes.declared],
            cause=CUT,
        )


@RULE.check
def enough_nodes_stay(nodes: NodeGroup) -> Findings:
    refresh = _refresh(nodes)
    said = _least(nodes, refresh).located()
    least = need(said)
    percent = USUAL if least is None or not str(least).isdigit() else int(least)
    if percent >= USUAL:
        return
    wanted = node_count(nodes).desired if need(node_count(nodes).desired) is not None else node_count(nodes).min
    count = need(wanted) or 0
    gone = count - -(-count * percent // 100)
    if gone > 1:
        yield fail(
            said,
            f"an instance refresh of {nodes.title} takes {gone} of {count} nodes at once",
            is_=f"minHealthyPercentage: {percent}",
            should=f"minHealthyPercentage: {100 * (count - 1) // count}, which is one node at a time",
            related=nodes.declared,
            cause="the pool does not have the nodes that it promises while it is renewed",
            remedy=f"min_healthy_percentage={100 * (count - 1) // count}",
        )


@RULE.check
def eks_takes_few_at_once(nodes: NodeGroup) -> Findings:
    _only_managed_gpus(nodes)
    config = nodes.groups("updateConfig")
    number, share = (config.get(name).located() for name in ("maxUnavailable", "maxUnavailablePercentage"))
    said = number if need(number) is not None else share
    if need(said) is None:
        return
    sizes = node_count(nodes)
    count = need(sizes.desired if need(sizes.desired) is not None else sizes.min) or 0
    asked = int(float(str(need(said))))
    gone = min(asked, count) if said is number else count * asked // 100
    if gone > 1 and gone * 100 > count * (100 - USUAL):
        yield fail(
            said,
            f"an update of {nodes.title} takes {gone} of {count} nodes at once",
            is_=f"maxUnavailable: {asked}" if said is number else f"maxUnavailablePercentage: {asked}",
            should=f"maxUnavailable: {max(1, count * (100 - USUAL) // 100)}",
            related=nodes.declared,
            cause=AT_ONCE,
            remedy='update_config={"max_unavailable": 1}, which is what EKS does where nobody says',
        )


@RULE.check
def eks_ends_no_node_by_force(nodes: NodeGroup) -> Findings:
    _only_managed_gpus(nodes)
    forced = nodes.groups("forceUpdateVersion").located()
    if need(forced) is True:
        yield fail(
            forced,
            f"an update of {nodes.title} ends nodes that can't be drained",
            is_="forceUpdateVersion: true",
            should="forceUpdateVersion: false",
            related=nodes.declared,
            cause="a pod that its disruption budget protects is cut off all the same, once EKS has tried to evict it",
            remedy="leave force_update_version out: the update then fails, and says which pod it could not evict",
            severity=Severity.WARNING,
        )


def _only_managed_gpus(nodes: NodeGroup) -> None:
    if not nodes.is_managed:
        skip("it is no managed node group")
    if has_gpus(nodes).state != Known(True):
        skip(f"nothing says that {nodes.title} has GPUs")


def _least(nodes: NodeGroup, refresh: Tree) -> Tree:
    """What the refresh says, else what the group says of all replacements; -1 says nothing."""
    own = refresh.get("preferences", "minHealthyPercentage")
    if not own.says_nothing:
        return own
    general = nodes.groups("instanceMaintenancePolicy", "minHealthyPercentage")
    return own if str(general.value) == "-1" else general
