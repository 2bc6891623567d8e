"""The links between a card and the pod that uses it, in their order: the table of `chain.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Link:
    id: str
    title: str
    # Where it can be seen, if what was read does not show it.
    look: str
    rules: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@cache
def links() -> tuple[Link, ...]:
    rows = table_of("chain")["link"]
    return tuple(_link(row) for row in rows)


def _link(row: Mapping[str, Any]) -> Link:
    many = {name: tuple(each) for name, each in row.items() if isinstance(each, list)}
    return Link(row["id"], row["title"], row["look"], **many)


@cache
def by_rule() -> Mapping[str, str]:
    """The link that a rule's findings break, where they name none of their own."""
    return {rule: link.id for link in links() for rule in link.rules}


@cache
def link_of_part(part: str) -> str:
    """Empty where the part brings none: metrics of a GPU are no link to it."""
    return next((link.id for link in links() if part in link.parts), "")


@cache
def link_of_evidence(evidence: str, layer: str) -> str:
    """The link that names this evidence; if none does, the link that names its layer."""
    named = (link.id for link in links() if evidence in link.evidence)
    layered = (link.id for link in links() if layer in link.layers)
    return next(named, "") or next(layered, "")
