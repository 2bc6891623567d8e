"""Which pools of a fleet boot with a script: the one that it names, else those that it is written for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import PurePath

from nodeworthy.boot.effects import (
    Act,
    AddsRepository,
    Effect,
    Fetches,
    Installs,
    Joins,
    LoadsModule,
    Mounts,
    NotUnderstood,
    Opens,
    Runs,
    RunsElsewhere,
    Unit,
    Writes,
)
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind, UserData
from nodeworthy.facts.boot.families import PROGRAMS
from nodeworthy.facts.boot.script import POOL_LABEL, BootPool, BootScript, NotInFleet
from nodeworthy.fleet.model import ASKED_OF_A_POOL, Fleet, Pool, no_fleet, not_inferred
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Known, NotKnown

# Whether a script makes a node out of the machine that it runs on, or only speaks of nodes that are elsewhere.

_OF_A_NODE = pattern(
    r"(?i)nvidia|nvreg|cuda-drivers|kubelet|kubeadm|nodeadm|containerd|docker|k3s|rke2|k8s|bootstrap\.sh|fabricmanager|"
    r"efs|nfs|lustre|modprobe"
)
# Archives that have kubelet.
_OF_KUBELET = pattern(r"(?i)kubernetes|\bk8s")
# What they are told, they do on another machine, in a cluster or in an image.
_ELSEWHERE = frozenset(
    (
        "ssh scp rsync sshpass pssh pdsh clush ansible ansible-playbook kubectl oc helm helmfile kustomize argocd flux "
        "docker podman nerdctl buildah crane skopeo kind minikube vagrant packer terraform tofu pulumi aws gcloud az "
        "eksctl kops git gh curl wget make"
    ).split()
)
_INSTALLER = pattern(r"https://get\.(?:k3s|rke2)\.io/?$")
_ACTS = (Act.ENABLE, Act.DISABLE, Act.MASK, Act.START)
_ROOTS = ("/etc/", "/boot/", "/usr/lib/", "/usr/local/", "/lib/", "/var/lib/")
# Words before a program that only say how it is run.
_AT_MOST = 4
_NO_SYSTEM = ("helm", "pip", "pip3", "npm", "conda", "cargo", "go", "gem")


def makes_a_node(userdata: UserData) -> bool:
    """Whether this makes a node. What is more than a single script (parts, cloud-config, a NodeConfig) shows it by its
    form."""
    if userdata.unread or len(userdata.parts) != 1 or userdata.parts[0].called:
        return True
    kind = userdata.parts[0].kind
    if kind not in (PartKind.SHELL, PartKind.PLAYBOOK):
        return kind is not PartKind.OTHER
    return any(_is_of_a_node(each) for each in userdata.timeline.effects)


def brings_something(timeline: Timeline) -> bool:
    """Whether it brings a node something; what only starts, stops and enables units helps one that is there."""
    return any(_brings(each) for each in timeline.effects)


def _brings(effect: Effect) -> bool:
    if isinstance(effect, Writes):
        return effect.path.shown().startswith(_ROOTS)
    if isinstance(effect, Installs):
        return effect.manager not in _NO_SYSTEM and any(_names_one(each.shown()) for each in effect.packages)
    return isinstance(effect, (Joins, LoadsModule, Mounts, Opens))


def _is_of_a_node(effect: Effect) -> bool:
    if _brings(effect):
        return True
    if isinstance(effect, AddsRepository):
        # A repository of charts holds nothing for a machine.
        return (
            not effect.command.lstrip().startswith("helm") and _OF_KUBELET.search(effect.repository.shown()) is not None
        )
    if isinstance(effect, Unit):
        return effect.act in _ACTS or _names_one(effect.unit.shown())
    if isinstance(effect, Fetches):
        # An installer that flows into a pipe is meant to run, also where nothing behind it does that.
        is_run = effect.runs or (effect.to is None and _INSTALLER.match(effect.url.shown()) is not None)
        return is_run and _names_one(effect.url.shown())
    if isinstance(effect, RunsElsewhere):
        return False
    if isinstance(effect, Runs):
        return _runs_here(effect)
    return isinstance(effect, NotUnderstood) and _names_one(effect.text)


def _runs_here(effect: Runs) -> bool:
    from nodeworthy.facts.boot.made_ready import is_swapoff

    words = [each.shown() for each in effect.arguments]
    if is_swapoff(effect):
        return True
    return posixpath.basename(words[0]) not in _ELSEWHERE and any(map(_names_one, words)) if words else False


def _names_one(text: str) -> bool:
    return _OF_A_NODE.search(text) is not None


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
        return replace(script, no_pool=_still_asked(script) if why == no_fleet() else why)
    try:
        pools = _pools(script, fleet)
    except NotKnown as unknown:
        return replace(script, no_pool=f"which pool it is for is not known: {unknown.why}")
    if isinstance(pools, str):
        return replace(script, no_pool=pools)
    return replace(script, pools=tuple(BootPool(pool, fleet) for pool in pools))


def _still_asked(script: BootScript) -> str:
    """What a pool would have to say because neither the script nor its image says it already."""
    said = {"distribution": distribution_of(script) is not None or _begins(script), "driver": _has_driver(script)}
    asked = [each for each in ASKED_OF_A_POOL if not said.get(each)]
    return not_inferred(asked) if said["distribution"] else no_fleet(asked)


def _begins(script: BootScript) -> bool:
    from nodeworthy.facts.boot.shown_containerd import cluster_begun

    try:
        return cluster_begun(script) is not None
    except NotKnown:
        return False


def distribution_of(script: BootScript) -> str | None:
    """Which distribution its nodes become. Its image says that, else the way in which it joins, where only one
    distribution joins so."""
    if script.image is not None and script.image.distribution is not None:
        return script.image.distribution
    try:
        ways = {each.how for each in script.timeline.of(Joins)}
    except NotKnown:
        return None
    found = {one for way in ways for one in DISTRIBUTIONS_BY_JOIN.get(way, ())}
    return found.pop() if len(found) == 1 else None


def _has_driver(script: BootScript) -> bool:
    if script.image is not None and script.image.has_driver:
        return True
    from nodeworthy.facts.boot.drivers import drivers

    try:
        return bool(drivers(script.timeline))
    except NotKnown:
        return False


def _pools(script: BootScript, fleet: Fleet) -> Sequence[Pool] | str:
    timeline = script.timeline
    if script.is_library:
        return "another script calls its functions, and nodes boot with that one"
    named = named_pool(timeline)
    if named is not None:
        found = [pool for pool in fleet.pools if pool.name == named]
        return found or NotInFleet("it names", named)
    if not script.is_meant and not brings_something(timeline):
        return "it brings a node nothing, and nobody says that one boots with it"
    built = [pool for pool in fleet.pools if pool.provision] or list(fleet.pools)
    return _of_kind(script, _fitting(script, timeline, built))


def named_pool(timeline: Timeline) -> str | None:
    """The pool that the node says it belongs to, by the label that it registers with."""
    labels = (label for joins in timeline.of(Joins) for label in joins.labels)
    return next((value for name, value in labels if name == POOL_LABEL), None)


def _fitting(script: BootScript, timeline: Timeline, pools: Sequence[Pool]) -> Sequence[Pool]:
    """The pools whose nodes can read the script. If none can, that is the fault, and it is told of all of them."""
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
    words = set(re.split(r"[^a-z0-9]+", PurePath(script.place.file).name.lower()))
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
    return PurePath(script.place.file).name.lower().split(".")[0]


def is_for_gpus(script: BootScript) -> bool:
    """Whether it does anything with a GPU, by the names in it."""
    if any(each.module.startswith("nvidia") for each in script.timeline.of(LoadsModule)):
        return True
    return any(sign in part.text for part in script.userdata.parts for sign in GPU_SIGNS)
