"""What configures a node's kubelet, or its Talos, setting by setting; and what of it is read by nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import ClassVar

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Writes
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.known.node_configuration import KUBELET, TALOS, paths_to, root_of, settings_of, type_of_kind
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_OF_KUBELET = "kubelet.config.k8s.io/"
_PROGRAMS = {KUBELET: "kubelet", TALOS: "Talos"}
# What a configuration of Talos, or a patch of one, may say beside these two.
_OF_TALOS = frozenset({"machine", "cluster", "version", "debug", "persist"})
# How alike two names are of which one is a slip of the other.
_NEAR = 0.75


@dataclass(frozen=True)
class NodeConfiguration:
    """A document, or a part of one, that one program alone reads."""

    called: ClassVar[str] = "a configuration of kubelet or Talos"

    place: Place
    program: str
    type: str
    tree: Tree
    # Where it stands in a document of something else.
    within: str = ""
    # Those of the script, where it is one that writes it.
    lines: Sequence[Line] | None = None

    @property
    def reader(self) -> str:
        return _PROGRAMS[self.program]

    def place_of(self, place: Place) -> Place:
        if self.lines is None:
            return place
        return self.lines[min((place.line or 1), len(self.lines)) - 1].place


@dataclass(frozen=True)
class UnreadSetting:
    place: Place
    path: str
    should: str


def configurations(document: Tree) -> Iterator[NodeConfiguration]:
    kind, version = document.get("kind").string, document.get("apiVersion").string
    if kind == "KubeletConfiguration" and version.startswith(_OF_KUBELET):
        yield _of_kubelet(document)
    elif version == "v1alpha1":
        type_ = type_of_kind(kind)
        if type_ is not None:
            yield NodeConfiguration(document.place, TALOS, type_, document)
    elif _is_of_talos(document):
        yield NodeConfiguration(document.place, TALOS, root_of(TALOS), document)
        own = document.get("machine", "kubelet", "extraConfig")
        if own.is_mapping:
            yield _of_kubelet(own, within="machine.kubelet.extraConfig")


def _of_kubelet(tree: Tree, within: str = "") -> NodeConfiguration:
    return NodeConfiguration(tree.place, KUBELET, root_of(KUBELET), tree, within)


def _is_of_talos(document: Tree) -> bool:
    """Others say `machine` and `cluster`, too: here most of what stands in it is Talos'."""
    if not document.mapping or not _OF_TALOS.issuperset(document.mapping):
        return False
    machine = document.get("machine")
    settings = settings_of(TALOS, "MachineConfig")
    known = [name for name in machine.mapping if name in settings]
    return len(known) > len(machine.mapping) - len(known) and known != ["type"]


def configurations_written(script: BootScript) -> Iterator[NodeConfiguration]:
    """The files that a script writes for kubelet."""
    for write in script.timeline.of(Writes):
        content = content_of(write)
        text = content.text.shown() if content is not None else ""
        if content is None or _OF_KUBELET not in text:
            continue
        try:
            documents = read_all(text, Place())
        except NotYaml:
            continue  # what is filled in later may make YAML of it
        for found in (one for each in documents for one in configurations(each)):
            yield NodeConfiguration(write.place, found.program, found.type, found.tree, lines=content.lines)


def unread_settings(configuration: NodeConfiguration) -> list[UnreadSetting]:
    return list(_unread(configuration, configuration.tree, configuration.type, ""))


def _unread(configuration: NodeConfiguration, tree: Tree, type_: str, path: str) -> Iterator[UnreadSetting]:
    settings = settings_of(configuration.program, type_)
    for name, said in tree.mapping.items() if settings else ():
        below, own = settings.get(name), f"{path}{name}"
        if below is None:
            if not (said.is_unknown or said.is_null or _is_for_others(name)):
                place = configuration.place_of(said.heading)
                yield UnreadSetting(place, own, _should(configuration.program, settings, path, name))
        elif below.startswith("["):
            for each in said.sequence:
                yield from _unread(configuration, each, below[1:], f"{own}.")
        elif below.startswith("{"):
            for key, each in said.mapping.items():
                yield from _unread(configuration, each, below[1:], f"{own}.{key}.")
        elif below:
            yield from _unread(configuration, said, below, f"{own}.")


def _is_for_others(name: str) -> bool:
    """YAML's merge key, a patch's own words, names of anchors alone, and what a program fills in."""
    return name.startswith(("<<", "x-", "$", "#", "_", ".")) or MADE_LATER.search(name) is not None


def _should(program: str, settings: Mapping[str, str], path: str, name: str) -> str:
    near = get_close_matches(name, settings, 1, _NEAR)
    if near:
        return f"{path}{near[0]}"
    # A name of several words means one thing, wherever it stands.
    elsewhere = paths_to(program, name) if name != name.lower() else []
    return elsewhere[0] if len(elsewhere) == 1 else f"no {path}{name}"
