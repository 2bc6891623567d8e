"""Which nodes a run would take, with what each has: those that are named, of a label, or of the fleet's pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.collect.in_cluster.chosen import NODE, choose
from nodeworthy.collect.in_cluster.cluster import Cluster
from nodeworthy.collect.workload.recording import LeftOut
from nodeworthy.documents.plain import at, mapping_at, number_at, strings_at, text_at
from nodeworthy.facts.accept.measure import Shape, Slices
from nodeworthy.facts.pod.containers import NotAQuantity, quantity
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.acceptance import (
    ALLOCATION,
    BY_THE_DRIVER,
    OF_A_SLICE,
    OF_GROUPS,
    OF_THE_NODE,
    TESTS,
    Level,
    NotRun,
    level_tests,
)
from nodeworthy.known.hami import annotation_names
from nodeworthy.known.resources import GPU, gpu_names, mig_profile
from nodeworthy.records import dataclass

_PRODUCT, _COUNT, _REPLICAS = "nvidia.com/gpu.product", "nvidia.com/gpu.count", "nvidia.com/gpu.replicas"
# Where all GPUs of a node are cut alike, slices are offered as GPUs, and the product's name says of which profile.
_SINGLE = "-MIG-"
_INSTANCE = "node.kubernetes.io/instance-type"
_RACKS = ("topology.k8s.aws/network-node-layer-3", "topology.kubernetes.io/rack", "cloud.google.com/gce-topology-block")


_CUT = "its GPUs are cut into slices by MIG: a process sees one of them, and several can't work together"
# Why nobody can run allocation by hand.
ONLY_WATCHED = "its jobs are made one after the other, each when the last one's GPUs are free, by who watches a run"


@dataclass(frozen=True)
class Targets:
    shapes: tuple[Shape, ...]
    left_out: tuple[LeftOut, ...]
    told: tuple[str, ...]


def targets(
    cluster: Cluster, names: Sequence[str], selectors: Sequence[str], fleet: Fleet | None, pool: str | None
) -> Targets:
    """Raises CouldNotLook where the cluster does not tell its nodes."""
    chosen = choose(cluster, [f"{NODE}{each}" for each in names], selectors, fleet, pool)
    shapes, left_out = [], list(_opted_out(chosen.opted_out))
    left_out += _all_tests(tuple(each.removeprefix(NODE) for each in chosen.missing), NotRun.NODE_GONE, "no such node")
    for name in chosen.nodes.values():
        node = cluster.node(name) or {}
        why = _unfit(node)
        if why is None:
            shapes.append(shape_of(node))
        else:
            left_out += _all_tests((name,), *why)
    return Targets(tuple(shapes), tuple(left_out), chosen.told)


def shape_of(node: Mapping[str, Any]) -> Shape:
    labels = strings_at(node, "metadata", "labels")
    gpu, _, profile = labels.get(_PRODUCT, "").partition(_SINGLE)
    offered = offers(node)
    single = [Slices(profile, offered.pop(GPU), GPU)] if profile and GPU in offered else []
    mixed = [Slices(mig_profile(name), count, name) for name, count in offered.items() if name != GPU]
    return Shape(
        node=text_at(node, "metadata", "name"),
        gpu=gpu or None,
        count=offered.get(GPU),
        instance=labels.get(_INSTANCE, ""),
        rack=next((labels[each] for each in _RACKS if each in labels), ""),
        cpus=_amount(node, "cpu", 1),
        memory_gib=_amount(node, "memory", 1 << 30),
        slices=(*single, *mixed),
    )


def offers(node: Mapping[str, Any]) -> dict[str, int]:
    """How many GPUs, and slices of each profile, as far as it has any."""
    amounts = mapping_at(node, "status", "allocatable")
    counted = ((name, number_at(amounts, name)) for name in gpu_names(amounts))
    return {name: count for name, count in counted if count}


def _amount(node: Mapping[str, Any], of: str, unit: int) -> float | None:
    try:
        return float(quantity(at(node, "status", "allocatable", of)) / unit) or None
    except NotAQuantity:
        return None


def _unfit(node: Mapping[str, Any]) -> tuple[NotRun, str] | None:
    """Why nothing is tried on it."""
    if mapping_at(node, "spec").get("unschedulable") is True:
        return NotRun.IN_USE, "it is cordoned: somebody keeps work away from it"
    why = _shared(node)
    return (NotRun.NO_HARDWARE, why) if why is not None else None


def _shared(node: Mapping[str, Any]) -> str | None:
    """How the node offers its GPUs, where what somebody is given is not his alone."""
    offered = offers(node).get(GPU)
    if not offered:
        return None if offers(node) else f"it offers no {GPU} (none, or by DRA only)"
    labels = strings_at(node, "metadata", "labels")
    there, replicas = labels.get(_COUNT, ""), labels.get(_REPLICAS, "")
    if annotation_names().registered in strings_at(node, "metadata", "annotations"):
        return f"its {GPU} are slices that HAMi makes of each GPU, which measure nothing"
    if replicas not in ("", "1"):
        return f"its {GPU} are {replicas} slices of each GPU, which measure nothing"
    if there.isdecimal() and offered > int(there):
        return f"its {offered} {GPU} are slices of {there}, which measure nothing"
    return None


def _opted_out(hosts: Mapping[str, str]) -> Iterator[LeftOut]:
    for host, label in hosts.items():
        yield from _all_tests((host.removeprefix(NODE),), NotRun.OPTED_OUT, f"by its label {label}")


def _all_tests(nodes: tuple[str, ...], reason: NotRun, why: str) -> list[LeftOut]:
    return [LeftOut(test, (node,), reason, why) for node in nodes for test in TESTS]


def not_begun(
    shapes: Sequence[Shape], tests: Sequence[str], level: Level, *, without_torch: bool = False, watched: bool = True
) -> list[LeftOut]:
    """The tests that nobody begins on nodes that are taken."""
    names, whole = tuple(each.node for each in shapes), [each for each in shapes if each.has_whole_gpus]
    cut = tuple(each.node for each in shapes if not each.has_whole_gpus)
    found = []
    for test in TESTS:
        if test not in tests:
            found.append(LeftOut(test, names, NotRun.SKIPPED, "it was not asked for"))
        elif test not in level_tests(level):
            found.append(LeftOut(test, names, NotRun.LEVEL, f"the level {level} does not hold it"))
        elif without_torch and test not in BY_THE_DRIVER:
            found.append(LeftOut(test, names, NotRun.NO_IMAGE, "it needs torch, and this is a run --without-torch"))
        elif test == ALLOCATION and not watched:
            found.append(LeftOut(test, names, NotRun.SKIPPED, ONLY_WATCHED))
        else:
            found += _of_whole_gpus(test, whole, cut)
    return [each for each in found if each.nodes]


def _of_whole_gpus(test: str, whole: Sequence[Shape], cut: tuple[str, ...]) -> Iterator[LeftOut]:
    """What takes several GPUs, or nodes with such."""
    if test not in (*OF_A_SLICE, *OF_THE_NODE):
        yield LeftOut(test, cut, NotRun.NO_HARDWARE, _CUT)
    if test in OF_GROUPS and len(whole) < 2:
        yield LeftOut(
            test, tuple(each.node for each in whole), NotRun.ONE_NODE, f"needs 2 nodes, {len(whole)} is there"
        )
