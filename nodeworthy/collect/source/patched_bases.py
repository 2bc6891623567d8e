"""The objects that a Kustomization's patches change, as they are applied: its bases with the patches laid over them.

A base is a file that its `resources` name, or what the Kustomization of such a folder names. Nodes, machines and pods
are put together so; a release is read by itself, and its patch as the part of one that it is. What is not found here,
and what a patch takes out, stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from nodeworthy.collect.releases import LISTS_OF_PATCHES
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.tree import Tree, merge
from nodeworthy.documents.yaml import NotYaml, read_inside
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_RESOURCES = ("resources", "bases")
_DEEPEST, _MOST_FILES = 4, 128
# What a patch of it makes otherwise is judged with the rest of it.
_KINDS = frozenset(
    "NodePool EC2NodeClass NodeClass AWSMachineTemplate AWSMachinePool AWSManagedMachinePool AWSCluster "
    "MachineDeployment KubeadmConfigTemplate Deployment StatefulSet Job Pod".split()
)
# Of these alone kustomize knows that a list goes by the names of its entries.
_OWN_KINDS = ("v1", "apps/", "batch/")
# `gpu-.*` is a regular expression to kustomize; what is more of one than that is followed by nobody here.
_NAMES = pattern(r"(?:[\w-]|\.\*?){1,253}")


@dataclass(frozen=True)
class _Patch:
    # The document, and which object it is for.
    said: Tree
    kind: str
    name: str

    def is_for(self, base: Tree) -> bool:
        called = base.get("metadata", "name").string
        if self.kind != base.get("kind").text or not called:
            return False
        return _NAMES.fullmatch(self.name) is not None and fnmatchcase(called, self.name.replace(".*", "*"))


def patched_bases(kustomization: Tree, beside: FilesBeside) -> Iterator[Tree]:
    """Each base that patches of this Kustomization change, with all of them."""
    patches = [each for each in _patches(kustomization, beside) if each.kind in _KINDS]
    for base in _Bases(beside).of(kustomization, beside.folder, _DEEPEST) if patches else ():
        made = _with_all(base, patches)
        if made is not None:
            yield made


def _with_all(base: Tree, patches: Sequence[_Patch]) -> Tree | None:
    """None where no patch is for it, or one of them can't be followed."""
    own = [each.said for each in patches if each.is_for(base)]
    made: Tree | None = base
    for each in own:
        made = _laid_over(made, each) if made is not None else None
    return made if own else None


def _patches(kustomization: Tree, beside: FilesBeside) -> Iterator[_Patch]:
    for name in LISTS_OF_PATCHES:
        for entry in kustomization.get(name).sequence:
            target = entry.get("target")
            for each in _documents(entry, beside):
                kind = target.get("kind").text or each.get("kind").text
                called = target.get("name").text or each.get("metadata", "name").text
                if kind and called:
                    yield _Patch(each, kind, called)


def _documents(entry: Tree, beside: FilesBeside) -> Sequence[Tree]:
    """A patch stands there as a text or as an object, or in a file whose name stands there."""
    said = entry.get("patch") if entry.is_mapping and not entry.get("patch").is_absent else entry
    named = entry.get("path") if entry.is_mapping else entry
    if named.text is not None and "\n" not in named.string:
        path = beside.path(named.string)
        return (beside.documents(path) or []) if path is not None else []
    if said.text is None:
        return [said] if said.is_mapping and said.get("path").is_absent else []
    try:
        inside = read_inside(said)
    except NotYaml:
        return []
    return [] if inside is None else [inside]


class _Bases:
    def __init__(self, beside: FilesBeside) -> None:
        self._beside = beside
        self._seen: set[Path] = set()

    def of(self, kustomization: Tree, folder: Path, depth: int) -> Iterator[Tree]:
        for name in _RESOURCES:
            for entry in kustomization.get(name).sequence if depth else ():
                if entry.text and "://" not in entry.string and not entry.string.startswith("/"):
                    yield from self._of(Path(os.path.normpath(folder / entry.string)), depth - 1)

    def _of(self, path: Path, depth: int) -> Iterator[Tree]:
        if path in self._seen or len(self._seen) >= _MOST_FILES:
            return
        self._seen.add(path)
        if not path.is_dir():
            yield from self._beside.documents(path) or ()
            return
        for name in _KUSTOMIZATIONS:
            for each in self._beside.documents(path / name) or ():
                yield from self.of(each, path, depth)


# How a patch is laid over its base


def _laid_over(base: Tree, patch: Tree) -> Tree | None:
    """None where the patch takes something out, or fits nothing in it."""
    if patch.is_mapping:
        return None if _takes_out(patch) else _merged(base, patch)
    # What comes of it is the overlay's: of the base there may be others.
    made: Tree | None = replace(base, place=patch.place, key=patch.key)
    for each in patch.sequence:
        path, how = each.get("path").string, each.get("op").text
        if how == "test" or made is None:
            continue
        steps = [step.replace("~1", "/").replace("~0", "~") for step in path.removeprefix("/").split("/")]
        made = _set_at(made, steps, each.get("value"), is_added=how == "add") if how in ("add", "replace") else None
    return made


def _takes_out(patch: Tree) -> bool:
    if any(name.startswith("$") for name in patch.mapping):
        return True
    return any(map(_takes_out, (*patch.mapping.values(), *patch.sequence))) or any(
        each.is_null for each in patch.mapping.values()
    )


def _set_at(under: Tree, steps: Sequence[str], value: Tree, *, is_added: bool) -> Tree | None:
    first, *rest = steps
    if under.is_sequence:
        return _set_in_list(under, first, rest, value, is_added=is_added)
    if not under.is_mapping and not (under.says_nothing and is_added):
        return None
    below = value if not rest else _set_at(under.get(first), rest, value, is_added=is_added)
    return None if below is None else under.holding({**under.mapping, first: below})


def _set_in_list(under: Tree, first: str, rest: Sequence[str], value: Tree, *, is_added: bool) -> Tree | None:
    entries = list(under.sequence)
    if first == "-":
        return under.holding([*entries, value]) if not rest else None
    at = int(first) if first.isdecimal() and len(first) < 4 else len(entries) + 1
    if at < len(entries) and (rest or not is_added):
        below = value if not rest else _set_at(entries[at], rest, value, is_added=is_added)
        return None if below is None else under.holding([*entries[:at], below, *entries[at + 1 :]])
    return under.holding([*entries[:at], value, *entries[at:]]) if is_added and at <= len(entries) else None


def _merged(base: Tree, patch: Tree) -> Tree:
    if not base.get("apiVersion").string.startswith(_OWN_KINDS):
        return merge(base, patch)
    return _merged_by_names(base, patch)


def _merged_by_names(base: Tree, patch: Tree) -> Tree:
    if base.is_mapping and patch.is_mapping:
        children = dict(base.mapping)
        for name, each in patch.mapping.items():
            children[name] = _merged_by_names(children[name], each) if name in children else each
        return base.holding(children)
    if not (base.is_sequence and patch.is_sequence and _have_names(base) and _have_names(patch)):
        return patch
    own = {each.get("name").string: each for each in base.sequence}
    for each in patch.sequence:
        name = each.get("name").string
        own[name] = _merged_by_names(own[name], each) if name in own else each
    return base.holding(list(own.values()))


def _have_names(entries: Tree) -> bool:
    return all(each.get("name").text for each in entries.sequence)
