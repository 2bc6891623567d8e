"""Whether a script makes a node out of the machine that it runs on, or only speaks of nodes that are elsewhere."""

from __future__ import annotations

import posixpath

from nodeworthy.boot.effects import (
    Act,
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
from nodeworthy.patterns import pattern

_OF_A_NODE = pattern(
    r"(?i)nvidia|nvreg|cuda-drivers|kubelet|kubeadm|nodeadm|containerd|docker|k3s|rke2|k8s|bootstrap\.sh|fabricmanager|"
    r"efs|nfs|lustre|modprobe"
)
# What they are told, they do on another machine, in a cluster or in an image.
_ELSEWHERE = frozenset(
    (
        "ssh scp rsync sshpass pssh pdsh clush ansible ansible-playbook kubectl oc helm helmfile kustomize argocd flux "
        "docker podman nerdctl buildah crane skopeo kind minikube vagrant packer terraform tofu pulumi aws gcloud az "
        "eksctl kops git gh curl wget make"
    ).split()
)
_ACTS = (Act.ENABLE, Act.DISABLE, Act.MASK, Act.START)
_ROOTS = ("/etc/", "/boot/", "/usr/lib/", "/usr/local/", "/lib/", "/var/lib/")
_NO_SYSTEM = ("helm", "pip", "pip3", "npm", "conda", "cargo", "go", "gem")


def makes_a_node(userdata: UserData) -> bool:
    """Of whatever is more than a script by itself (parts, cloud-config, a NodeConfig) its form says so."""
    if userdata.unread or len(userdata.parts) != 1 or userdata.parts[0].called:
        return True
    kind = userdata.parts[0].kind
    if kind is not PartKind.SHELL:
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
    if isinstance(effect, Unit):
        return effect.act in _ACTS or _names_one(effect.unit.shown())
    if isinstance(effect, Fetches):
        return effect.runs and _names_one(effect.url.shown())
    if isinstance(effect, RunsElsewhere):
        return False
    if isinstance(effect, Runs):
        return _runs_here(effect)
    return isinstance(effect, NotUnderstood) and _names_one(effect.text)


def _runs_here(effect: Runs) -> bool:
    words = [each.shown() for each in effect.arguments]
    return posixpath.basename(words[0]) not in _ELSEWHERE and any(map(_names_one, words)) if words else False


def _names_one(text: str) -> bool:
    return _OF_A_NODE.search(text) is not None
