"""Values files that are laid over another one: `values-prod.yaml` over the `values.yaml` beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.collect.objects import facts_of
from nodeworthy.collect.source.beside import Beside
from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree, merge
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact

_BASE = "values.yaml"
_OVERLAY = pattern(r"values[-._].+\.ya?ml|.+[-._]values\.ya?ml")


def with_base(document: Tree, brought: Sequence[Fact], beside: Beside) -> Iterator[Fact]:
    """What a document brings; of a chart's values, as they are with the base beneath them."""
    kinds = _kinds(brought)
    base = _base(document, beside) if kinds else None
    if base is not None and not kinds <= _kinds(facts_of(base)):
        base = None  # that of another chart
    if base is None:
        yield from brought
        return
    yield from (each for each in brought if not is_loose(each))
    yield from (each for each in facts_of(merge(base, document)) if is_loose(each) and type(each) in kinds)


def is_loose(fact: Fact) -> bool:
    """Values of no release: whatever installs the chart names them."""
    return getattr(fact, "origin", None) == LOOSE


def _kinds(facts: Iterable[Fact]) -> set[type[Fact]]:
    return {type(each) for each in facts if is_loose(each)}


def _base(document: Tree, beside: Beside) -> Tree | None:
    if _OVERLAY.fullmatch(beside.source.path.name) is None or not document.get("apiVersion").is_absent:
        return None
    found = beside.documents(beside.folder / _BASE)
    return found[0] if found else None
