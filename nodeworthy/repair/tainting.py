"""Marks nodes by what a look says of them: shows each change, asks, and makes it where the node is still as shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.known.verification import opt_out_label
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.repair.apply import move
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import Edit, NotEditable, RepairRefused, merge_patch
from nodeworthy.repair.record import Record
from nodeworthy.repair.server import Server, uid_of
from nodeworthy.repair.standing import Standing, guards, mark_edits, mark_shown, worst

# Which Node of the cluster a host is: its name, or the only one that its own name or its identifier fits.

NODE = "node://"
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_ADDRESS = pattern(r"[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*")


@dataclass(frozen=True)
class Host:
    """A host as a look at it knows it; what it did not say is empty."""

    name: str
    hostname: str = ""
    boot: str = ""

    @property
    def node(self) -> str | None:
        """The node's name in `node://NAME`."""
        return self.name.removeprefix(NODE) if self.name.startswith(NODE) else None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.hostname, _without_port(self.name.partition("://")[2]))))


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def node_of(host: Host, nodes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | str:
    """The node, or why it is not known which one."""
    found = [each for each in nodes if _is_named(each, host.names)]
    if len(found) != 1:
        named = ", ".join(sorted(text_at(each, "metadata", "name") for each in found)[:3])
        there = (
            f"{len(found)} nodes fit it ({named})" if found else "no node has its name, its address or its identifier"
        )
        return f"{there}: name it as {NODE}NAME"
    return another_boot(host, found[0]) or found[0]


def another_boot(host: Host, node: Mapping[str, Any]) -> str | None:
    """A node of the same name may be another machine: in another cluster, or made since."""
    now = text_at(node, "status", "nodeInfo", "bootID")
    if not now or not host.boot or now == host.boot:
        return None
    name = text_at(node, "metadata", "name")
    return f"node {name} runs another boot ({now}) than the machine that was looked at ({host.boot}): look again"


def _is_named(node: Mapping[str, Any], names: Sequence[str]) -> bool:
    own = set(_names(node))
    short = {each.partition(".")[0] for each in own if not _ADDRESS.fullmatch(each)}
    return any(each in own or each in short for each in names)


def _names(node: Mapping[str, Any]) -> Iterator[str]:
    yield text_at(node, "metadata", "name")
    yield from filter(None, [mapping_at(node, "metadata", "labels").get("kubernetes.io/hostname")])
    yield from (text_at(each, "address") for each in mappings_at(node, "status", "addresses"))
    identifier = text_at(node, "spec", "providerID").rpartition("/")[2]
    yield from [identifier] if identifier else []


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() and ":" not in name else host


@dataclass(frozen=True)
class Looked:
    """A host, and what a look says of it."""

    host: Host
    standing: Standing


@dataclass(frozen=True)
class Marking:
    """A node, and what is to be changed of it."""

    node: Mapping[str, Any]
    hosts: tuple[str, ...]
    standing: Standing
    edits: tuple[Edit, ...]

    @property
    def record(self) -> Record:
        target = Target("Node", text_at(self.node, "metadata", "name"))
        return Record(target, uid_of(self.node), (*self.edits, *guards(self.node)))

    def told(self) -> str:
        name = text_at(self.node, "metadata", "name")
        lines = [f"node {name} ({', '.join(self.hosts)}) {self.standing.fitness.value}:"]
        return "\n".join([*lines, *(f"  {mark_shown(each)}" for each in self.edits)]) + "\n"


Marks = Callable[[Standing, Mapping[str, Any], datetime], tuple[Edit, ...]]


@dataclass
class Tainting:
    server: Server
    # Whether to go on, once the changes were shown.
    agreed: Callable[[str], bool]
    # What is told as it happens.
    say: Callable[[str], object]
    now: datetime
    # What its standing leaves on a node.
    marks: Marks = mark_edits
    # Whether something that was asked for could not be done.
    is_refused: bool = False

    def mark(self, looked: Sequence[Looked], *, dry: bool) -> bool:
        """Whether every node is, or with `dry` would be, as what was seen of it asks for."""
        possible = [each for each in self._planned(looked) if self._would_be_taken(each)]
        if dry or not possible:
            return not self.is_refused
        count = len(possible)
        if not self.agreed(f"change {count} node{'' if count == 1 else 's'} of {self.server.server}?"):
            self.say("nothing was changed\n")
            return not self.is_refused
        for each in possible:
            self._make(each)
        return not self.is_refused

    def _planned(self, looked: Sequence[Looked]) -> list[Marking]:
        nodes: dict[str, Mapping[str, Any]] = {}
        of_node: dict[str, list[Looked]] = {}
        for each, found in self._nodes(looked):
            if isinstance(found, str):
                self._refuse(f"{each.host.name}: no node is changed: {found}")
                continue
            name = text_at(found, "metadata", "name")
            nodes[name] = found
            of_node.setdefault(name, []).append(each)
        return list(filter(None, (self._marking(nodes[name], some) for name, some in of_node.items())))

    def _nodes(self, looked: Sequence[Looked]) -> Iterator[tuple[Looked, Mapping[str, Any] | str]]:
        others = any(each.host.node is None for each in looked)
        there = self.server.nodes() if others else ()
        for each in looked:
            name = each.host.node
            yield each, node_of(each.host, there) if name is None else self._named(name, each.host)

    def _named(self, name: str, host: Host) -> Mapping[str, Any] | str:
        node = self.server.object(Target("Node", name)) if is_name(name) else None
        if node is None:
            return f"there is no node {name!r}"
        return another_boot(host, node) or node

    def _marking(self, node: Mapping[str, Any], some: Sequence[Looked]) -> Marking | None:
        name = text_at(node, "metadata", "name")
        label = opt_out_label(mapping_at(node, "metadata", "labels"))
        if label is not None:
            self.say(f"node {name} is left as it is: it has the label {label}\n")
            return None
        standing = worst(each.standing for each in some)
        try:
            edits = self.marks(standing, node, self.now)
        except NotEditable as problem:
            self._refuse(f"node {name} is not changed: {problem}")
            return None
        if not edits:
            self.say(f"node {name} {standing.fitness.value}, and is marked so already\n")
            return None
        return Marking(node, tuple(each.host.name for each in some), standing, edits)

    def _would_be_taken(self, marking: Marking) -> bool:
        self.say(marking.told())
        # Of whatever version: a status may be written at any time, and whoever really writes looks once more.
        said = self.server.patch(marking.record.target, merge_patch(marking.node, marking.edits), "", dry=True)
        if not said.is_yes:
            self._refuse(f"  the server would refuse it: {said.why}")
        return said.is_yes

    def _make(self, marking: Marking) -> None:
        name = marking.record.target.name
        try:
            move(self.server, marking.record)
        except (RepairRefused, CouldNotLook) as problem:
            self._refuse(f"node {name} is not changed: {problem}")
            return
        self.say(f"changed node {name}\n")

    def _refuse(self, why: str) -> None:
        self.is_refused = True
        self.say(f"{why}\n")
