"""Looks at files and folders, and groups what it finds by the fleet that it is judged by."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from nodeworthy.collect.beside_pods import beside_pods, missing_beside_pods
from nodeworthy.collect.objects import facts_of
from nodeworthy.collect.source.boot_scripts import NO_BOOT_SCRIPT, is_boot_script, is_firewall_script, is_script
from nodeworthy.collect.source.comments import annotated, comments
from nodeworthy.collect.source.files import STDIN, Source, sources
from nodeworthy.collect.source.fleets import Choice, Fleets
from nodeworthy.collect.source.node_files import ON_A_NODE, files_of_nodes, node_file, refuse_unparsed
from nodeworthy.collect.source.parsing import Refused, content, documents_in
from nodeworthy.collect.source.recognise import objects
from nodeworthy.collect.source.slurm import slurm_jobs
from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.collect.source.ufw import firewalls, ufw_file
from nodeworthy.collect.together import put_together
from nodeworthy.documents.tree import Tree
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.errors import InputError
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.facts.fleet.pool_claim import pool_claims
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.facts.operator.release_of_fleet import with_release_of
from nodeworthy.facts.secrets.plain_text import ENCRYPTED, IN_A_JOB, IN_A_STACK, PlainText, without_encrypted
from nodeworthy.facts.secrets.secret_manifest import (
    is_readable_secret,
    is_telling_config_map,
    secret_manifests,
    without_packed,
)
from nodeworthy.fleet.model import Firewall, Fleet
from nodeworthy.fleet.read import has_fleet, read_fleet, refuse_impossible
from nodeworthy.records import dataclass
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.firewall.ufw_firewall import UfwFile
    from nodeworthy.facts.node.files import NodeFile
    from nodeworthy.facts.slurm.job import SlurmJob


@dataclass
class Looked:
    """What was found, and what could not be read of what was named."""

    scenes: list[Scene] = field(default_factory=list)
    recognised: int = 0
    # The files that hold nothing of ours.
    nothing: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        return {"files": self.recognised, "unrecognised": len(self.nothing)}

    @property
    def asked_for(self) -> Iterator[Path]:
        """The files beside them that they name, whether they are there or not."""
        jobs = [fact for scene in self.scenes for fact in scene.facts if type(fact).__name__ == "SlurmJob"]
        if jobs:
            from nodeworthy.collect.source.slurm_reading import asked_for

            for job in jobs:
                yield from asked_for(cast("SlurmJob", job))


@dataclass
class _Found:
    facts: list[Fact] = field(default_factory=list)
    scripts: list[BootScript] = field(default_factory=list)
    ufw: list[UfwFile] = field(default_factory=list)
    node_files: list[NodeFile] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)
    fleet: Fleet | None = None


def look(paths: list[str], fleets: Fleets, rules: frozenset[str], *, named: bool = True) -> Looked:
    """Files that nobody `named` may be of any kind."""
    return look_at(sources(paths, named=named), fleets, rules)


def look_at(
    found_there: Iterable[Source], fleets: Fleets, rules: frozenset[str], nothing: frozenset[str] = frozenset()
) -> Looked:
    """Judges nothing: reads every file and says what there is. Of some it is known that they hold `nothing` of ours."""
    looked = Looked()
    by_fleet: dict[str, tuple[Choice, _Found]] = {}
    checked: set[str] = set()
    for source in found_there:
        checked.add(source.real)
        try:
            found = _look_at(source, rules) if source.shown not in nothing else None
        except Refused as refusal:
            _refuse(looked, refusal, source, by_fleet)
            continue
        if found is None:
            found = _firewall_script(source, fleets, rules)
        if found is None:
            looked.nothing.append(source.shown)
            if source.named:
                looked.refused.append(f"{source.shown}: this is no kind of file that nodeworthy knows")
            continue
        looked.recognised += 1
        _place(found, source, fleets, looked, by_fleet)
    for choice, found in by_fleet.values():
        judged = choice.fleet is not None and os.path.realpath(choice.fleet.place.path or "") in checked
        found.facts = with_release_of(choice.fleet, found.facts, judged=judged)
        looked.scenes.append(_scene(found, choice.fleet, choice.why))
        if choice.fleet is not None and not judged:
            _refuse_impossible(choice.fleet, looked)
    return looked


def _refuse_impossible(fleet: Fleet, looked: Looked) -> None:
    """A fleet that can't exist is a finding where it is checked; where others are judged by it, it is a mistake."""
    try:
        refuse_impossible(fleet)
    except InputError as impossible:
        looked.refused.append(str(impossible))


def _refuse(looked: Looked, refusal: Refused, source: Source, by_fleet: dict[str, tuple[Choice, _Found]]) -> None:
    """A named input that can't be read is a mistake of the call; one found in a folder is a finding."""
    if source.named:
        looked.refused.append(str(refusal))
    else:
        _, found = by_fleet.setdefault("", (Choice(None), _Found()))
        found.facts.append(UnreadableInput(refusal.place, refusal.why))


def _place(
    found: _Found, source: Source, fleets: Fleets, looked: Looked, by_fleet: dict[str, tuple[Choice, _Found]]
) -> None:
    """A stack file is judged by its own fleet, anything else by the fleet beside it."""
    if found.fleet is not None:
        looked.scenes.append(_scene(found, found.fleet, ""))
        return
    try:
        choice = fleets.beside(Path.cwd() if source.shown == STDIN else source.path.parent)
    except InputError as malformed:
        # The fleet can't be used, and that ends the run with 2; what needs no fleet is judged all the same.
        choice = Choice(None, f"the fleet can't be read: {malformed}")
        if str(malformed) not in looked.refused:
            looked.refused.append(str(malformed))
    key = (choice.fleet.place.path if choice.fleet else None) or choice.why
    _, together = by_fleet.setdefault(key, (choice, _Found()))
    together.facts += found.facts
    together.scripts += found.scripts
    together.ufw += found.ufw
    together.node_files += found.node_files
    together.suppressions += found.suppressions


def _scene(found: _Found, fleet: Fleet | None, why: str) -> Scene:
    facts = [*found.facts, *_scripts(found, fleet, why), *firewalls(found.ufw, fleet, why)]
    nodes = files_of_nodes(found.node_files, fleet, why)
    facts += [*nodes, *beside_pods([*found.facts, *nodes], fleet)]
    facts += put_together(facts, fleet, by_declaration=True)
    if fleet is None:
        missing: dict[type[Any], Missing] = {GpuPool: Missing(why), **missing_beside_pods(facts, why)}
        return Scene(facts, missing, found.suppressions)
    missing = {GpuPool: Missing(f"the fleet of {fleet.place.path} has no GPU pool")}
    return Scene([*facts, *gpu_pools(fleet)], missing, found.suppressions)


def _scripts(found: _Found, fleet: Fleet | None, why: str) -> list[Fact]:
    """Imported only where there is a script to read: most files are none."""
    if not found.scripts:
        return []
    from nodeworthy.facts.boot.pools import in_fleet

    return [in_fleet(each, fleet, why) for each in found.scripts]


def _look_at(source: Source, rules: frozenset[str]) -> _Found | None:
    """What stands in a file; None where it is nothing that we know."""
    data = content(source)
    if data is None:
        return None
    of_node = node_file(data, source.shown)
    if of_node is not None:
        return _node_file(of_node, _plain(data), source, rules)
    jobs = slurm_jobs(source, data)
    if jobs and not is_boot_script(data, source.path.name, named=False):
        return _jobs(jobs, _plain(data), source, rules)
    if is_boot_script(data, source.path.name, named=source.named):
        return _boot_script(source, data, rules)
    ufw = ufw_file(data, source.shown, named=source.named)
    if ufw is not None:
        return _Found(ufw=[ufw], suppressions=list(comments(_plain(data), ufw.place, rules, is_yaml=False)))
    documents, text = _documents(source, data)
    found = _Found()
    stack = next((each for each in documents if has_fleet(each)), None)
    if stack is not None:
        found.fleet = _own_fleet(stack, source)
        found.facts += _of_fleet(found.fleet)
    every = [each for document in documents for each in objects(document)]
    first_lines = sorted(each.place.line for each in every if each.place.line)
    for each in every:
        brought = list(facts_of(each))
        found.facts += brought
        if brought:
            found.suppressions += annotated(each, rules, _lines(each, first_lines))
    kept = any(map(is_readable_secret, every))
    if not found.facts and not kept and not any(map(is_telling_config_map, every)):
        return None
    secrets = list(secret_manifests(every))
    readable = without_encrypted(without_packed(text, secrets), documents)
    remedy = ENCRYPTED if kept else IN_A_STACK if stack is not None else ""
    found.facts += [*secrets, PlainText(Place(source.shown), readable, _called(found), remedy)]
    found.suppressions += comments(text, Place(path=source.shown), rules, is_yaml=True)
    return found


def _documents(source: Source, data: bytes) -> tuple[list[Tree], str]:
    """What is left is no script, unless somebody names one that is none of ours."""
    if source.named and is_script(data, source.path.name):
        raise Refused(Place(source.shown), NO_BOOT_SCRIPT)
    return documents_in(source, data)


def _node_file(file: NodeFile, text: str, source: Source, rules: frozenset[str]) -> _Found:
    refuse_unparsed(file)
    whole = PlainText(Place(source.shown), text, file.kind.value, ON_A_NODE)
    told = comments(whole.text, whole.place, rules, is_yaml=False)
    return _Found([whole], node_files=[file], suppressions=list(told))


def _jobs(jobs: Sequence[Fact], text: str, source: Source, rules: frozenset[str]) -> _Found:
    whole = PlainText(Place(source.shown), text, "a job script", IN_A_JOB)
    return _Found([*jobs, whole], suppressions=list(comments(text, jobs[0].place, rules, is_yaml=False)))


def _called(found: _Found) -> str:
    origins = (origin for each in found.facts if (origin := getattr(each, "origin", None)))
    return "stack config" if found.fleet is not None else next(origins, "this file")


def _boot_script(source: Source, data: bytes, rules: frozenset[str]) -> _Found:
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.facts.boot.script import BootScript

    place = Place(path=source.shown)
    script = BootScript(place, unpack(data, place, name=source.path.name))
    return _Found(scripts=[script], suppressions=list(comments(_plain(data), place, rules, is_yaml=False)))


def _firewall_script(source: Source, fleets: Fleets, rules: frozenset[str]) -> _Found | None:
    """A script that only sets up a firewall is a node's where a pool of the fleet beside it has one."""
    if source.path.suffix not in (".sh", ".bash") or source.shown == STDIN:
        return None
    try:
        data = content(source)
        if data is None or not is_firewall_script(data):
            return None
        fleet = fleets.beside(source.path.parent).fleet
    except (InputError, Refused):
        return None
    wanted = fleet is not None and any(pool.firewall is Firewall.UFW for pool in fleet.pools)
    return _boot_script(source, data, rules) if wanted else None


def _plain(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _of_fleet(fleet: Fleet) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.pool_system import pool_systems

    yield from pool_claims(fleet)
    yield from pool_systems(fleet)
    values = operator_of_fleet(fleet)
    if values is not None:
        yield values


def _own_fleet(document: Tree, source: Source) -> Fleet:
    stack = STACK_FILE.fullmatch(source.path.name)
    try:
        return read_fleet(document, stack["stack"] if stack else None)
    except InputError as malformed:
        place = getattr(malformed, "place", None) or Place(path=source.shown)
        raise Refused(place, str(malformed).removeprefix(f"{place}: ")) from None


def _lines(one: Tree, first_lines: Sequence[int]) -> range:
    """The lines of an object: from its first to that of the next one."""
    first = one.place.line or 1
    later = bisect_right(first_lines, first)
    return range(first, first_lines[later] if later < len(first_lines) else 1 << 31)
