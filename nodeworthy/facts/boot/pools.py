"""Which pools of a fleet boot with a script: the one that it names, else those that it is written for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from nodeworthy.boot.effects import Installs, Joins, LoadsModule
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.families import PROGRAMS
from nodeworthy.facts.boot.node_making import brings_something
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.verdict import Known, NotKnown

POOL_LABEL = "nodeworthy/pool"

# Whose nodes are joined in this way.
DISTRIBUTIONS_BY_JOIN: dict[str, frozenset[str]] = {
    "nodeadm": frozenset({"eks-al2023"}),
    "bootstrap.sh": frozenset({"eks-al2", "eks-ubuntu"}),
    "bottlerocket": frozenset({"bottlerocket"}),
    "kubeadm": frozenset({"kubeadm"}),
    "k3s": frozenset({"k3s"}),
    "rke2": frozenset({"rke2"}),
    "k8s-snap": frozenset({"k8s-snap"}),
    "microk8s": frozenset({"microk8s"}),
}
_DEBIANS = frozenset({"eks-ubuntu", "kubeadm", "k3s", "rke2", "k8s-snap", "microk8s", "k0s", "crio", "aks"})
# Who has this package manager.
_MANAGED: dict[str, frozenset[str]] = {
    "apt": _DEBIANS,
    "apt-get": _DEBIANS,
    "dnf": frozenset({"eks-al2023", "kubeadm", "k3s", "rke2", "k0s", "crio"}),
    "yum": frozenset({"eks-al2", "eks-al2023", "kubeadm", "k3s", "rke2", "k0s", "crio"}),
}
GPU_SIGNS = ("nvidia", "NVreg_", "cuda")


def in_fleet(script: BootScript, fleet: Fleet | None, why: str) -> BootScript:
    """The script with the pools of this fleet that it is for."""
    if fleet is None:
        return replace(script, no_pool=why)
    try:
        pools = _pools(script, fleet)
    except NotKnown as unknown:
        return replace(script, no_pool=f"which pool it is for is not known: {unknown.why}")
    if isinstance(pools, str):
        return replace(script, no_pool=pools)
    return replace(script, pools=tuple(BootPool(pool, fleet) for pool in pools))


def _pools(script: BootScript, fleet: Fleet) -> Sequence[Pool] | str:
    timeline = script.timeline
    named = named_pool(timeline)
    if named is not None:
        found = [pool for pool in fleet.pools if pool.name == named]
        return found or f"it names the pool '{named}', which the fleet does not have"
    if not script.is_meant and not brings_something(timeline):
        return "it brings a node nothing, and nobody says that one boots with it"
    built = [pool for pool in fleet.pools if pool.provision] or list(fleet.pools)
    return _of_kind(script, _fitting(script, timeline, built))


def named_pool(timeline: Timeline) -> str | None:
    """The pool that the node says it belongs to, by the label that it registers with."""
    labels = (label for joins in timeline.of(Joins) for label in joins.labels)
    return next((value for name, value in labels if name == POOL_LABEL), None)


def _fitting(script: BootScript, timeline: Timeline, pools: Sequence[Pool]) -> Sequence[Pool]:
    """Those whose nodes can read it. If none can, that is the fault, and it is told of all of them."""
    for wanted in (_by_join(script, timeline), _by_packages(timeline)):
        fitting = [pool for pool in pools if _distribution(pool) in wanted] if wanted else []
        if fitting:
            pools = fitting
    return pools


def _by_join(script: BootScript, timeline: Timeline) -> frozenset[str]:
    kinds = {part.kind for part in script.userdata.parts}
    ways = {joins.how for joins in timeline.of(Joins)}
    ways |= {"nodeadm"} if PartKind.NODE_CONFIG in kinds else set()
    ways |= {"bottlerocket"} if PartKind.BOTTLEROCKET in kinds else set()
    return frozenset(distribution for way in ways for distribution in DISTRIBUTIONS_BY_JOIN.get(way, ()))


def _by_packages(timeline: Timeline) -> frozenset[str]:
    managers = {PROGRAMS.get(each.manager, each.manager) for each in timeline.of(Installs)}
    return frozenset(distribution for each in managers for distribution in _MANAGED.get(each, ()))


def _distribution(pool: Pool) -> str:
    return pool.distribution.state.value if isinstance(pool.distribution.state, Known) else ""


def _of_kind(script: BootScript, pools: Sequence[Pool]) -> Sequence[Pool]:
    """A file's name may say whose it is; a script that does nothing with a GPU is for nodes that have none."""
    words = set(re.split(r"[^a-z0-9]+", PurePath(script.place.path or "").name.lower()))
    by_name = [pool for pool in pools if pool.name.lower() in words or pool.name.lower() == _stem(script)]
    if by_name:
        return by_name
    for word, is_gpu in (("gpu", True), ("cpu", False)):
        kind = [pool for pool in pools if pool.is_gpu is is_gpu]
        if word in words and kind:
            return kind
    kind = [pool for pool in pools if pool.is_gpu is is_for_gpus(script)]
    return kind or pools


def _stem(script: BootScript) -> str:
    return PurePath(script.place.path or "").name.lower().split(".")[0]


def is_for_gpus(script: BootScript) -> bool:
    """Whether it does anything with a GPU, by the names in it."""
    if any(each.module.startswith("nvidia") for each in script.timeline.of(LoadsModule)):
        return True
    return any(sign in part.text for part in script.userdata.parts for sign in GPU_SIGNS)
