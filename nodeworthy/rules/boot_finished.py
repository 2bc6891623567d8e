"""The boot has ended well: no step of cloud-init failed, and no unit of systemd.

A boot script that fails leaves a machine that looks like a node: ssh answers, often kubelet too, and what stood behind
the failing line is not there. cloud-init keeps what failed (`/run/cloud-init/status.json`), and the shell's own words
in `/var/log/cloud-init-output.log` name the line. Until the boot has ended nothing can be said. Units that other rules
judge (kubelet, fabric manager) are left to them.
"""

from __future__ import annotations

from nodeworthy.facts.node.boot import BootEnd, NodeBoot, boot_drafts
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity

RULE = Rule(
    "boot-finished",
    severity=Severity.ERROR,
    incident="D",
    title="The boot has ended well, and no unit has failed",
    remedy="read /var/log/cloud-init-output.log and systemctl --failed",
)


@RULE.check
def no_step_and_no_unit_failed(boot: NodeBoot, end: BootEnd) -> Findings:
    yield from boot_drafts(boot, end)
