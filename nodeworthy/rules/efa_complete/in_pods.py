"""Whether pods that are to talk by EFA are given it: by its device plugin, which has to run where they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.node_labels import INSTANCE_TYPES
from nodeworthy.facts.fleet.gpu_pool import PoolDoor
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.efa_plugin import NAME, EfaPlugin
from nodeworthy.facts.pod.node_choice import Selection
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.efa import efa_of
from nodeworthy.patterns import pattern
from nodeworthy.rules.efa_complete import RULE, SLOW
from nodeworthy.verdict import Findings, Known, Related, Severity, fail, skip

EFA = "vpc.amazonaws.com/efa"
_TOLD = ("FI_PROVIDER", "efa")
_TAG = pattern(rf"[^\s@]{{0,200}}{NAME}:v?(\d{{1,3}})\.(\d{{1,3}})\.(\d{{1,4}})")
# Nodes that have two other devices of InfiniBand beside those of EFA, and the plugin that tells them apart.
_OTHERS, _TELLS_APART = "p6-b200", (0, 5, 10)
_DEVICES = "/dev/infiniband"
_ALL = "/dev"
# In an object of Kubernetes' own there is one template; those of training operators, and Volcano's Job, hold several.
_OF_ONE_TEMPLATE = ("v1", "apps/", "batch/")


@RULE.check
def a_pod_that_is_to_use_it_asks_for_it(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    may_be_told = pod.live is None and bool(pod.gpu_resources)
    told = next(filter(None, map(_told_to_use_it, _together(pod, every))), None) if may_be_told else None
    if told is None:
        skip("nothing tells it to use EFA, or it asks for no GPUs")
    if pod.elsewhere is not None or pod.spec.get("resourceClaims").sequence or any(map(_asks, pod.containers)):
        return
    if _mounts_devices(pod) is not None:
        skip("it takes the devices from the node itself")
    asking = next(each for each in pod.containers if each.gpu_resources)
    limits = asking.tree.get("resources", "limits")
    yield fail(
        limits.heading if not limits.is_absent else asking.tree.place,
        f"{pod.title} is to talk by EFA, and asks for none",
        is_=f"no {EFA}",
        should=f"{EFA}: as many as the machine has for its GPUs, in limits and in requests",
        related=[Related(told.place, "here it is told to use EFA")],
        cause=f"without it the container has no /dev/infiniband/uverbs*: libfabric finds no provider efa, and {SLOW}",
        remedy=f"add {EFA} to resources (of a whole p4d 4, p5 32, p5en 16, p6-b200 8), beside EFA's device plugin",
        severity=Severity.WARNING,
    )


def _together(pod: PodTemplate, every: Sequence[PodTemplate]) -> Sequence[PodTemplate]:
    """The pods of its document. Of thousands of pods it would take long to look through all for each."""
    if pod.document.get("apiVersion").string.startswith(_OF_ONE_TEMPLATE):
        return [pod]
    return [each for each in every if each.document is pod.document] or [pod]


def _told_to_use_it(pod: PodTemplate) -> Tree | None:
    name, value = _TOLD
    for container in pod.containers:
        for each in container.tree.get("env").sequence:
            if each.get("name").text == name and each.get("value").text == value:
                return each
        for part in ("command", "args"):
            for word in container.tree.get(part).sequence:
                if word.text == f"{name}={value}":
                    return word
    return None


def _asks(container: Container) -> bool:
    resources = container.tree.get("resources")
    return any(EFA in resources.get(each).mapping or resources.get(each).is_unknown for each in ("limits", "requests"))


def _mounts_devices(pod: PodTemplate) -> Tree | None:
    volumes = (each.get("hostPath", "path") for each in pod.spec.get("volumes").sequence)
    return next((each for each in volumes if each.string.rstrip("/") in (_DEVICES, _ALL)), None)


@RULE.check
def a_pod_sees_no_others_beside_it(pod: PodTemplate) -> Findings:
    asked = [each for each in pod.containers if _asks(each)]
    mounted = _mounts_devices(pod)
    types = [each for label in INSTANCE_TYPES for each in pod.selection.wanted(label)]
    if pod.live is not None or not asked or mounted is None or not any(each.startswith(_OTHERS) for each in types):
        skip("it asks for no EFA, mounts no devices of the node, or goes to machines that have no others")
    yield fail(
        mounted.located(),
        f"{pod.title} asks for EFA, and mounts all of the node's {_DEVICES} beside it",
        is_=mounted.string,
        should="no such hostPath: the EFA device plugin brings the devices that it gives",
        cause=f"a {_OTHERS} has two devices of mlx5 there beside those of EFA: libfabric opens each of them, fails at "
        f"the first that it was not given (fi_getinfo: -61, No data available), and {SLOW}",
        remedy="leave the volume and its mount out",
        severity=Severity.WARNING,
    )


@RULE.check
def its_plugin_tells_devices_apart(plugin: EfaPlugin, doors: Sequence[PoolDoor]) -> Findings:
    tag = _TAG.match(plugin.image.string)
    there = next((each for each in _doors_with(doors, _OTHERS) if not _keeps_off(plugin, each)), None)
    if tag is None or there is None:
        skip("its version can't be read, or it goes to no machines that have others")
    if tuple(map(int, tag.groups())) >= _TELLS_APART:
        return
    door, name = there
    newer = ".".join(map(str, _TELLS_APART))
    yield fail(
        settle(plugin.image),
        f"{plugin.title} counts devices as EFA that are none on {door.title}",
        should=f"{NAME}:v{newer} or newer",
        related=[Related(door.place, f"{door.title} is of {name}")],
        cause=f"before {newer} it takes every device of InfiniBand for EFA: a {_OTHERS} offers 10 for the 8 that it has"
        ", and a job that is given one of the others fails in NCCL, or times out",
        remedy=f"take the newer plugin (helm: {NAME} of EKS' charts)",
    )


@RULE.check
def its_plugin_goes_where_it_is(plugin: EfaPlugin, doors: Sequence[PoolDoor]) -> Findings:
    for door, name in _doors_with(doors, ""):
        has = efa_of(name)
        if has is not None and has.interfaces > 1 and _keeps_off(plugin, (door, name)):
            yield fail(
                plugin.pods.get("affinity").heading,
                f"{plugin.title} chooses its nodes by their type, and not those of {door.title}",
                is_=f"no {name}",
                should=f"{name} among the values of {INSTANCE_TYPES[0]}",
                related=[Related(door.place, f"{door.title} is of {name}, which has {has.interfaces} EFA interfaces")],
                cause=f"no plugin runs there, so no node offers {EFA}: pods that ask for it stay Pending, others go by "
                "TCP",
                remedy=f"add {name} to the list, or take the plugin's chart, which chooses by a label",
                severity=Severity.WARNING,
            )


def _doors_with(doors: Sequence[PoolDoor], family: str) -> Iterator[tuple[PoolDoor, str]]:
    for door in doors:
        for each in door.pool.machines.types:
            if isinstance(each.state, Known) and str(each.state.value).startswith(family):
                yield door, str(each.state.value)


def _keeps_off(plugin: EfaPlugin, there: tuple[PoolDoor, str]) -> bool:
    """Whether it asks for types of machines, and not for this one."""
    _, name = there
    selection = Selection(plugin.pods)
    asked = [label for label in INSTANCE_TYPES if any(selection.wanted(label))]
    return bool(asked) and all(selection.refuses(label, name) for label in asked)
