"""The account's quota carries what runs and one node more.

A node that is replaced needs a place beside the one that it replaces, or comes after it; either way AWS counts vCPUs of
all machines of a family against one quota, the machines of other teams among them. A group that meets it waits in
VcpuLimitExceeded. What runs in a capacity block is not counted. Of a group that takes what it can get, the smallest of
its types has to fit, on demand or spot, as it asks for them.
"""

from __future__ import annotations

from nodeworthy.facts.aws.room import QuotaRoom
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "quota-suffices",
    severity=Severity.WARNING,
    incident="D",
    title="The account's quota carries the pool and one surge node",
    remedy="aws service-quotas request-service-quota-increase --service-code ec2 --quota-code CODE "
    "--desired-value VCPUS",
)


@RULE.check
def one_node_more_fits(room: QuotaRoom) -> Findings:
    quota, used, one_node = need(room.quota), need(room.used), need(room.one_node)
    if used + one_node <= quota:
        return
    yield fail(
        room.quota,
        f"the quota '{room.named}' does not carry one node more of {room.titles}",
        is_=f"{used} of {quota:g} vCPUs run",
        should=f"at least {used + one_node} ({one_node} for one node)",
        related=[one for each in room.nodes for one in each.declared],
        cause="a node can be replaced only after it is gone, and a pool can't grow",
    )
