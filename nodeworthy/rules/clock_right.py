"""The node's clock is synchronised.

A clock that drifts breaks what nobody suspects: tokens that are not valid yet, certificates, signatures of AWS, leases
of etcd, and the order of the logs of a job over several nodes. chrony is asked where it is there, else systemd, which
tells what the kernel thinks of its own clock.
"""

from __future__ import annotations

from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.disks import NodeClock
from nodeworthy.known.node_limits import clock_seconds
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, unknown

RULE = Rule(
    "clock-right",
    severity=Severity.WARNING,
    title="The clock is synchronised",
    remedy="systemctl enable --now chronyd, and let UDP 123 out (on EC2: 169.254.169.123)",
)


@RULE.check
def something_keeps_it(clock: NodeClock, end: BootEnd) -> Findings:
    if not need(clock.is_kept):
        if not need(end.reached):
            yield unknown(clock, "the clock is not synchronised, and the boot has not ended yet")
            return
        yield fail(clock, "the clock is not synchronised", is_="not synchronised", should="synchronised")
        return
    off = need(clock.off_by)
    if off is not None and off > clock_seconds():
        yield fail(
            clock,
            "the clock is wrong",
            is_=f"{off:g} s off",
            should=f"at most {clock_seconds():g} s off",
            remedy="chronyc makestep sets it at once",
        )
