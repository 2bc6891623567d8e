"""Whether and how the boot ended, and the lines of its kernel's log that tell a fault."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.collect.node.parts.units import lines, older, printed_value, units
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.boot import BootEnd, NodeBoot, StepError
from nodeworthy.facts.node.kernel_log import Blocked, NodeKernelLog, OomLine, SxidLine, XidLine
from nodeworthy.patterns import pattern
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, Unknown

_XID = pattern(r"NVRM: Xid \((?:PCI:)?(?P<gpu>[^)]+)\): (?P<number>\d{1,6})")
# What is not fatal is told for information.
_SXID = pattern(r"(?P<switch>\S+): SXid \((?:PCI:)?[^)]+\): (?P<number>\d{1,9}), Fatal\b")
_OF_DRIVERS = pattern(r"NVRM: (?!Xid)|symbol_get of non-GPLONLY|(?:symbol version for|version of symbol) nvidia_")
_KILLED = pattern(r"\bOut of memory: Kill(?:ed)? process \d+ \((?P<process>[^)]*)\)")
# Newer kernels tell first whose memory ran out: NONE is the machine's.
_OOM = pattern(r"oom-kill:constraint=CONSTRAINT_(?P<whose>\w+).*?\btask=(?P<process>[^,]*)")
_CGROUP = pattern(r"\btask_memcg=(?P<cgroup>[^,]*)")
# A container, whoever runs it; what else has a slice is the system's own.
_CONTAINERS = pattern(r"kubepods|\b(?:docker|libpod|crio|cri-containerd|nerdctl)-")
_BLOCKED = pattern(r"\[UFW BLOCK\] IN=(?P<in>\S*) OUT=(?P<out>\S*) .*?SRC=(?P<source>\S+) DST=(?P<target>\S+)")


def kernel_log(recording: Recording, host: Place) -> NodeKernelLog | Missing:
    place = host.about("kernel log")
    said = printed_value(recording, "kernel log", place, "the kernel's log")
    if said is None:
        return older("the kernel's log", place)
    if isinstance(said.state, Unknown):
        return NodeKernelLog(place, Located(said.state, place))
    lines = said.state.value.splitlines()
    return NodeKernelLog(
        place,
        Located(Known(tuple(_xids(lines))), place),
        tuple(_killed(lines)),
        tuple(_blocked(lines)),
        tuple(_switches(lines)),
        tuple(line.strip() for line in lines if _OF_DRIVERS.search(line)),
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


STATUS = "/run/cloud-init/status.json"


def boot_end(recording: Recording, host: Place) -> BootEnd:
    place = host.about("boot")
    said = printed_value(recording, "boot", place, "whether the boot has ended")
    if said is None:
        return BootEnd(place, Located.unknown("whether the boot has ended was not read", place))
    if isinstance(said.state, Unknown):
        return BootEnd(place, Located(said.state, place))
    return BootEnd(place, Located.known(bool(set(said.state.value.split()) & {"none", "finished"}), place))


def boot(recording: Recording, host: Place) -> NodeBoot | Missing:
    if recording.part("cloud") is None:
        return older("how the boot ended", host.about("boot"))
    status = _status(recording, host.about(STATUS))
    stages = status.state.value if isinstance(status.state, Known) else {}
    stage = stages.get("stage")
    system = lines(recording, "system")
    return NodeBoot(
        place=host.about("boot"),
        has_cloud_init="none" not in lines(recording, "boot"),
        errors=Located(
            status.state if isinstance(status.state, Unknown) else Known(tuple(_errors(stages))), status.place
        ),
        stage=str(stage) if stage else None,
        told=tuple(lines(recording, "cloud log")),
        system=system[-1] if system and system[-1] != "offline" else None,
        failed=units(recording, "failed", host),
        at=tuple(dict.fromkeys(lines(recording, "step"))),
    )


def _status(recording: Recording, place: Place) -> Located[Mapping[str, Any]]:
    if "none" in lines(recording, "boot"):
        return Located.known({}, place)
    said = printed_value(recording, "cloud", place, "cloud-init's status")
    if said is None or isinstance(said.state, Unknown):
        return Located.unknown(said.state.why if said is not None and isinstance(said.state, Unknown) else "", place)
    try:
        data = json.loads(said.state.value)
    except (ValueError, RecursionError):
        return Located.unknown(f"{STATUS} is not JSON", place)
    stages = data.get("v1") if isinstance(data, dict) else None
    if not isinstance(stages, dict):
        return Located.unknown(f"{STATUS} is of a version that we don't know", place)
    return Located.known(stages, place)


def _errors(stages: Mapping[str, Any]) -> list[StepError]:
    return [
        StepError(name, str(error))
        for name, row in stages.items()
        if isinstance(row, dict)
        for error in row.get("errors") or ()
    ]
