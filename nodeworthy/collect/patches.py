"""The patches of a Kustomization, as the parts of objects that they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from nodeworthy.collect.releases import LISTS_OF_PATCHES
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_inside
from nodeworthy.records import replace

_SETS = ("add", "replace")
# The largest index that is filled up to.
_MOST_ENTRIES = 100


def is_patch(document: Tree) -> bool:
    """A file of JSON patch operations, whose Kustomization names what they are for."""
    entries = document.sequence
    return bool(entries) and all((each.get("op").text and each.get("path").string.startswith("/")) for each in entries)


def patch_alone(document: Tree) -> Tree:
    """The part of an object that a file of operations sets. What it is a part of, the Kustomization says."""
    place = document.place
    named = {"kind": Tree("Patch", place), "name": Tree(PurePath(place.file).stem, place)}
    return _from_operations(document, Tree(named, place))


def patched_objects(document: Tree) -> Iterator[Tree]:
    """Partial objects: what is merged as it stands, and what single operations set."""
    for name in LISTS_OF_PATCHES:
        for entry in document.get(name).sequence:
            patch = entry.get("patch") if entry.is_mapping else entry
            inside = _document(patch)
            if inside is None:
                continue
            if inside.is_sequence:
                yield _from_operations(inside, entry.get("target"))
            elif inside.is_mapping:
                yield _with_target(inside, entry.get("target"))


def merge_patches(document: Tree) -> Iterator[Tree]:
    """The patches that are parts of objects themselves, not lists of operations."""
    for name in LISTS_OF_PATCHES:
        for entry in document.get(name).sequence:
            inside = _document(entry.get("patch") if entry.is_mapping else entry)
            if inside is not None and inside.is_mapping:
                yield _with_target(inside, entry.get("target"))


def _document(patch: Tree) -> Tree | None:
    """Inline it is a text, or the object itself; a path leads to a file that is looked at by itself."""
    if patch.is_mapping or patch.is_sequence:
        return patch
    if patch.text is None or "\n" not in patch.text.strip():
        return None
    try:
        return read_inside(patch)
    except NotYaml:
        return None


def _with_target(part: Tree, target: Tree) -> Tree:
    """Completes a patch by its target: beside one, the patch may leave out what it is a part of."""
    missing = {name: target.get(name) for name in ("kind",) if part.get(name).is_absent}
    metadata = part.get("metadata")
    if metadata.is_absent:
        missing["metadata"] = Tree({"name": target.get("name")}, target.place)
    return replace(part, value={**part.mapping, **missing}) if missing else part


def _from_operations(operations: Tree, target: Tree) -> Tree:
    """An object that holds what JSON patch operations set, each value at its own line."""
    whole = Tree({}, operations.place, operations.key)
    for each in operations.sequence:
        path = each.get("path").text
        if each.get("op").text in _SETS and path and path.startswith("/"):
            steps = [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
            whole = _laid_in(whole, steps, each.get("value"))
    return _with_target(whole, target)


def _laid_in(under: Tree, steps: list[str], value: Tree) -> Tree:
    if not steps:
        return value
    first, *rest = steps
    below = Tree({}, value.place, value.key)
    if first == "-" or first.isdecimal():
        entries = list(under.sequence)
        index = len(entries) if first == "-" else min(int(first[:4]), _MOST_ENTRIES)
        # Of those before it nothing is said here.
        entries += [Tree(None, value.place)] * (index + 1 - len(entries))
        entries[index] = _laid_in(below if entries[index].is_null else entries[index], rest, value)
        return replace(under, value=entries)
    children = dict(under.mapping)
    children[first] = _laid_in(children.get(first, below), rest, value)
    return replace(under, value=children)
