"""Marks nodes by what a look says of them: shows each change, asks, and makes it where the node is still as shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass
from nodeworthy.repair.apply import move
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import Edit, NotEditable, merge_patch
from nodeworthy.repair.node_of_host import Host, another_boot, is_name, node_of
from nodeworthy.repair.record import Record
from nodeworthy.repair.refused import Refused
from nodeworthy.repair.server import Server, uid_of
from nodeworthy.repair.standing import Standing, guards, mark_edits, mark_shown, opted_out, worst


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


@dataclass
class Tainting:
    server: Server
    # Whether to go on, once the changes were shown.
    agreed: Callable[[str], bool]
    # What is told as it happens.
    say: Callable[[str], object]
    now: datetime
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
        label = opted_out(node)
        if label is not None:
            self.say(f"node {name} is left as it is: it has the label {label}\n")
            return None
        standing = worst(each.standing for each in some)
        try:
            edits = mark_edits(standing, node, self.now)
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
        except (Refused, CouldNotLook) as problem:
            self._refuse(f"node {name} is not changed: {problem}")
            return
        self.say(f"changed node {name}\n")

    def _refuse(self, why: str) -> None:
        self.is_refused = True
        self.say(f"{why}\n")
