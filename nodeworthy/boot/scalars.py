"""The text of a scalar of YAML, and where each line of it stands in the user's own file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Joined, Origin, Pinned, within
from nodeworthy.boot.text import Hole, Text
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Document:
    """A text of YAML that was read with its own lines and columns, and where it stands itself."""

    text: str
    origin: Origin
    fillings: Fillings

    def place(self, tree: Tree) -> Place:
        """Where a value stands; an empty one, where its key does."""
        at = tree.place
        place = self.origin.at(at.line or 1, at.column or 1)
        return place if place.subject or not at.subject else place.about(at.subject)

    def scalar(self, tree: Tree) -> Text:
        """A short value: a path, a name."""
        if tree.text is not None:
            return self.fillings.text(tree.text)
        if tree.is_null or tree.is_absent:
            return Text()
        if tree.is_unknown or tree.is_mapping or tree.is_sequence:
            return Text.of(Hole("…", f"{tree.kind()} stands where a string should"))
        return Text.of(tree.written or "")

    def shown(self, tree: Tree) -> str:
        """As it was written, for a shell parser that knows templates."""
        if tree.is_null or tree.is_absent:
            return ""
        return self.fillings.shown(tree.text if tree.text is not None else tree.written or "")

    def content(self, tree: Tree) -> Content:
        text, origin = tree.text or "", self.lines_of(tree)
        lines = text.split("\n")
        is_open = lines[-1] != ""
        if not is_open:
            lines.pop()
        rows = (Line(self.fillings.text(line), origin.at(i)) for i, line in enumerate(lines, 1))
        return Content(tuple(rows), is_open)

    def lines_of(self, tree: Tree) -> Origin:
        if tree.inside is not None:
            return within(self.origin, (tree.inside.line or 1) - 1, (tree.inside.column or 1) - 1)
        row, column = tree.place.line or 1, tree.place.column or 1
        mark = self._lines[row - 1][column - 1 : column] if row <= len(self._lines) else ""
        text = tree.text or ""
        if mark == ">":
            return Joined(self.origin, self._folded(text, row))
        if "\n" in text.rstrip("\n"):
            return Pinned(self.place(tree))
        return within(self.origin, row - 1, column - 1 + (mark in ('"', "'")))

    def is_tagged(self, tree: Tree, tag: str) -> bool:
        row, column = tree.place.line or 1, tree.place.column or 1
        return row <= len(self._lines) and self._lines[row - 1].startswith(tag, column - 1)

    def _folded(self, text: str, row: int) -> Sequence[tuple[int, int]]:
        """A folded block joins lines: each line of the text begins where its first words stand."""
        starts: list[tuple[int, int]] = []
        for wanted in text.split("\n"):
            joined = ""
            first: tuple[int, int] | None = None
            while row < len(self._lines) and len(joined) < len(wanted):
                line = self._lines[row]
                row += 1
                words = line.strip()
                if not words:
                    continue
                first = first or (row, len(line) - len(line.lstrip()) + 1)
                joined = f"{joined} {words}".strip()
            starts.append(first or (row, 1))
        return starts

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")
