"""Several `#cloud-config` documents become one before any of them acts, by cloud-init's rules of merging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.cloud_steps import CloudStep
from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

_MERGER = pattern(r"\s*(\w+)\s*\((.*?)\)\s*")
# cloud-init's own, where neither the document nor its header says otherwise: the later key replaces the earlier.
_DEFAULT = "dict(replace)+list()+str()"


@dataclass(frozen=True)
class Piece:
    """A value of a merged document, and the document in which it was written."""

    tree: Tree
    document: Document

    @property
    def place(self) -> Place:
        return self.document.place(self.tree)

    @property
    def guard(self) -> Guard:
        return self.document.guard(self.tree)


@dataclass
class Steps:
    """What was merged, and the steps that were made of it so far."""

    pieces: dict[str, list[Piece]]
    faults: list[UserDataFault]
    steps: list[CloudStep] = field(default_factory=list)

    def entries(self, key: str) -> Iterator[tuple[Tree, Document]]:
        """The entries of a list, over all documents that it was merged from."""
        for piece in self.pieces.get(key, ()):
            if not piece.tree.is_sequence and not piece.tree.is_null:
                what = f"{key} is {piece.tree.kind()}, not a list: cloud-init does nothing of it"
                place = piece.place
                self.faults.append(UserDataFault(FaultKind.NOT_READABLE, place, what, "make it a list"))
            for entry in piece.tree.sequence:
                yield entry, piece.document


@dataclass(frozen=True)
class _How:
    dict: frozenset[str]
    list: frozenset[str]

    @property
    def replaces(self) -> bool:
        return "replace" in self.dict and "no_replace" not in self.dict

    @property
    def joins_lists(self) -> bool:
        return bool({"recurse_array", "recurse_list"} & self.dict)


def merge_documents(documents: Sequence[tuple[Piece, str]], faults: list[UserDataFault]) -> dict[str, list[Piece]]:
    """The values that count for each key, in the order in which they act."""
    pieces: dict[str, list[Piece]] = {}
    for root, header in documents:
        how = _how(root, header)
        for key, tree in root.tree.mapping.items():
            new = Piece(tree, root.document)
            old = pieces.get(key)
            pieces[key] = [new] if not old else _together(key, old, new, how, faults)
    return pieces


def _together(key: str, old: list[Piece], new: Piece, how: _How, faults: list[UserDataFault]) -> list[Piece]:
    if how.replaces:
        _lost(key, old[-1], new, faults)
        return [new]
    if new.tree.is_sequence and how.joins_lists:
        if "append" in how.list:
            return [*old, new]
        if "prepend" in how.list:
            return [new, *old]
    if new.tree.is_mapping:
        return [*old, new]
    _lost(key, new, old[-1], faults)
    return old


def _lost(key: str, lost: Piece, kept: Piece, faults: list[UserDataFault]) -> None:
    if not (lost.tree.is_sequence or lost.tree.is_mapping):
        return
    what = f"'{key}' is written in two cloud-configs, and cloud-init keeps only one: nothing of this one happens"
    remedy = "write it once, or add to the later part: merge_how: 'list(append)+dict(no_replace,recurse_list)+str()'"
    related = ((kept.place, "the one that counts"),)
    faults.append(UserDataFault(FaultKind.REPLACED, lost.place, what, remedy, related))


def _how(root: Piece, header: str) -> _How:
    written = root.tree.get("merge_how")
    if written.is_absent:
        written = root.tree.get("merge_type")
    settings: dict[str, frozenset[str]] = {}
    if written.is_sequence:
        for each in written.sequence:
            words = [word.string for word in each.get("settings").sequence or each.sequence[1:]]
            name = each.get("name").text or (each.sequence[0].text if each.sequence else "") or ""
            settings[name.strip()] = frozenset(words)
    else:
        for name, words in _MERGER.findall(f"{written.text or ''}+{header}" if written.text or header else _DEFAULT):
            settings.setdefault(name.lower(), frozenset(word.strip().lower() for word in words.split(",")))
    return _How(settings.get("dict", frozenset()), settings.get("list", frozenset()))
