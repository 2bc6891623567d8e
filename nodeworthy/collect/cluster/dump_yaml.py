"""Reads the YAML that `kubectl get -o yaml` prints: as JSON is read, but at once, for YAML can't be read in pieces.

What several of its calls have written one behind the other (`>> dump.yaml`) has no line between its documents. Each
begins with its version, and none says that twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.backstop import allow
from nodeworthy.collect.cluster.dump_text import Unreadable, whole_text
from nodeworthy.documents.json_objects import Item, Whole
from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import plain
from nodeworthy.documents.yaml import read_all
from nodeworthy.limits import SECONDS_A_MIB
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

SUFFIXES = (".yaml", ".yml")
LARGEST = 32 * 1024 * 1024
_OBJECT = pattern(r"(?m)^(?:apiVersion|kind):")
_BEGINS = pattern(r"(?m)^(?:(?P<parted>---|\.\.\.)(?=\s|$)|apiVersion:)")


def may_hold_objects(text: str) -> bool:
    """Whether the text begins as objects do: folders hold much YAML that is nobody's dump."""
    return _OBJECT.search(text) is not None


def read_objects(pieces: Iterable[str], place: Place) -> Iterator[Item | Whole]:
    """The items of each document, then the document without them. Raises Unreadable, and NotYaml with its place."""
    for document in read_all(_parted(_joined(pieces)), place):
        if not document.is_mapping:
            continue
        try:
            data = plain(document)
        except ValueError as problem:
            raise Unreadable(f"it is not what kubectl prints: {problem}") from None
        has_items = isinstance(data.get("items"), list) or ("items" in data and data["items"] is None)
        items = data.pop("items") or [] if has_items else []
        kind, version = text_at(data, "kind"), text_at(data, "apiVersion")
        yield from (Item(each, kind, version) for each in items)
        yield Whole(data, has_items)


def _parted(text: str) -> str:
    """The text with a separator between documents that have none."""
    parts, begins, has_begun = [], 0, False
    for each in _BEGINS.finditer(text):
        if each["parted"]:
            has_begun = False
        elif has_begun:
            parts.append(text[begins : each.start()])
            begins = each.start()
        else:
            has_begun = True
    return "---\n".join([*parts, text[begins:]])


def _joined(pieces: Iterable[str]) -> str:
    why = f"as YAML it is larger than {LARGEST >> 20} MiB, the most that is read of it: give -o json"
    text = whole_text(pieces, LARGEST, why)
    allow(len(text) / 2**20 * SECONDS_A_MIB)
    return text
