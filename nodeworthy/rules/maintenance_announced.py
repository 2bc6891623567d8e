"""AWS announces no maintenance of a node, and finds none impaired.

AWS says days before that it will stop, reboot or retire a machine, to an address that seldom is that of those who
run jobs on it. A node that is drained in time loses nothing. A machine whose status checks fail is not one that auto
scaling replaces at once, nor one that Kubernetes need know of.
"""

from __future__ import annotations

from collections import defaultdict

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.ends import AnnouncedEvents
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "maintenance-announced",
    severity=Severity.WARNING,
    title="AWS announces no maintenance of a node, and finds none impaired",
    remedy="drain the node and have it replaced before then; for a reboot, drain it and reboot it yourself",
)

# AWS leaves what is over in its list.
_OVER = ("[Completed]", "[Canceled]")
_CHECKS = {
    "SystemStatus": "its hardware or network",
    "InstanceStatus": "its own system",
    "AttachedEbsStatus": "the disks that are attached to it",
}


@RULE.check
def nothing_is_announced(announced: AnnouncedEvents) -> Findings:
    for each in need(announced.statuses):
        for event in each.get("Events").sequence:
            says = event.get("Description").string
            if says.startswith(_OVER):
                continue
            when = event.get("NotBefore").text or "at a time that AWS does not say"
            yield fail(
                each,
                f"AWS announces {event.get('Code').text} of a node of {announced.nodes.title}",
                is_=f"{says}, not before {when}" if says else f"not before {when}",
                should="no such event",
                related=announced.nodes.declared,
                cause="what runs on the node then is cut off",
                victims=[each.get("InstanceId").string],
            )


@RULE.check
def none_is_impaired(announced: AnnouncedEvents) -> Findings:
    impaired: dict[str, list[Tree]] = defaultdict(list)
    for each in need(announced.statuses):
        for name, called in _CHECKS.items():
            if each.get(name, "Status").text == "impaired":
                impaired[called].append(each)
    for called, some in impaired.items():
        yield fail(
            some[0],
            f"EC2's status checks of {called} fail for {len(some)} of the nodes of {announced.nodes.title}",
            is_="impaired",
            should="ok",
            related=announced.nodes.declared,
            cause="jobs on it hang or fail",
            victims=[each.get("InstanceId").string for each in some],
        )
