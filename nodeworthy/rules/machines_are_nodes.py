"""Each machine that is in service is a node of its cluster, and each node has its machine.

Auto scaling is content with a machine that runs: that it never joined, EC2 does not see, and what waits for a node
waits beside one that costs as much as the others. A node whose machine is gone is the other way round: pods on it stay
in Terminating, and its volumes are not let go.

The cluster is the one of `--kubernetes`. A machine has twenty minutes to join.
"""

from __future__ import annotations

from nodeworthy.facts.aws.joined import JoinedMachines, NodeOfMachine
from nodeworthy.facts.aws.node_drainer import is_of_a_cluster
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip

RULE = Rule(
    "machines-are-nodes",
    severity=Severity.ERROR,
    title="A machine in service is a node, and a node has its machine",
    remedy="nodeworthy node ssm://ID tells why it did not join; "
    "`aws ec2 get-console-output --latest --instance-id ID`, how far it came",
)


@RULE.check
def machines_have_joined(machines: JoinedMachines) -> Findings:
    nodes = machines.nodes
    if not is_of_a_cluster(nodes) and not nodes.is_managed and not nodes.joins:
        skip(f"nothing says that {nodes.title} starts nodes of a cluster")
    if not machines.in_service:
        skip(f"no machine of {nodes.title} is in service")
    missing = machines.missing(need(machines.joined))
    if missing:
        yield fail(
            machines,
            f"{len(missing)} of {len(machines.in_service)} machines that {nodes.title} has in service "
            f"{'is no node' if len(missing) == 1 else 'are no nodes'} of the cluster",
            is_=f"no node is {', '.join(missing[:3])}{f' or {len(missing) - 3} more' if len(missing) > 3 else ''}",
            should="a node for each machine",
            related=nodes.declared,
            cause="they run and are paid for, and nothing can be placed on them",
            victims=missing,
            remedy=RULE.remedy.replace("ID", missing[0]),
        )


@RULE.check
def its_machine_runs(one: NodeOfMachine) -> Findings:
    if not need(one.runs):
        yield fail(
            one,
            f"{one.node.name} is a node of the cluster, and its machine does not run",
            is_=f"{one.node.machine} is gone or stopped",
            should="a machine that runs, or no such node",
            cause="pods on it stay in Terminating, and their volumes are not let go",
            remedy=f"where it does not come back: kubectl delete node {one.node.name}",
        )
