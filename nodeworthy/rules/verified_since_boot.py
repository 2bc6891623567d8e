"""A node that is marked as verified has not booted since.

The mark says that somebody looked at the node and found it fit. A reboot takes with it what was only running: a fabric
manager that is not enabled, a module that was loaded by hand, a firewall that is set up anew. What was found then is
not known of now, and the mark still lets work onto it.
"""

from __future__ import annotations

from nodeworthy.facts.aws.joined import NodeOfMachine
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, skip, unknown

RULE = Rule(
    "verified-since-boot",
    severity=Severity.WARNING,
    title="A node that is marked as verified has not booted since",
    remedy="nodeworthy node node://NODE --taint looks at it again, and marks it anew",
)


@RULE.check
def it_is_the_same_boot(one: NodeOfMachine) -> Findings:
    node = one.node
    if not node.verified:
        skip(f"{node.name} is not marked as verified")
    if not node.boot or not node.verified_boot:
        yield unknown(one, f"in which boot {node.name} was verified is not known: it is marked without it")
    elif node.boot != node.verified_boot:
        yield fail(
            one,
            f"{node.name} is marked as verified, and has booted since",
            is_=f"boot {node.boot}",
            should=f"boot {node.verified_boot}, which was verified at {node.verified}",
            cause="what a boot changes, nobody has looked at",
            remedy=RULE.remedy.replace("NODE", node.name),
        )
