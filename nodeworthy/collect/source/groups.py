"""Groups files by what they are judged with, and adds to each group the evidence that nobody named.

A declared fleet is one cluster: what lies below its file is judged together. Where nothing is declared, what is judged
together is the folder of manifests, or the chart: two folders of one repository are as often two clusters as one, and
two device plugins in them would collide where they never meet. The files of a node are judged together with those that
lie under the same root.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.backstop import TookTooLong
from nodeworthy.collect.source import evidence
from nodeworthy.collect.source.files import STDIN, Source
from nodeworthy.collect.source.fleets import Choice, Fleets
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact

if TYPE_CHECKING:
    from nodeworthy.collect.source.nodes_around import NodesAround
    from nodeworthy.collect.source.scope import Scopes
    from nodeworthy.fleet.model import Fleet


@dataclass
class Member:
    source: Source
    found: FileContents
    # Else it is evidence.
    is_judged: bool = True

    @property
    def turn(self) -> tuple[tuple[int, str], ...]:
        """The files of a folder before those of the folders in it, wherever the command runs."""
        *folders, name = Path(self.source.lies).parts
        return (*((1, each) for each in folders), (0, name))


@dataclass
class FileGroup:
    """Files of one fleet, or of one folder of manifests."""

    choice: Choice
    domain: str
    members: list[Member] = field(default_factory=list)
    # Why some of the files that may join with them were not looked at.
    cut_off: str = ""

    @property
    def first(self) -> Member:
        """The first member that is judged; where none is, the first of all."""
        return next((each for each in self.members if each.is_judged), self.members[0])

    def together(self, filled_in: frozenset[str] = frozenset()) -> FileContents:
        """Files that are `filled_in` are judged as what they become there; a secret stands in them all the same."""
        together = FileContents()
        for each in sorted(self.members, key=lambda member: member.turn):
            holds_no_script = not (each.found.scripts or each.found.stacks or each.found.root)
            becomes = each.source.shown in filled_in and holds_no_script
            together.facts += [fact for fact in each.found.facts if not becomes or type(fact).__name__ == "PlainText"]
            own = each.source.shown if each.source.shown in filled_in and not each.found.root else None
            together.scripts += [one for one in each.found.scripts if one.place.path != own or one.by_hand]
            together.ufw += each.found.ufw
            together.node_files += each.found.node_files
            together.suppressions += each.found.suppressions
            together.stacks += each.found.stacks
        # Two files of a root bring what both of them make, and so do two of a play.
        together.scripts = list({id(one): one for one in together.scripts}.values())
        together.facts = list({id(fact): fact for fact in together.facts}.values())
        return together


# What runs on nodes for whoever comes, of which a cluster has one.
_INSTALLED = frozenset(("DaemonSetManifest", "EfaPlugin", "HamiValues", "OperatorValues"))
# What a kustomization may name. Values are named by what installs their chart, wherever they lie.
_OBJECTS, _VALUES = (".yaml", ".yml", ".json"), "values"


def _destination(found: FileContents) -> str:
    """The cluster that all of it is installed into: what goes to two clusters meets in none."""
    named = {getattr(each, "cluster", "") for each in found.facts if type(each).__name__ == "OperatorValues"}
    return named.pop() if len(named) == 1 else ""


def _left_out_of(source: Source, found: FileContents) -> FileContents | None:
    """What a file would install that its folder's kustomization leaves out: it is taken out of what is found there."""
    path = Path(source.lies)
    if path.suffix not in _OBJECTS or _VALUES in path.name or not any(map(_is_installed, found.facts)):
        return None
    from nodeworthy.collect.source.left_out import is_left_out, what_it_installs

    return what_it_installs(found, _is_installed) if is_left_out(source) else None


def _is_installed(fact: Fact) -> bool:
    return type(fact).__name__ in _INSTALLED


@dataclass
class Groups:
    fleets: Fleets
    rules: frozenset[str]
    # Why a fleet can't be used, which ends the run.
    refused: list[str]
    every: list[FileGroup] = field(default_factory=list)
    _by_key: dict[tuple[str, str, str], FileGroup] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _reals: set[str] = field(default_factory=set)

    @cached_property
    def around(self) -> NodesAround:
        """Made as soon as somebody asks for which nodes something is."""
        from nodeworthy.collect.source.nodes_around import NodesAround

        return NodesAround(self.rules)

    @cached_property
    def filled_in(self) -> frozenset[str]:
        """The files of scripts that a stack fills in, and the templates of a root."""
        found = [each.found for group in self.every for each in group.members]
        scripts = (path for each in found for stack in each.stacks for path in stack.scripts_lie_in)
        return frozenset(scripts).union(*(each.templates for each in found))

    def know(self, source: Source) -> None:
        self._known.add(source.lies)
        self._reals.add(source.real)

    def judges(self, fleet: Fleet) -> bool:
        return os.path.realpath(fleet.place.file) in self._reals

    def add(self, source: Source, found: FileContents, *, is_judged: bool = True) -> None:
        choice = self._choice(source)
        apart = _left_out_of(source, found)
        if apart is not None:
            self._join(source, apart, choice, source.lies, is_judged=is_judged)
        self._join(source, found, choice, domain_of(source, found, choice), is_judged=is_judged)

    def _join(self, source: Source, found: FileContents, choice: Choice, domain: str, *, is_judged: bool) -> None:
        key = (domain, choice.why, _destination(found) if choice.fleet is None else "")
        if key not in self._by_key:
            self._by_key[key] = FileGroup(choice, domain)
            self.every.append(self._by_key[key])
        self._by_key[key].members.append(Member(source, found, is_judged))

    def with_evidence(self, scopes: Scopes) -> None:
        for member in [each for group in self.every for each in group.members]:
            for source in evidence.naming(member.source, member.found):
                self._add_evidence(source, None)
        for group in list(self.every):
            founds = (each.found for each in group.members)
            mark = evidence.wanted_pattern(founds)
            if mark is not None:
                paths = files_of(group.domain, group.choice, group.members, scopes)
                for source in evidence.among(paths, mark, self._known, group.members[0].source):
                    self._add_evidence(source, group)
                group.cut_off = group.cut_off or why_unlisted(group.domain, group.choice, group.members, scopes)

    def _add_evidence(self, source: Source, group: FileGroup | None) -> None:
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
        _left_out_of(source, found)
        if group is not None and domain_of(source, found, choice) != group.domain:
            self._known.discard(source.lies)
            return
        if group is not None and not _destination(found):
            group.members.append(Member(source, found, is_judged=False))
        else:
            self.add(source, found, is_judged=False)

    def _cut_off(self, group: FileGroup | None, choice: Choice, why: str) -> None:
        """Marks groups as incomplete: a file names others, and nobody knows which group of its fleet it belongs to."""
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


# Which files are of one cluster

_CHART = "Chart.yaml"
# Where a node keeps what is read of it.
_OF_A_NODE = ("etc", "var", "usr", "lib", "run")


def domain_of(source: Source, found: FileContents, choice: Choice) -> str:
    """The name of the files that are judged together with this one."""
    fleet = fleet_of(choice)
    if fleet is not None:
        return fleet
    if source.shown == STDIN:
        return STDIN
    if found.root:
        return found.root
    if found.stacks or found.is_plan:  # what two templates make meets in no cluster
        return source.lies
    for each in found.node_files:
        if each.spot.root != source.lies:
            return f"{_absolute(each.spot.root)}{os.sep if each.spot.is_laid_out else ''}"
    for ufw in found.ufw:
        return f"{_absolute(ufw.root)}{os.sep}"
    return _chart_of(source) or os.path.dirname(source.lies)  # noqa: PTH120 - a path as text


def fleet_of(choice: Choice) -> str | None:
    """Where the fleet is declared by which a file is judged."""
    return choice.fleet.place.file if choice.fleet is not None else None


def files_of(domain: str, choice: Choice, members: Sequence[Member], scopes: Scopes) -> Iterator[str]:
    """The files that may belong to it, whether they are judged or not."""
    if choice.fleet is not None:
        scoped = (each.source.scope for each in members)
        roots = dict.fromkeys(scope.root for scope in scoped if scope.root is not None)
        for root in roots:
            yield from scopes.below(root).names()
    elif domain.endswith(os.sep):
        for name in _OF_A_NODE:
            yield from scopes.below(Path(domain, name)).names()
        yield from scopes.below(Path(domain)).names_of_folder()
    elif domain != STDIN:
        folder = scopes.below(Path(domain))
        is_deep = Path(domain, _CHART).exists() or any(each.found.node_files for each in members)
        yield from folder.names() if is_deep else folder.names_of_folder()


def why_unlisted(domain: str, choice: Choice, members: Sequence[Member], scopes: Scopes) -> str:
    """Why some of those files were not looked at; empty where all were."""
    if choice.fleet is not None:
        return next(filter(None, (each.source.scope.unlisted for each in members)), "")
    return scopes.below(Path(domain)).unlisted if domain != STDIN else ""


def _absolute(root: str) -> str:
    return f"{os.sep}{root.strip(os.sep)}" if root.strip(os.sep) else ""


def _chart_of(source: Source) -> str | None:
    """The chart that it lies in: its templates and its values are one thing."""
    root = source.scope.root
    for folder in Path(source.lies).parents:
        if (folder / _CHART).is_file():
            return os.fspath(folder)
        if folder == root:
            break
    return None
