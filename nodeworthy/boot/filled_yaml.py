"""Reads YAML that a template may fill in: where it puts in whole lines, the rest is read without them."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.perhaps import NOTHING, perhaps
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_LONE = pattern("(?m)^[ \t]*(?P<word>\ue000.\uf8ff*)[ \t]*$")


@dataclass(frozen=True)
class Missing:
    """What a template puts in, and nobody knows yet."""

    place: Place
    text: str

    def fault(self) -> Fault:
        what = f"{self.text.splitlines()[0][:60]} puts in what is not known before the template is filled in"
        return Fault(FaultKind.NOT_READ_HERE, self.place, what, is_doubt=True)


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
        return _read(whole)
    except NotYaml:
        lone = list(_LONE.finditer(hidden)) if fillings.raws else []
        if not lone:
            raise
        missing = [
            Missing(origin.at(hidden.count("\n", 0, found.start()) + 1), fillings.shown(found["word"]))
            for found in lone
        ]
        rest = _LONE.sub("#", hidden)
        return _read(replace(whole, text=rest), tuple(missing))


def _read(document: Document, missing: tuple[Missing, ...] = ()) -> Read:
    trees = tuple(tree for tree in read_all(document.text, Place()) if not tree.is_null)
    if len(trees) == 1 and trees[0].text is not None and document.fillings.text(trees[0].text).holes:
        whole = Missing(document.place(trees[0]), document.shown(trees[0]))
        return Read(document, (), (*missing, whole))
    return Read(document, trees, missing)
