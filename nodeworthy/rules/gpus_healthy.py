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

from nodeworthy.facts.cluster.node_gpus import GpuWatch, NodeGpus
from nodeworthy.facts.cluster.watched_gpus import WatchedGpus
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.gpu_health import fabric_of_others, links_down, lost_gpus, sick_gpus
from nodeworthy.facts.node.gpus import NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import NodeKernelLog
from nodeworthy.known.evidence import in_text
from nodeworthy.known.xid import Xid
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, unknown

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
    return fail(
        gpus,
        f"{condition.who} reports of {node.title}: {condition.says}",
        is_=said.says,
        should=f"{condition.type}={condition.good}",
        related=[Related(gpus.place, _offers(node, name)) for name in node.capacity if node.unhealthy(name)],
        cause=condition.cause,
        remedy=f"kubectl drain {node.name} --ignore-daemonsets --delete-emptydir-data, then {condition.remedy}",
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
