"""Groups files by what they are judged with, and adds to each group the evidence that nobody named."""

from __future__ import annotations

import os
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.backstop import TookTooLong
from nodeworthy.collect.source import evidence
from nodeworthy.collect.source.domain import domain_of, files_of, fleet_of, why_unlisted
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.fleets import Choice, Fleets
from nodeworthy.collect.source.one_file import Found
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.source.nodes_around import NodesAround
    from nodeworthy.collect.source.scope import Scopes
    from nodeworthy.fleet.model import Fleet


@dataclass
class Member:
    source: Source
    found: Found
    # Else it is evidence.
    is_judged: bool = True

    @property
    def turn(self) -> tuple[tuple[int, str], ...]:
        """The files of a folder before those of the folders in it, wherever the command runs."""
        *folders, name = Path(self.source.lies).parts
        return (*((1, each) for each in folders), (0, name))


@dataclass
class Group:
    """Files of one fleet, or of one folder of manifests."""

    choice: Choice
    domain: str
    members: list[Member] = field(default_factory=list)
    # Why some of the files that may join with them were not looked at.
    cut_off: str = ""

    @property
    def first(self) -> Member:
        """Of those that are judged, where there is one."""
        return next((each for each in self.members if each.is_judged), self.members[0])

    def together(self) -> Found:
        together = Found()
        for each in sorted(self.members, key=lambda member: member.turn):
            together.facts += each.found.facts
            together.scripts += each.found.scripts
            together.ufw += each.found.ufw
            together.node_files += each.found.node_files
            together.suppressions += each.found.suppressions
            together.stacks += each.found.stacks
        return together


def _destination(found: Found) -> str:
    """The cluster that all of it is installed into: what goes to two clusters meets in none."""
    named = {getattr(each, "cluster", "") for each in found.facts if type(each).__name__ == "OperatorValues"}
    return named.pop() if len(named) == 1 else ""


@dataclass
class Groups:
    fleets: Fleets
    rules: frozenset[str]
    # Why a fleet can't be used, which ends the run.
    refused: list[str]
    every: list[Group] = field(default_factory=list)
    _by_key: dict[tuple[str, str, str], Group] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _reals: set[str] = field(default_factory=set)

    @cached_property
    def around(self) -> NodesAround:
        """Made as soon as somebody asks for which nodes something is."""
        from nodeworthy.collect.source.nodes_around import NodesAround

        return NodesAround(self.rules)

    def know(self, source: Source) -> None:
        self._known.add(source.lies)
        self._reals.add(source.real)

    def judges(self, fleet: Fleet) -> bool:
        return os.path.realpath(fleet.place.path or "") in self._reals

    def add(self, source: Source, found: Found, *, is_judged: bool = True) -> None:
        choice = self._choice(source)
        domain = domain_of(source, found, choice)
        key = (domain, choice.why, _destination(found) if choice.fleet is None else "")
        if key not in self._by_key:
            self._by_key[key] = Group(choice, domain)
            self.every.append(self._by_key[key])
        self._by_key[key].members.append(Member(source, found, is_judged))

    def with_evidence(self, scopes: Scopes) -> None:
        for member in [each for group in self.every for each in group.members]:
            for source in evidence.naming(member.source, member.found):
                self._add_evidence(source, None)
        for group in list(self.every):
            founds = (each.found for each in group.members)
            mark = evidence.wanted_pattern(founds, of_a_fleet=group.choice.fleet is not None)
            if mark is not None:
                paths = files_of(group.domain, group.choice, group.members, scopes)
                for source in evidence.among(paths, mark, self._known, group.members[0].source):
                    self._add_evidence(source, group)
                group.cut_off = group.cut_off or why_unlisted(group.domain, group.choice, group.members, scopes)

    def _add_evidence(self, source: Source, group: Group | None) -> None:
        """What belongs to another group is none of this one's."""
        if group is None and source.lies in self._known:
            return
        choice = self._choice(source)
        if group is not None and fleet_of(choice) != fleet_of(group.choice):
            self._known.discard(source.lies)
            return
        self._known.add(source.lies)
        try:
            found = evidence.read(source, self.rules)
        except TookTooLong as problem:
            self._cut_off(group, choice, f"{source.shown}: {problem.why}")
            return
        if found is None or found.fleet is not None:
            return
        if group is not None and domain_of(source, found, choice) != group.domain:
            self._known.discard(source.lies)
            return
        if group is not None and not _destination(found):
            group.members.append(Member(source, found, is_judged=False))
        else:
            self.add(source, found, is_judged=False)

    def _cut_off(self, group: Group | None, choice: Choice, why: str) -> None:
        """Of a file that names others nobody knows to which of its fleet it belongs."""
        for each in [group] if group is not None else self.every:
            if fleet_of(each.choice) == fleet_of(choice):
                each.cut_off = each.cut_off or why

    def _choice(self, source: Source) -> Choice:
        try:
            return self.fleets.of(source)
        except InputError as malformed:
            # The fleet can't be used, and that ends the run with 2; what needs no fleet is judged all the same.
            if str(malformed) not in self.refused:
                self.refused.append(str(malformed))
            return Choice(None, f"the fleet can't be read: {malformed}")
