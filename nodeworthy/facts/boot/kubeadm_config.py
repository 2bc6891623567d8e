"""What kubeadm is given with `--config`: how it takes the arguments of what it starts.

Up to v1beta3 they are a mapping of names to texts, from v1beta4 on a list of `name` and `value`; the other shape ends
kubeadm before it has done anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from nodeworthy.boot.effects import Writes
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.facts.secrets.planned_secret import is_kubeadms
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

_MARK = "kubeadm.k8s.io/"
_OF_NODES = (("nodeRegistration", "kubeletExtraArgs"),)
_BY_KIND: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "InitConfiguration": _OF_NODES,
    "JoinConfiguration": _OF_NODES,
    "ClusterConfiguration": (
        *((each, "extraArgs") for each in ("apiServer", "controllerManager", "scheduler")),
        ("etcd", "local", "extraArgs"),
    ),
}
_OF_MAPPINGS = ("v1beta1", "v1beta2", "v1beta3")


@dataclass(frozen=True)
class Arguments:
    """Of one component, as its config says them."""

    version: str
    path: str
    tree: Tree
    place: Place

    @property
    def takes_a_mapping(self) -> bool:
        return self.version in _OF_MAPPINGS

    @property
    def is_refused(self) -> bool:
        return self.tree.is_sequence if self.takes_a_mapping else self.tree.is_mapping


@dataclass(frozen=True, eq=False)
class KubeadmConfig:
    """One document of it."""

    called: ClassVar[str] = "kubeadm's config"
    origin: ClassVar[str] = "kubeadm's config"

    place: Place
    arguments: tuple[Arguments, ...]

    @property
    def refused(self) -> list[Arguments]:
        return [each for each in self.arguments if each.is_refused]


def kubeadm_configs(document: Tree) -> Iterator[KubeadmConfig]:
    found = tuple(_arguments(document))
    if found:
        yield KubeadmConfig(document.place, found)


def configs_written(script: BootScript) -> Iterator[KubeadmConfig]:
    """The files that a script writes for kubeadm, with what stands in them where the script says it."""
    for write in script.timeline.of(Writes):
        content = content_of(write)
        text = content.text.shown() if content is not None else ""
        found = list(_in_text(text)) if content is not None and _MARK in text else []
        lines = content.lines if content is not None else ()
        last = len(lines) - 1
        placed = (replace(each, place=lines[min((each.place.line or 1) - 1, last)].place) for each in found)
        if found:
            yield KubeadmConfig(write.place, tuple(placed))


def _in_text(text: str) -> Iterator[Arguments]:
    try:
        documents = read_all(text, Place())
    except NotYaml:
        return  # what is filled in later may make YAML of it
    for each in documents:
        yield from _arguments(each)


def _arguments(document: Tree) -> Iterator[Arguments]:
    if not is_kubeadms(document):
        return
    version = (document.get("apiVersion").text or "").removeprefix(_MARK)
    for path in _BY_KIND.get(document.get("kind").text or "", ()) if version.startswith("v1beta") else ():
        tree = document.get(*path)
        if tree.is_mapping or tree.is_sequence:
            yield Arguments(version, ".".join(path), tree, tree.key or tree.place)
