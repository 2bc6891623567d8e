"""What objects of a cluster name of each other. The table of `references.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class Reference:
    of: str
    at: str
    names: tuple[str, ...]
    then: str
    by: Mapping[str, str] = field(default_factory=dict)
    or_default: str = ""
    by_words: bool = False
    unless: str = ""
    well: tuple[str, ...] = ()
    mend: str = ""


@cache
def references() -> Mapping[str, tuple[Reference, ...]]:
    """By the kind that names."""
    rows = [_reference(row) for row in table_of("references")["reference"]]
    return {row.of: tuple(each for each in rows if each.of == row.of) for row in rows}


@cache
def named_kinds() -> Mapping[str, tuple[Reference, ...]]:
    """By a kind that is named, by what."""
    rows = [each for some in references().values() for each in some]
    return {kind: tuple(each for each in rows if kind in each.names) for row in rows for kind in row.names}


def _reference(row: Mapping[str, object]) -> Reference:
    said = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items() if name != "source"}
    return Reference(**said)  # type: ignore[arg-type]
