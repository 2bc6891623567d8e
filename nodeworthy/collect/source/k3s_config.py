"""What k3s and RKE2 read as config.yaml: also where YAML can't read it, for whoever has the file reads the token in it
all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files_beside import FilesBeside, Span
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines
from nodeworthy.facts.fleet.node_taint import written_taint
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Place

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

_REMEDY = (
    "let whatever builds the node fetch it from a store and write it there (token-file names a file with it alone); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate"
)
_KEY = pattern(r"[a-z][a-z0-9-]*[ \t]*:[ \t]")
_RKE2 = "rke2"
_RANGES = ("service-cidr", "cluster-cidr")
_FILLED_IN = (b"{{", b"{%", b"${", b"%{")


# What they read besides, in the order of the names: a list is added to by `node-label+`, and replaced by `node-label`.
_DROP_INS = "config.yaml.d"
_LABELS, _TAINTS = "node-label", "node-taint"
_MOST_DROP_INS = 32
# A config is every node's; what is registered says of some that they have GPUs.
_OF_GPUS = pattern(r"gpu|nvidia|profiling", re.IGNORECASE)


def facts_in(data: bytes, called: str, text: str, place: Place, beside: FilesBeside) -> Iterator[Fact]:
    broken = fault(data, text, place)
    yield PlainText(place, text if broken is None else own_lines(text), called, _REMEDY)
    yield _nodes(data, called, place, _registered(data, place, beside) if broken is None else NOTHING_SAID)
    if broken is not None:
        yield UnreadableInput(*broken)


def _registered(data: bytes, place: Place, beside: FilesBeside) -> Machines:
    """The labels and the taints that the nodes register with, where they speak of GPUs."""
    said: dict[str, list[Tree]] = {_LABELS: [], _TAINTS: []}
    for document in (*_documents_of(data, place), *_drop_ins(place, beside)):
        for key in said:
            if not document.get(key).says_nothing:
                said[key] = _entries(document.get(key))
            said[key] += _entries(document.get(f"{key}+"))
    labels = dict(_label(each) for each in said[_LABELS])
    taints = [taint for each in said[_TAINTS] if (taint := written_taint(each.string, each.place)) is not None]
    if not any(_OF_GPUS.search(each) for each in (*labels, *map(str, taints))):
        return NOTHING_SAID
    return Machines(labels=labels, taints=tuple(taints))


def _documents_of(data: bytes, place: Place) -> list[Tree]:
    try:
        return read_all(data.decode("utf-8", "replace"), place)
    except NotYaml:
        return []


def _drop_ins(place: Place, beside: FilesBeside) -> Iterator[Tree]:
    if not PurePath(place.file).name.startswith("config."):
        return
    for path in beside.below(_DROP_INS)[:_MOST_DROP_INS]:
        documents = beside.documents(path) or []
        beside.read += [Span(beside.shown(path))] if documents else []
        yield from documents


def _entries(said: Tree) -> list[Tree]:
    """One may stand for a list of one."""
    return [each for each in (said.sequence or [said]) if each.text and "{" not in each.string]


def _label(said: Tree) -> tuple[str, Located[str]]:
    name, _, value = said.string.partition("=")
    return name, Located.known(value, said.place)


def _nodes(data: bytes, called: str, place: Place, machines: Machines) -> AskedNodes:
    """The nodes that read it: RKE2's name or its port decides, where k3s is not named it is only likely."""
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

    services, pods = _ranges(data, place)
    distribution = _RKE2 if called.startswith("RKE2") else "k3s"
    is_likely = distribution == "k3s" and b"k3s" not in data and "k3s" not in place.file
    name = PurePath(place.file).name or "config"
    return AskedNodes(
        name,
        "the node configured by",
        place,
        Located.known(distribution, place),
        called,
        services=services,
        pods=pods,
        machines=machines,
        is_likely=is_likely,
    )


def _ranges(data: bytes, place: Place) -> tuple[Located[str] | None, Located[str] | None]:
    """The ranges of services and of pods, where a server's config chooses them. Of two families the first counts."""
    if b"-cidr" not in data:
        return None, None
    documents = _documents_of(data, place)
    found = [next((each.get(key) for each in documents if each.get(key).text), None) for key in _RANGES]
    services, pods = (
        Located.known(each.string.split(",")[0].strip(), each.place) if each is not None else None for each in found
    )
    return services, pods


def own_lines(text: str) -> str:
    """The lines of a config that YAML can't read. What else stands there (notes, commands) is left out."""
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
