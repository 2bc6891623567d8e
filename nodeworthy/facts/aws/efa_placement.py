"""Nodes with EFA that nobody keeps close together."""

from __future__ import annotations

from nodeworthy.facts.aws.node_count import node_count
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.verdict import Findings, fail, need


def none_near(nodes: NodeGroup, slow: str) -> Findings:
    count = node_count(nodes)
    if need(count.max) in (0, 1) and (nodes.pool is None or nodes.pool.nodes <= 1):
        return
    yield fail(
        nodes,
        f"nodes of {nodes.title} have EFA and may stand anywhere in their zone",
        is_="no placement group",
        should="a placement group with strategy `cluster`",
        related=nodes.declared,
        cause=slow,
        remedy='aws.ec2.PlacementGroup(…, strategy="cluster"), and placement={"group_name": …} in the launch template',
    )
