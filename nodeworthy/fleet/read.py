"""Reads a fleet from stack config; what is malformed is refused with every fault and its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nodeworthy.documents.files import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.errors import InputError
from nodeworthy.fleet.declaration import FLEET
from nodeworthy.fleet.model import KEY, Fleet, has_fleet, is_bare
from nodeworthy.fleet.resolve import resolve
from nodeworthy.fleet.walk import Fault, Faults, Walker, without_encrypted
from nodeworthy.verdict import Place

LIMIT = 10_000_000


class Malformed(InputError):
    """No fleet: what is wrong with it, and where. `place` is that of the first fault."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        self.place = self.faults[0].place
        super().__init__("\n".join(f"{_shown(each.place)}: {each.message}" for each in self.faults))


def _shown(place: Place) -> str:
    return ":".join(str(part) for part in (place.path, place.line, place.column) if part is not None) or str(place)


def read_fleet(tree: Tree, stack: str | None) -> Fleet:
    """The fleet of a stack's config, or a bare one. Raises Malformed."""
    config = {name: without_encrypted(child) for name, child in tree.get("config").mapping.items() if name != KEY}
    declared = tree.get("config", KEY)
    if declared.is_absent:
        if not is_bare(tree):
            raise Malformed([Fault(tree.place, _no_fleet(config, is_beside=KEY in tree.mapping))])
        declared, config = tree, {}
    faults = Faults()
    if declared.is_null:
        declared = Tree({}, declared.place, declared.key)
    walker = Walker(faults)
    plain = walker.plainly(declared, KEY)
    if not plain.is_mapping and not faults.found:
        walker.fault(declared, KEY, "must be a mapping")
    if faults.found:
        raise Malformed(faults.in_order())  # nothing inside can be spoken of
    section = walker.section(FLEET, plain, "")
    fleet = resolve(section, stack, config, faults.add)
    if faults.found:
        raise Malformed(faults.in_order())
    return fleet


def _no_fleet(config: Mapping[str, Tree], *, is_beside: bool) -> str:
    import difflib

    near = difflib.get_close_matches(KEY, config, 1)
    if is_beside:
        return f"{KEY} stands at the top, and must stand under config: write `config:` above it, and indent all of it"
    return f"there is no {KEY} under config{f'; did you mean {KEY} where it says {near[0]}?' if near else ''}"


def read_fleet_file(path: Path, shown_as: str) -> Fleet:
    """The fleet of a file that findings call `shown_as`. Raises Malformed, or InputError where it can't be read."""
    tree = _document(path, shown_as)
    if tree is None:
        raise Malformed([Fault(Place(path=shown_as), "the file is empty")])
    return read_fleet(tree, stack_of(path))


def declares_fleet(path: Path, shown_as: str) -> bool:
    """Whether a stack's file does. Raises Malformed or InputError where nobody can say: it is no mapping."""
    tree = _document(path, shown_as)
    if tree is None or tree.is_null:
        return False
    config = tree.get("config")
    for each, name in ((tree, "a stack's file"), (config, "config")):
        if not (each.is_mapping or each.is_null or each.is_absent):
            raise Malformed([Fault(each.place, f"{name} is {each.kind()}, and must be a mapping")])
    return has_fleet(tree)


def _document(path: Path, shown_as: str) -> Tree | None:
    try:
        return read(text_of(path, shown_as, LIMIT, "a fleet"), Place(path=shown_as))
    except NotYaml as problem:
        raise Malformed([Fault(problem.place, problem.why)]) from None


def stack_of(path: Path) -> str | None:
    """The stack that a file's name says: Pulumi.<stack>.yaml."""
    first, *stack, last = path.name.split(".")
    return ".".join(stack) if first == "Pulumi" and last in ("yaml", "yml") and stack else None


def refuse_impossible(fleet: Fleet) -> None:
    """Ends the run where somebody is to be judged by a fleet that can't exist."""
    if fleet.impossible:
        raise Malformed([Fault(each.place, f"pool '{each.pool}': {each.message}") for each in fleet.impossible])
