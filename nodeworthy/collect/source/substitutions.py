"""What Flux and clusterctl fill into manifests before they are applied: `${name}`, `${name:=default}`.

Flux' values stand in its Kustomization for the folder (`postBuild.substitute`), in a file above that folder or among
those of the clusters. A default holds where no Kustomization gives another. Where clusters are given different values,
or some of them come from where nobody looks (`substituteFrom`), the value stays what something fills in later.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath

from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# A word alone: in a line of shell it is the shell's.
_FILLED = pattern(r"(?<!\$)\$\{([A-Za-z_]\w{0,80})(?::?[-=]([^{}\s]{0,200}))?\}")
_WORD = pattern(r"\S{1,400}")
_FLUX = "kustomize.toolkit.fluxcd.io"
_MARK = "postBuild"
_CLUSTERS = "clusters"
_YAML = (".yaml", ".yml")
_MOST_FILES, _DEEPEST = 256, 3


@dataclass(frozen=True)
class _Given:
    """What the Kustomizations for a folder fill in."""

    values: Mapping[str, Tree]
    # Names of which nobody here knows the value: two clusters have two.
    differ: frozenset[str]
    # Some come from elsewhere, too.
    more: bool


_NOTHING = _Given({}, frozenset(), more=False)


def with_substitutions(documents: list[Tree], text: str, beside: FilesBeside) -> list[Tree]:
    """The documents as they are applied, as far as that can be told from here."""
    if not any(each.get("apiVersion").text and each.get("kind").text for each in documents):
        return documents
    if _FILLED.search(text) is None or any(map(_is_fluxs, documents)):
        return documents
    given = _given_to(beside)
    return [_with_what_is_lost(_filled(each, given), each) for each in documents]


class _Filled(dict[str, Tree]):
    """A mapping with its values filled in. `lost`: the keys that stood in it twice, as it was read."""

    lost: Sequence[tuple[str, Place, Place]] = ()


def _with_what_is_lost(filled: Tree, document: Tree) -> Tree:
    if filled is document or not document.is_mapping:
        return filled
    mapping = _Filled(filled.mapping)
    mapping.lost = list(getattr(document.value, "lost", ()))
    return filled.holding(mapping)


def _filled(tree: Tree, given: _Given) -> Tree:
    if tree.is_mapping:
        inside = {name: _filled(each, given) for name, each in tree.mapping.items()}
        return tree if all(inside[name] is each for name, each in tree.mapping.items()) else tree.holding(inside)
    if tree.is_sequence:
        entries = [_filled(each, given) for each in tree.sequence]
        return tree if all(a is b for a, b in zip(entries, tree.sequence, strict=True)) else tree.holding(entries)
    if tree.text is None or "${" not in tree.text or _WORD.fullmatch(tree.text) is None:
        return tree
    return _scalar(tree, given)


def _scalar(tree: Tree, given: _Given) -> Tree:
    said, parts, place, end = tree.string, [], tree.place, 0
    for found in _FILLED.finditer(said):
        own = given.values.get(found[1])
        default = None if given.more or found[1] in given.differ else found[2]
        if own is None and default is None:
            return tree
        if own is not None and own.place.line:
            place = own.place
        parts += [said[end : found.start()], str(own.value) if own is not None else default or ""]
        end = found.end()
    return replace(tree, value=_typed("".join((*parts, said[end:])), tree), place=place) if parts else tree


def _typed(text: str, tree: Tree) -> str | int | float | bool | None:
    """Both fill in a text, which is read as YAML only then."""
    try:
        documents = read_all(text, tree.place)
    except NotYaml:
        return text
    value = documents[0].value if documents else None
    return value if isinstance(value, (str, int, float, bool)) else text


def _is_fluxs(document: Tree) -> bool:
    return document.get("apiVersion").string.startswith(_FLUX)


def _given_to(beside: FilesBeside) -> _Given:
    """What the Kustomizations that lead here fill in."""
    values: dict[str, Tree] = {}
    differ, more = set(), False
    for path in _files_that_fill(beside):
        for each in beside.documents(path) or ():
            if not _is_fluxs(each) or not _leads_to(each.get("spec", "path").string, beside.folder):
                continue
            told = each.get("spec", _MARK)
            more = more or not told.get("substituteFrom").says_nothing
            for name, value in told.get("substitute").mapping.items():
                if values.setdefault(name, value).value != value.value:
                    differ.add(name)
    kept = {name: value for name, value in values.items() if name not in differ}
    return _Given(kept, frozenset(differ), more=more) if values or more else _NOTHING


def _leads_to(path: str, folder: PurePath) -> bool:
    """Whether a path of the repository is this folder or one above it; where its root is nobody says."""
    parts = PurePath(os.path.normpath(path)).parts if path.strip("./") else ()
    if not parts or ".." in parts:
        return False
    return any(each.parts[-len(parts) :] == parts for each in (folder, *folder.parents))


def _files_that_fill(beside: FilesBeside) -> Iterator[Path]:
    for folder in beside.upwards():
        yield from _holding(sorted(_yaml_in(folder)))
        yield from _holding(_of_clusters(folder / _CLUSTERS))


def _holding(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths[:_MOST_FILES]:
        try:
            seen = path.stat()
        except OSError:
            continue
        if _fills(str(path), seen.st_mtime_ns, seen.st_size):
            yield path


def _yaml_in(folder: Path) -> Iterator[Path]:
    try:
        yield from (folder / name for name in os.listdir(folder) if name.endswith(_YAML))
    except OSError:
        return


def _of_clusters(folder: Path) -> list[Path]:
    found: list[Path] = []
    for at, folders, names in os.walk(folder):
        found += (Path(at, name) for name in sorted(names) if name.endswith(_YAML))
        if len(Path(at).parts) - len(folder.parts) >= _DEEPEST or len(found) > _MOST_FILES:
            folders.clear()
        folders.sort()
    return found


@lru_cache(maxsize=4096)
def _fills(path: str, _changed: int, size: int) -> bool:
    """Whether a file fills something in; of a folder's files most do not, and many files ask."""
    if size > 1 << 20:
        return False
    try:
        return _MARK.encode() in Path(path).read_bytes()
    except OSError:
        return False
