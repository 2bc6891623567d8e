"""The disks on which images, pods and logs live have room.

Below 10 % of free space, or 5 % of free inodes, kubelet evicts pods and pulls no images. A GPU image has 20 GB or more:
a root disk of the default size is full after two of them. Each disk is told once, whatever lies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.node.disks import Disk, NodeRoom
from nodeworthy.known.node_limits import inodes, room
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, need

RULE = Rule(
    "disk-has-room",
    severity=Severity.WARNING,
    title="The disks that images and logs live on have room",
    remedy="give the pool's launch template a larger root volume; crictl rmi --prune frees what no container uses",
)
GIB = 1024 * 1024


@RULE.check
def there_is_room_for_images_and_logs(disks: NodeRoom) -> Findings:
    yield from _short(need(disks.disks), room())
    yield from _few_inodes(need(disks.inodes), inodes())


def _short(disks: Sequence[Disk], least: int) -> Iterator[Draft]:
    for each in disks:
        if each.percent < least:
            yield fail(
                each,
                f"{each.mount} is nearly full",
                is_=f"{each.free / GIB:.1f} of {each.size / GIB:.1f} GiB free ({each.percent:.0f} %)",
                should=f"at least {least} % free",
                cause="below that, kubelet evicts pods and the node gets the taint disk-pressure",
            )


def _few_inodes(disks: Sequence[Disk], least: int) -> Iterator[Draft]:
    for each in disks:
        if each.percent < least:
            yield fail(
                each,
                f"{each.mount} has nearly no inodes left",
                is_=f"{each.free} of {each.size} free ({each.percent:.0f} %)",
                should=f"at least {least} % free",
                cause="below that, kubelet evicts pods; many small files do it, in image layers or logs",
            )
