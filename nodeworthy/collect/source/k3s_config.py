"""Recognises what k3s and RKE2 read as config.yaml, by its content: also where YAML can't read it, for whoever has the
file reads the token in it all the same."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Located, Place

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

REMEDY = (
    "let whatever builds the node fetch it from a store and write it there (token-file names a file with it alone); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate"
)
_ENDINGS = (".yaml", ".yml", ".j2", ".tftpl", ".tmpl", ".tpl", "")
_TOKEN = pattern(rb"(?m)^(?:agent-)?token(?:-file)?[ \t]*:[ \t]*\S")
# Where the first server answers; a kubeconfig has it further in.
_SERVER = pattern(rb"(?m)^server[ \t]*:[ \t]*[\"']?https?://[^\s\"']{1,300}:(?:6443|9345)\b")
_OTHER_KEY = pattern(
    rb"(?m)^(?:cluster-init|tls-san|write-kubeconfig-mode|node-(?:label|taint|ip|external-ip)|cni|flannel-\w+|"
    rb"kube(?:let|-\w+)-arg|disable-(?:kube-proxy|cloud-controller|network-policy|helm-controller|etcd|apiserver)|"
    rb"etcd-(?:snapshot|s3|expose|arg)[\w-]*|embedded-registry)[ \t]*:"
)
_KEY = pattern(r"[a-z][a-z0-9-]*[ \t]*:[ \t]")
# An object of Kubernetes, which other rules know.
_OBJECT = pattern(rb"(?m)^(?:apiVersion|kind)[ \t]*:")
_RKE2 = "rke2"
_FILLED_IN = (b"{{", b"{%", b"${", b"%{")


def config_title(data: bytes, path: str) -> str | None:
    """Whose config it is, for a reader; None where it is none."""
    if PurePath(path).suffix not in _ENDINGS or _TOKEN.search(data) is None or _OBJECT.search(data) is not None:
        return None
    if _SERVER.search(data) is None and _OTHER_KEY.search(data) is None:
        return None
    return "RKE2's config" if b"rke2" in data or b":9345" in data or "rke2" in path else "k3s' config"


def nodes_of(data: bytes, called: str, place: Place) -> AskedNodes:
    """The nodes that read it: RKE2's name or its port decides, where k3s is not named it is only likely."""
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

    distribution = _RKE2 if called.startswith("RKE2") else "k3s"
    is_likely = distribution == "k3s" and b"k3s" not in data and "k3s" not in (place.path or "")
    name = PurePath(place.path or "").name or "config"
    return AskedNodes(
        name, "the node configured by", place, Located.known(distribution, place), called, is_likely=is_likely
    )


def own_lines(text: str) -> str:
    """Of one that YAML can't read: what else stands there, notes and commands, is no config, and left out."""
    return "\n".join(row if _KEY.match(row) else "" for row in text.split("\n"))


def fault(data: bytes, text: str, place: Place) -> tuple[Place, str] | None:
    """Where it can't be read, and why; of a template that is not known."""
    if any(mark in data for mark in _FILLED_IN):
        return None
    try:
        read_all(text, place)
    except NotYaml as problem:
        return problem.place, problem.why
    return None
