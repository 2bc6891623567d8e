"""No GPU of a node is lost or broken, and its links are up.

On a node the driver itself is asked (`nvidia-smi -q`, once, and only where something has the GPUs open: a question
initialises none): a GPU that fell off the bus while the node runs, which the bus and /proc show until the next boot;
rows of memory that broke and that only a reset puts out of use, or for which no spare ones are left; an infoROM that is
corrupted; a GPU that the driver wants reset. Errors that ECC could not mend and that left no such rows are a warning.
Where GPUs talk through NVSwitches every NVLink is up (`nvidia-smi nvlink --status`): of cards with bridges, or with
none, nobody knows how many should be.

In a cluster those are asked that watch GPUs there and say what they see as a condition of the node: the EKS node
monitoring agent, AKS' node problem detector, GKE's device plugin, NVSentinel. A node on which nobody watches is not
judged. An Xid that is the fault of what ran on a GPU is a warning, and what IMEX says of itself while nobody uses it is
nothing: no GPU is worse for either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.cluster.node_gpus import GpuWatch, NodeGpus, WatchedGpus
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.gpus import GpuLinks, NodeSmi, SaidGpu
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import NodeKernelLog, XidLine, same_gpu
from nodeworthy.known.evidence import in_text
from nodeworthy.known.instances import gpus_of
from nodeworthy.known.xid import Xid
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip, unknown, value_if_known

RULE = Rule(
    "gpus-healthy",
    severity=Severity.ERROR,
    title="No GPU is lost or broken, and its NVLinks are up",
    remedy="drain the node and reboot it; where it says so again, replace it",
)


@RULE.check
def the_driver_says_that_they_are(
    said: NodeSmi, identity: NodeIdentity, log: NodeKernelLog | None, fabric: NodeFabric | None
) -> Findings:
    identity.only_with_gpus()
    if said.differs:
        skip("the driver's libraries are not of its module's version, which driver-fits says")
    yield from lost_gpus(said, log)
    yield from sick_gpus(said)
    yield from links_down(said, identity, fabric)
    yield from fabric_of_others(said, identity, fabric)


@RULE.check
def who_watches_them_says_that_they_are(gpus: WatchedGpus) -> Findings:
    for each in gpus.said:
        if each.is_about_no_gpu:
            continue
        if each.of_a_program is not None:
            yield _of_a_program(gpus, each, each.of_a_program)
        elif each.is_bad:
            yield _draft_of_condition(gpus, each)
        elif not each.is_good:
            known = next((found.evidence for found in in_text(each.message)), None)
            yield unknown(
                gpus,
                f"whether the GPUs of {gpus.node.title} are well is not known to {each.condition.who}"
                + (f": {known.says}" if known is not None else ""),
                is_=each.says,
                cause=known.cause if known is not None else None,
                remedy=f"kubectl describe node {gpus.node.name} says since when; "
                + (known.remedy if known is not None else "read the watcher's own log"),
                link=each.condition.link,
            )


def _draft_of_condition(gpus: WatchedGpus, said: GpuWatch) -> Draft:
    condition, node = said.condition, gpus.node
    told = condition.of_reason(said.reason) or condition
    return fail(
        gpus,
        f"{condition.who} reports of {node.title}: {told.says}",
        is_=said.says,
        should=f"{condition.type}={condition.good}",
        related=[Related(gpus.place, _offers(node, name)) for name in node.capacity if node.unhealthy(name)],
        cause=told.cause,
        remedy=f"kubectl drain {node.name} --ignore-daemonsets --delete-emptydir-data, then {told.remedy}",
        victims=gpus.waiting,
        link=condition.link,
        nodes=[node.name],
    )


def _of_a_program(gpus: WatchedGpus, said: GpuWatch, xid: Xid) -> Draft:
    """The watcher may have cordoned the node for it, and takes no cordon away for which nothing was mended."""
    condition, node = said.condition, gpus.node
    return fail(
        gpus,
        f"{condition.who} takes a program's fault on {node.title} for one of the GPU: Xid {xid.number}",
        is_=said.says,
        should=f"{condition.type}={condition.good}",
        cause=f"Xid {xid.number} is the fault of what ran on the GPU ({xid.says}); where the node was cordoned for it, "
        "it stays so until somebody takes the cordon away",
        remedy=f"look at the program that ran there; kubectl uncordon {node.name}; where it comes again with every "
        "program, reset the GPU",
        severity=Severity.WARNING,
        victims=gpus.waiting,
        link=condition.link,
        nodes=[node.name],
    )


def _offers(node: NodeGpus, resource: str) -> str:
    return f"of {node.capacity[resource]} {resource} it offers {node.allocatable.get(resource, 0)}"


# Whether each of a node's GPUs is well, as the driver says it.


_SHOWN = 4
_REMEDIES = {
    "GPU Reset": "drain the node, then reset the GPU: nvidia-smi --gpu-reset",
    "Node Reboot": "drain the node and reboot it",
    "Drain P2P": "end what uses the GPU together with others, then reset it: nvidia-smi --gpu-reset",
    "Drain and Reset": "let what runs on it end, start nothing new there, then reset it: nvidia-smi --gpu-reset",
}


def lost_gpus(said: NodeSmi, log: NodeKernelLog | None) -> Findings:
    """One that is lost while the node runs stays on the bus and in /proc until the next boot."""
    xids = value_if_known(log.xids if log is not None else None) or ()
    for each in said.lost:
        yield _lost(said, each.address, each.says, [line for line in xids if same_gpu(line.gpu, each.address)])


def _lost(said: NodeSmi, address: str, says: str, own: Sequence[XidLine]) -> Draft:
    return fail(
        said,
        f"the driver has lost the GPU {address.lower()}",
        is_=says,
        should="a GPU that answers",
        related=[Related(said.place, f"the kernel's log says: {line.line}") for line in own[-1:]],
        cause="it has fallen off the bus while the node runs; the bus and /proc show it until the next boot",
        remedy="drain the node and reboot it; where it is gone again or missing then, stop and start the instance, "
        "or replace it",
    )


def sick_gpus(said: NodeSmi) -> Findings:
    """Each is told once: what breaks it for good first, what a reset mends last."""
    for gpu in need(said.gpus):
        found = next(_faults(said, gpu), None)
        if found is not None:
            yield found


def _faults(said: NodeSmi, gpu: SaidGpu) -> Iterator[Draft]:
    if gpu.remap_failed:
        yield _no_spare_rows(said, gpu)
    if gpu.remap_pending:
        yield _broken_rows(said, gpu)
    if gpu.inforom_broken:
        yield _inforom(said, gpu)
    if gpu.wants:
        yield _wanted(said, gpu)
    if gpu.uncorrectable:
        yield _errors(said, gpu)


def _address(gpu: SaidGpu) -> str:
    return gpu.address.lower()


def _counted(gpu: SaidGpu) -> str:
    return ", ".join(f"{name}: {count}" for name, count in gpu.uncorrectable)


def _with_errors(said: NodeSmi, gpu: SaidGpu) -> list[Related]:
    return [Related(said.place, f"errors since the driver was loaded: {_counted(gpu)}")] if gpu.uncorrectable else []


def _no_spare_rows(said: NodeSmi, gpu: SaidGpu) -> Draft:
    """Rows of its memory that broke are replaced by spare ones, at the next reset, as long as there are any."""
    return fail(
        said,
        f"the GPU {_address(gpu)} has broken memory and no spare rows for it",
        is_="Remapping Failure Occurred: Yes",
        should="No",
        related=_with_errors(said, gpu),
        cause="programs that touch these rows end, and the driver gives the GPU up sooner or later",
        remedy="drain the node and replace the GPU: stop and start the instance, or return the card",
    )


def _broken_rows(said: NodeSmi, gpu: SaidGpu) -> Draft:
    return fail(
        said,
        f"the GPU {_address(gpu)} has broken rows of memory that only a reset puts out of use",
        is_="Remapped Rows, Pending: Yes",
        should="No",
        related=_with_errors(said, gpu),
        cause="until then a program may be given them, and ends with an uncorrectable error",
        remedy="drain the node, then reset the GPU (nvidia-smi --gpu-reset) or reboot",
    )


def _inforom(said: NodeSmi, gpu: SaidGpu) -> Draft:
    return fail(
        said,
        f"the infoROM of the GPU {_address(gpu)} is corrupted",
        is_=f"infoROM is corrupted at gpu {gpu.address}",
        should="an infoROM whose checksum is right",
        cause="the card keeps its serial number, its ECC setting and its count of broken rows there: nvidia-smi ends "
        "with exit status 14, and health checks with it; what it says of broken memory can't be relied on",
        remedy="drain the node and reboot it once; where it says so again, replace the GPU: stop and start the "
        "instance, or return the card",
    )


def _wanted(said: NodeSmi, gpu: SaidGpu) -> Draft:
    return fail(
        said,
        f"the driver wants the GPU {_address(gpu)} recovered before it is used again",
        is_=f"GPU Recovery Action: {gpu.wants}",
        should="None",
        related=_with_errors(said, gpu),
        cause="it has seen an error after which the GPU can't be relied on: new work fails there, or hangs",
        remedy=_REMEDIES.get(gpu.wants, "drain the node and reboot it"),
    )


def _errors(said: NodeSmi, gpu: SaidGpu) -> Draft:
    return fail(
        said,
        f"the GPU {_address(gpu)} has had errors of memory that ECC could not mend",
        is_=_counted(gpu),
        should="0",
        cause="the program that met them ended; what comes next may meet them again",
        remedy="when nothing runs on it, reset the GPU (nvidia-smi --gpu-reset) and look whether they come back",
        severity=Severity.WARNING,
    )


def links_down(said: NodeSmi, identity: NodeIdentity, fabric: NodeFabric | None) -> Findings:
    """Where GPUs talk through NVSwitches each link of each has its other end: elsewhere bridges may leave some out."""
    if said.links is None or not _has_switches(identity, fabric):
        return
    broken = [each for each in need(said.links) if each.down]
    if broken:
        yield _inactive(said, broken)


def _inactive(said: NodeSmi, broken: Sequence[GpuLinks]) -> Draft:
    told = [f"GPU {each.gpu}: {len(each.down)} of {each.count} inactive" for each in broken[:_SHOWN]]
    more = [f"and {len(broken) - _SHOWN} more GPUs"] if len(broken) > _SHOWN else []
    return fail(
        said.place.about("nvidia-smi nvlink --status"),
        f"NVLinks of {len(broken)} GPUs are down" if len(broken) > 1 else "NVLinks of a GPU are down",
        is_="; ".join((*told, *more)),
        should="every link active",
        cause="collectives go by the links that are left, or by PCIe: slowly, or they end with an error of NCCL",
        remedy="look whether fabric manager runs (systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A4 "
        "Fabric); then drain the node and reset all its GPUs (nvidia-smi --gpu-reset), or replace it",
        link="fabric",
    )


def _has_switches(identity: NodeIdentity, fabric: NodeFabric | None) -> bool:
    of_type = gpus_of(identity.instance_type)
    if of_type is not None:
        return of_type.nvswitch
    return fabric is not None and bool(value_if_known(fabric.switches))


def fabric_of_others(said: NodeSmi, identity: NodeIdentity, fabric: NodeFabric | None) -> Findings:
    """Where no NVSwitch is the node's own to manage (GB200: its switches are in other trays), whether its GPUs are in
    their fabric. Of the others fabric-manager-runs tells."""
    if _has_switches(identity, fabric):
        return
    open_ = [each for each in need(said.gpus) if each.fabric_state == "Completed" and each.fabric_status not in _WELL]
    if open_:
        yield fail(
            said,
            "the NVLink fabric of " + (f"{len(open_)} GPUs" if len(open_) > 1 else "a GPU") + " is not complete",
            is_=f"State Completed, Status {open_[0].fabric_status}",
            should="State Completed, Status Success (nvidia-smi -q, Fabric)",
            cause="the fabric is set up without them: they can't talk to GPUs of other nodes over NVLink",
            remedy="ask whoever runs the NVLink switches (NMX, NVOS) why; drain the node and reboot it once they are "
            "well",
            link="fabric",
        )


_WELL = ("", "Success")
