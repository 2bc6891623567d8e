"""The kernel's log of this boot has no Xid, no process killed for want of memory, and no pod's traffic blocked.

On a fresh node each of them is a fault of the node. An Xid is what NVIDIA's driver says of a GPU: the number tells
which fault, and whether the hardware, the driver or a program is to blame. An SXid is an NVSwitch's, and counts where
it is fatal. A GPU that the driver could not start leaves no Xid: there its own words count, unless `nvidia-smi` has
told since how the GPUs are. Three lines of drivers stay true until the next boot: NVLinks that were not found as the
driver started, EFA's, which may not ask a proprietary NVIDIA module for GPU memory, and those of a module for
GPUDirect RDMA, GDRCopy or GDS that was built against another driver. `Out of memory` counts where the machine's
memory ran out, not where a container outgrew its own limit. `[UFW BLOCK]` counts where a pod's interface is on one
side: pods that find no name server leave these lines, while what the world sends to a node's closed ports is dropped
all day, and rightly. Where the firewall still keeps pods back, `pod-egress-forwarded` tells it, with these lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from nodeworthy.facts.node.firewall import NodeFirewall, keeps_pods_back
from nodeworthy.facts.node.gpus import NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import Blocked, NodeKernelLog, OomLine, SxidLine, XidLine, same_gpu
from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import in_text
from nodeworthy.known.pod_interfaces import is_pods
from nodeworthy.known.xid import xid
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

RULE = Rule(
    "kernel-log-clean",
    severity=Severity.ERROR,
    incident="A",
    title="The kernel's log has no Xid, no OOM kill, no blocked pod traffic",
    remedy="read dmesg around these lines, and keep the node drained until their cause is known",
)


@RULE.check
def nothing_in_it_is_a_fault(
    log: NodeKernelLog, identity: NodeIdentity, smi: NodeSmi | None, firewall: NodeFirewall | None
) -> Findings:
    # What the driver itself says is lost, gpus-healthy tells, with this line.
    lost = smi.lost if smi is not None else ()
    xids = [each for each in need(log.xids) if not any(same_gpu(each.gpu, gone.address) for gone in lost)]
    for (gpu, number), lines in _grouped(xids, lambda each: (each.gpu, each.number)).items():
        yield _xid(log, gpu, number, lines)
    for (switch, number), told in _grouped(log.switches, lambda each: (each.switch, each.number)).items():
        yield _sxid(log, switch, number, told)
    for process, killed in _grouped(log.killed, lambda each: each.process).items():
        yield _oom(log, process, killed)
    # Where the firewall still keeps them back, that is one cause, and pod-egress-forwarded tells it.
    dropped = () if firewall is not None and keeps_pods_back(firewall, identity) else log.blocked
    pods = (each for each in dropped if is_pods(each.came_by) or is_pods(each.to_go_by))
    for kind, blocked in _grouped(pods, _kind).items():
        yield _block(log, kind, blocked)
    yield from _of_drivers(log)
    # Of GPUs that answer it is past; why not one does, driver-fits says.
    if not need(log.xids) and (smi is None or smi.is_silent):
        yield from _of_a_gpu_without_xid(log)


# Of a GPU that does not start, or has gone, without a number.
_OF_A_GPU = (
    "gpu-off-the-bus",
    "power-cable-missing",
    "gsp-firmware-not-started",
    "gpu-not-back-on-bus",
    "bar-invalid",
    "pci-device-not-enabled",
    "rm-init-failed",
)


def _of_a_gpu_without_xid(log: NodeKernelLog) -> Iterator[Draft]:
    """The first of its lines: those behind it are what came of it."""
    told = ((line, each.evidence) for line in log.of_drivers for each in in_text(line))
    line, known = next(((line, each) for line, each in told if each.id in _OF_A_GPU), ("", None))
    if known is not None:
        yield fail(
            log,
            f"the kernel's log says of a GPU: {known.says}",
            is_=line,
            should="no such line",
            cause=known.cause,
            remedy=known.mending,
            link=link_of_evidence(known.id, known.layer),
        )


# What a driver says once, and what stays so until the next boot.
_LASTING = ("nvlink-receivers-not-found", "peer-module-of-another-driver", "peer-symbols-not-for-all")


def _of_drivers(log: NodeKernelLog) -> Iterator[Draft]:
    told: dict[str, str] = {}
    for line in log.of_drivers:
        for known in (each.evidence for each in in_text(line)):
            if known.id in _LASTING and known.id not in told:
                told[known.id] = line
                yield fail(
                    log,
                    f"the kernel's log says of a driver: {known.says}",
                    is_=line,
                    should="no such line",
                    cause=known.cause,
                    remedy=known.mending,
                    link="fabric",
                )


def _grouped(lines: Iterable[T], key: Callable[[T], K]) -> Mapping[K, list[T]]:
    found: dict[K, list[T]] = defaultdict(list)
    for each in lines:
        found[key(each)].append(each)
    return found


def _kind(packet: Blocked) -> str:
    """Each pod has an interface of its own: which kind of way it was is what matters."""
    ends = ["pods" if is_pods(each) else each for each in (packet.came_by, packet.to_go_by)]
    return f"from {ends[0] or 'the node'} to {ends[1] or 'the node'}"


def _xid(log: NodeKernelLog, gpu: str, number: int, lines: Sequence[XidLine]) -> Draft:
    known = xid(number)
    return fail(
        log,
        f"the GPU {gpu} reported Xid {number}: {known.says}",
        is_=_last_of_lines([each.line for each in lines]),
        should="no Xid on a fresh node",
        cause=f"mostly a fault of the {known.whose}" if known.remedy else None,
        remedy=known.remedy,
        link="healthy",
    )


def _sxid(log: NodeKernelLog, switch: str, number: int, lines: Sequence[SxidLine]) -> Draft:
    return fail(
        log,
        f"the NVSwitch {switch} reported a fatal SXid {number}",
        is_=_last_of_lines([each.line for each in lines]),
        should="no fatal SXid on a fresh node",
        cause="its links are down: jobs whose GPUs talk through them end, or hang",
        remedy="drain the node, then reset all its GPUs (nvidia-smi --gpu-reset) or replace it",
        link="fabric",
    )


def _oom(log: NodeKernelLog, process: str, lines: Sequence[OomLine]) -> Draft:
    return fail(
        log,
        f"the kernel killed {process}, because the machine had no memory left",
        is_=_last_of_lines([each.line for each in lines]),
        should="no process killed",
        cause="pods without memory limits, or kubelet without memory reserved for the system",
        remedy="give pods memory limits, and kubelet systemReserved and evictionHard",
    )


def _block(log: NodeKernelLog, kind: str, lines: Sequence[Blocked]) -> Draft:
    first = lines[0]
    return fail(
        log,
        f"the firewall drops traffic {kind}",
        is_=_last_of_lines([each.line for each in lines]),
        should="no packet of a pod dropped",
        related=[Related(log.place, f"the first: {first.way}, {first.source} to {first.target}")],
        cause="ufw forwards nothing unless it is told: pods find no name server, while the node itself resolves",
        remedy="ufw route allow in on lxc+ out on eno1, and back, by the names of the interfaces here "
        "(pod-egress-forwarded says what else)",
    )


def _last_of_lines(lines: Sequence[str]) -> str:
    return lines[-1] if len(lines) == 1 else f"{len(lines)} times, the last: {lines[-1]}"
