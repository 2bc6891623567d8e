"""The lines of the kernel's log that tell a fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import printed
from nodeworthy.facts.node.kernel_log import Blocked, NodeKernelLog, OomLine, SxidLine, XidLine
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place, Unknown

_XID = pattern(r"NVRM: Xid \((?:PCI:)?(?P<gpu>[^)]+)\): (?P<number>\d{1,6})")
# What is not fatal is told for information.
_SXID = pattern(r"(?P<switch>\S+): SXid \((?:PCI:)?[^)]+\): (?P<number>\d{1,9}), Fatal\b")
_KILLED = pattern(r"\bOut of memory: Kill(?:ed)? process \d+ \((?P<process>[^)]*)\)")
# Newer kernels tell first whose memory ran out: NONE is the machine's.
_OOM = pattern(r"oom-kill:constraint=CONSTRAINT_(?P<whose>\w+).*?\btask=(?P<process>[^,]*)")
_CGROUP = pattern(r"\btask_memcg=(?P<cgroup>[^,]*)")
# A container, whoever runs it; what else has a slice is the system's own.
_CONTAINERS = pattern(r"kubepods|\b(?:docker|libpod|crio|cri-containerd|nerdctl)-")
_BLOCKED = pattern(r"\[UFW BLOCK\] IN=(?P<in>\S*) OUT=(?P<out>\S*) .*?SRC=(?P<source>\S+) DST=(?P<target>\S+)")


def kernel_log(recording: Recording, host: Place) -> NodeKernelLog | None:
    place = host.about("kernel log")
    said = printed(recording, "kernel log", place, "the kernel's log")
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return NodeKernelLog(place, Located(said.state, place))
    lines = said.state.value.splitlines()
    return NodeKernelLog(
        place,
        Located(Known(tuple(_xids(lines))), place),
        tuple(_killed(lines)),
        tuple(_blocked(lines)),
        tuple(_switches(lines)),
    )


def _xids(lines: Sequence[str]) -> Iterator[XidLine]:
    for line in lines:
        if found := _XID.search(line):
            yield XidLine(found["gpu"], int(found["number"]), line.strip())


def _switches(lines: Sequence[str]) -> Iterator[SxidLine]:
    for line in lines:
        if found := _SXID.search(line):
            yield SxidLine(found["switch"], int(found["number"]), line.strip())


def _killed(lines: Sequence[str]) -> Iterator[OomLine]:
    """A container that outgrew its own limit is its own fault; what the system itself needs is not."""
    told = [found for line in lines if (found := _OOM.search(line))]
    for found in told:
        cgroup = _CGROUP.search(found.string)
        if found["whose"] != "MEMCG" or (
            cgroup and not _CONTAINERS.search(cgroup["cgroup"]) and ".slice" in cgroup["cgroup"]
        ):
            yield OomLine(found["process"], found.string.strip())
    if not told:
        for line in lines:
            if killed := _KILLED.search(line):
                yield OomLine(killed["process"], line.strip())


def _blocked(lines: Sequence[str]) -> Iterator[Blocked]:
    for line in lines:
        if found := _BLOCKED.search(line):
            yield Blocked(found["in"], found["out"], found["source"], found["target"], line.strip())
