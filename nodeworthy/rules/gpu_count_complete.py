"""A node has every GPU that its type has: on the bus, and in the hands of the driver.

A GPU that has fallen off the bus is gone until somebody resets the machine, and nothing but the count says so: kubelet
then advertises seven, and a job that asks for eight waits for ever. On the node three numbers are compared: the GPUs
that the PCI bus shows, those that NVIDIA's driver has taken (`/proc/driver/nvidia/gpus`), and those that the pool or
the instance type has. One that falls off while the node runs stays in all of them until the next boot: of it, and of
those that are broken, `gpus-healthy` tells.

In a cluster a node's capacity is what its device plugin registered: fewer than the pool or the instance type has is a
lost GPU. Allocatable below capacity is a GPU that the plugin gave up as unhealthy. Nodes whose GPUs are shared or cut
into slices (HAMi, time-slicing, MIG) count something else, and of those only their unhealthy devices are told.
A node that offers none at all, although its device plugin is there, lacks the plugin and not its GPUs.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.cut_in_vain import link_of_cut
from nodeworthy.facts.cluster.no_library import FINDS_NO_DRIVER, without_library
from nodeworthy.facts.cluster.node_gpu_count import Expected, NodeGpuCount
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.offered_gpus import OfferedGpus, SilentPlugin, fares, first_link
from nodeworthy.facts.cluster.pending_not_offered import why_it_offers_none
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.telling_words import telling_part
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.gpus import HostGpus, gpu_drafts
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.module import NodeModule, module_fault
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.known.drivers import last_branch
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.known.gpus import gpu_named
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, unknown

RULE = Rule(
    "gpu-count-complete",
    severity=Severity.ERROR,
    title="A node has every GPU that its type has",
    remedy="drain the node, stop and start it (or replace it), and count again",
)

_SHOWN = 3


@RULE.check
def the_bus_and_the_driver_have_them_all(
    gpus: HostGpus, identity: NodeIdentity, end: BootEnd, module: NodeModule | None
) -> Findings:
    why = module_fault(module, gpus) if module is not None else None
    yield from gpu_drafts(gpus, identity, end, is_explained=why is not None)


@RULE.check
def the_cluster_counts_them_all(count: NodeGpuCount) -> Findings:
    node = count.node
    if any(each.is_bad for each in node.watched):
        skip(f"what is wrong with the GPUs of {node.title} gpus-healthy tells, by those who watch them")
    for resource, lost in count.unhealthy.items():
        yield _of_a_change(count, resource) if node.change else _gone(count, resource, lost)
    if count.expected is not None and count.expected.is_found_there and count.lost:
        yield _offers_fewer(count, count.expected)
    elif count.expected is not None and count.lost:
        yield fail(
            count,
            f"{node.title} counts fewer GPUs than its type has",
            is_=gpus_in_words(node.capacity.get(GPU, 0)),
            should=gpus_in_words(count.expected.count),
            related=[count.expected.says],
            cause="the driver did not take a GPU (it is off the bus, or failed to start), so its plugin knows fewer; "
            "or the plugin registered before all of them were there, and does not count again",
            remedy=f"let the device plugin count again: delete its pod on {node.name}; where it finds no more, "
            f"{RULE.remedy}",
            victims=count.waiting,
            link="capacity",
        )


def _offers_fewer(count: NodeGpuCount, expected: Expected) -> Draft:
    return fail(
        count,
        f"{count.node.title} offers fewer GPUs than feature discovery found there",
        is_=gpus_in_words(count.node.capacity.get(GPU, 0)),
        should=gpus_in_words(expected.count),
        related=[expected.says],
        cause="the driver has them, and the device plugin was told of fewer: deviceDiscoveryStrategy tegra looks for "
        "the one GPU of a Jetson (nvml and auto for cards), NVIDIA_VISIBLE_DEVICES of its own pod may name some, or it "
        "started before the driver had all of them",
        remedy="read the configuration at the beginning of the device plugin's log, mend it (deviceDiscoveryStrategy: "
        "auto), and start the plugin's pod on that node again",
        severity=Severity.WARNING,
        link="capacity",
    )


def _of_a_change(count: NodeGpuCount, resource: str) -> Draft:
    """GPUs that a change has taken away on purpose. Labels do not tell whether they come back."""
    node = count.node
    return unknown(
        count,
        f"whether {resource} come back to {node.title} is not known: {node.change}",
        is_=f"allocatable {node.allocatable.get(resource, 0)} of {node.capacity[resource]}",
        remedy="look again in some minutes; then read what the change waits for: kubectl get pods -A "
        f"--field-selector spec.nodeName={node.name} | grep -E 'mig-manager|driver|validator'",
        victims=count.waiting,
        link="allocatable",
    )


def _gone(count: NodeGpuCount, resource: str, lost: int) -> Draft:
    node = count.node
    is_all = lost == node.capacity[resource]
    if is_all and count.stopped is not None:
        cause, remedy = _with_its_plugin(count.stopped)
    else:
        cause, remedy = _all_at_once(node) if is_all and lost > 1 else _some(node)
    return fail(
        count,
        f"{lost} of {node.capacity[resource]} {resource} of {node.title} are unhealthy",
        is_=f"allocatable {node.allocatable.get(resource, 0)}",
        should=f"allocatable {node.capacity[resource]}, as capacity says",
        cause=cause,
        remedy=remedy,
        victims=count.waiting,
        link="allocatable",
    )


def _with_its_plugin(stopped: ClusterPod) -> tuple[str, str]:
    """Of the pod itself gpu-stack-settled tells."""
    return (
        f"nothing is known to be wrong with the GPUs: {stopped.part} does not run there ({fares([stopped])}), and "
        "kubelet takes back what a device plugin has registered when it ends or loses the driver",
        f"mend that: kubectl describe pod -n {stopped.namespace} {stopped.name}; its GPUs come back with it",
    )


def _all_at_once(node: NodeGpus) -> tuple[str, str]:
    return (
        "all at once are seldom broken: kubelet takes back what a device plugin registered when that plugin stops, and "
        "a plugin gives all of them up when it loses the driver",
        "look whether the device plugin runs there, and read its log: kubectl get pods -A --field-selector "
        f"spec.nodeName={node.name} | grep device-plugin",
    )


def _some(node: NodeGpus) -> tuple[str, str]:
    return (
        "the device plugin gave up what the driver reports an Xid of, and kubelet offers it to nobody",
        f"look at the device plugin's log and `dmesg | grep Xid` on {node.name}; drain it and reset the GPU (an Xid of "
        "a program, as 69 is, needs no reset), and delete the device plugin's pod there: most releases take no GPU "
        "back until they start again",
    )


@RULE.check
def their_device_plugin_offers_them(offered: OfferedGpus) -> Findings:
    for each in offered.silent:
        yield _draft_of_silence(each)


def _draft_of_silence(silent: SilentPlugin) -> Draft:
    """A device plugin that is silent: nothing is known to be wrong with the GPUs, but nothing counts them."""
    found = [each.evidence for each in in_text(silent.words)]
    # A plugin that runs is told by what it is silent about.
    known = next((each for each in found if not (each.is_symptom and silent.runs)), None)
    return fail(
        silent,
        "the device plugin runs, and offers no GPU" if silent.runs else "the device plugin does not run",
        is_=silent.fares,
        should="a device plugin that is ready, and every GPU allocatable",
        on=[node.title for node in silent.nodes],
        related=[Related(node.place, _says(node)) for node in silent.nodes[:_SHOWN]],
        cause=_why(silent, known),
        remedy=_mends(silent, known),
        victims=dict.fromkeys(
            (*(pod.object for pod in (*silent.pods, *silent.beside) if not pod.ready), *silent.waiting)
        ),
        link=link_of_cut(silent.nodes, silent.beside) if silent.runs else first_link(silent.beside),
    )


def _says(node: NodeGpus) -> str:
    counted = next((f"{name}: {amount}" for name, amount in node.capacity.items() if amount), None)
    offers = f"counts {counted}, none of them allocatable" if counted else "counts none"
    return f"{node.title} has {node.gpu or 'GPUs'}, and {offers}"


def _by_its_words(silent: SilentPlugin, known: Evidence | None) -> tuple[str, str]:
    """Why, and what to do; empty where nothing is known of what was said."""
    if known is None:
        return "", ""
    pod = (*silent.beside, *silent.pods)[0]
    own = without_library(pod, known, silent.nodes[0].starts_containers)
    why, remedy = own or (known.why, known.mending)
    return f"{why}{_of_an_old_card(silent, known)}", remedy


def _mends(silent: SilentPlugin, known: Evidence | None) -> str:
    return _by_its_words(silent, known)[1] or silent.hangs[1] or _remedy(silent)


def _why(silent: SilentPlugin, known: Evidence | None) -> str:
    said, _ = _by_its_words(silent, known)
    if said and not silent.beside:
        words = telling_part(silent.words)
        return said if words in silent.fares or words in said else f"{said}; it said: {words}"
    if silent.hangs[0] and not silent.beside:
        return silent.hangs[0]
    fares = _why_as_it_fares(silent)
    return fares if said in fares else f"{fares}; {said}"


def _of_an_old_card(silent: SilentPlugin, known: Evidence) -> str:
    """What keeps a driver from old cards, where a program finds none."""
    gpu = gpu_named(silent.nodes[0].gpu)
    last = last_branch(gpu.architecture) if gpu is not None and known.id in FINDS_NO_DRIVER else None
    if gpu is None or last is None:
        return ""
    return (
        f"; or the image's driver leaves this card alone: {gpu.name} is {gpu.architecture}, which the open modules do "
        f"not drive, nor any branch after {last} (dmesg | grep NVRM says so)"
    )


def _why_as_it_fares(silent: SilentPlugin) -> str:
    if silent.runs:
        return why_it_offers_none(silent.nodes, silent.pods[0], silent.words)[0]
    others = list(dict.fromkeys(pod.daemonset or pod.name for pod in silent.beside))
    first = next(iter(silent.beside), None)
    said = f"; beside it {first.name} is in {first.fault}" if first is not None else ""
    more = f", and {len(others) - 1} more parts do not run" if len(others) > 1 else ""
    return f"kubelet offers what a device plugin has registered, and takes it back when the plugin ends{said}{more}"


def _remedy(silent: SilentPlugin) -> str:
    if silent.runs and not silent.beside:
        return why_it_offers_none(silent.nodes, silent.pods[0], silent.words)[1]
    pod = next((each for each in (*silent.beside, *silent.pods) if each.fault), silent.pods[0])
    verb = "logs --previous" if pod.restarts and not silent.runs else "logs" if silent.runs else "describe pod"
    return f"read why: kubectl {verb} -n {pod.namespace} {pod.name}"
