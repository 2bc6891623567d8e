"""YAML that a template may fill in: its documents, and the text of its scalars with where each line of it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product

from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Joined, Origin, Pinned, within
from nodeworthy.boot.perhaps import NOTHING, Arms, Perhaps, guard_of, perhaps
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# The text of a scalar of YAML, and where each line of it stands in the user's own file.

# What more questions decide about one file is not taken apart: each doubles the ways in which it may end.
_MOST_ASKED = 3


@dataclass(frozen=True)
class _Row:
    """A line of a block, and the directives within the block that decide whether it is there."""

    line: Line
    arms: Arms

    def is_there(self, chosen: Mapping[str, bool]) -> bool:
        return all(chosen[asked] is is_yes for each in self.arms for asked, is_yes in each.asks)

    def or_hole(self, decided: Perhaps) -> Line:
        if not self.arms:
            return self.line
        return Line(Text.of(decided.hole(self.arms, self.line.text.shown())), self.line.place)


@dataclass(frozen=True)
class Document:
    """A text of YAML that was read with its own lines and columns, and where it stands itself."""

    text: str
    origin: Origin
    fillings: Fillings
    # What its directives decide, and the text with them.
    perhaps: Perhaps = NOTHING
    original: str = ""
    # Under which conditions all of it is there.
    given: Guard = ()

    def arms(self, tree: Tree) -> Arms:
        return self.perhaps.at(tree.place.line or 1)

    def guard(self, tree: Tree) -> Guard:
        """The conditions under which a value is there."""
        return (*self.given, *guard_of(self.arms(tree), self.origin))

    def decided_by(self, tree: Tree) -> str:
        """The directive that decides whether a value is there; empty where none does."""
        guard = self.guard(tree) if self.given or self.perhaps.lines else ()
        return guard[-1].question.text if guard else ""

    def unless_decided(self, tree: Tree, text: Text) -> Text:
        """A hole where a directive decides whether it is there."""
        decided = self.decided_by(tree)
        return Text.of(Hole(text.shown(), f"{decided} decides whether it is there")) if decided else text

    def place(self, tree: Tree) -> Place:
        """Where a value stands; an empty one, where its key does."""
        at = tree.place
        place = self.origin.at(at.line or 1, at.column or 1)
        return place if place.subject or not at.subject else place.about(at.subject)

    def scalar(self, tree: Tree) -> Text:
        """A short value: a path, a name."""
        if tree.text is not None:
            return self.fillings.text(tree.text)
        if tree.says_nothing:
            return Text()
        if tree.is_unknown or tree.is_mapping or tree.is_sequence:
            return Text.of(Hole("…", f"{tree.kind()} stands where a string should"))
        return Text.of(tree.written or "")

    def shown(self, tree: Tree) -> str:
        """The value as it was written, for a shell parser that knows templates."""
        if tree.says_nothing:
            return ""
        told = self.fillings.shown(tree.text if tree.text is not None else tree.written or "")
        first = self._first_line(tree)
        return self._with_directives(told, first) if first else told

    def _with_directives(self, told: str, first: int) -> str:
        """Puts directives back that were hidden because they stand too far left for a block: they decide about its
        lines."""
        written = self.original.split("\n")
        lines = told.split("\n")
        for row in range(first, first + len(lines)):
            if row in self.perhaps.directives and row <= len(written):
                lines[row - first] = written[row - 1].strip()
        return "\n".join(lines)

    def contents(self, tree: Tree) -> list[tuple[Guard, Content]]:
        """Every content that it may have once its directives are decided, each under what decides so."""
        rows, is_open = self._rows(tree)
        asked = {asked: each.line for row in rows for each in row.arms for asked, _ in each.asks}
        if not asked or len(asked) > _MOST_ASKED or any(each.is_loop for row in rows for each in row.arms):
            return [((), self.content(tree))]
        return [
            (self._answered(asked, chosen), Content(tuple(row.line for row in rows if row.is_there(chosen)), is_open))
            for answers in product((True, False), repeat=len(asked))
            for chosen in [dict(zip(asked, answers, strict=True))]
        ]

    def _answered(self, asked: Mapping[str, int], chosen: Mapping[str, bool]) -> Guard:
        return tuple(
            Condition(Question(each, self.origin.at(line), Asks.STATE), "yes" if chosen[each] else "no")
            for each, line in asked.items()
        )

    def content(self, tree: Tree) -> Content:
        """The content, with a hole for each line whose presence a directive decides."""
        rows, is_open = self._rows(tree)
        return Content(tuple(row.or_hole(self.perhaps) for row in rows), is_open)

    def _rows(self, tree: Tree) -> tuple[list[_Row], bool]:
        text, origin = tree.string, self.lines_of(tree)
        lines = text.split("\n")
        is_open = lines[-1] != ""
        if not is_open:
            lines.pop()
        first, own = self._first_line(tree), self.arms(tree)
        rows: list[_Row] = []
        for i, line in enumerate(lines, 1):
            row = first + i - 1
            if first and row in self.perhaps.directives:
                continue
            arms = self.perhaps.at(row)[len(own) :] if first else ()
            rows.append(_Row(Line(self.fillings.text(line), origin.at(i)), arms))
        return rows, is_open

    def _first_line(self, tree: Tree) -> int:
        """The line of the document on which a block begins whose lines stay its own; 0 for any other text."""
        if not self.perhaps.lines or tree.inside is None:
            return 0
        row, column = tree.place.line or 1, tree.place.column or 1
        is_block = row <= len(self._lines) and self._lines[row - 1].startswith("|", column - 1)
        return (tree.inside.line or 0) if is_block else 0

    def lines_of(self, tree: Tree) -> Origin:
        if tree.inside is not None:
            return within(self.origin, (tree.inside.line or 1) - 1, (tree.inside.column or 1) - 1)
        row, column = tree.place.line or 1, tree.place.column or 1
        mark = self._lines[row - 1][column - 1 : column] if row <= len(self._lines) else ""
        text = tree.string
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


# Reads YAML that a template may fill in: where it puts in whole lines, the rest is read without them.

_LONE = pattern("(?m)^[ \t]*(?P<word>\ue000.\uf8ff*)[ \t]*$")


@dataclass(frozen=True)
class Missing:
    """What a template puts in, and nobody knows yet."""

    place: Place
    text: str

    def fault(self) -> UserDataFault:
        what = f"{self.text.splitlines()[0][:60]} puts in what is not known before the template is filled in"
        return UserDataFault(FaultKind.NOT_READ_HERE, self.place, what, is_doubt=True)


@dataclass(frozen=True)
class Read:
    document: Document
    trees: tuple[Tree, ...]
    missing: tuple[Missing, ...] = ()


def read_filled(text: str, origin: Origin, fillings: Fillings, *, template: bool, given: Guard = ()) -> Read:
    """Raises NotYaml, with a place inside of the text."""
    hidden = fillings.hide(text) if template or fillings.jinja or (fillings.names and "{{" in text) else text
    decided = perhaps(text, jinja=fillings.jinja) if hidden is not text else NOTHING
    whole = Document(hidden, origin, fillings, decided, text, given)
    try:
        return _read_document(whole)
    except NotYaml:
        lone = list(_LONE.finditer(hidden)) if fillings.raws else []
        if not lone:
            raise
        missing = [
            Missing(origin.at(hidden.count("\n", 0, found.start()) + 1), fillings.shown(found["word"]))
            for found in lone
        ]
        rest = _LONE.sub("#", hidden)
        return _read_document(replace(whole, text=rest), tuple(missing))


def _read_document(document: Document, missing: tuple[Missing, ...] = ()) -> Read:
    trees = tuple(tree for tree in read_all(document.text, Place()) if not tree.is_null)
    if len(trees) == 1 and trees[0].text is not None and document.fillings.text(trees[0].text).holes:
        whole = Missing(document.place(trees[0]), document.shown(trees[0]))
        return Read(document, (), (*missing, whole))
    return Read(document, trees, missing)
