"""What objects of a cluster name of each other. The table of `references.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class Reference:
    of: str
    # The way to it; a name that ends in [] is that of a list.
    at: tuple[str, ...]
    names: tuple[str, ...]
    then: str
    # Where the namespace stands in which it is looked for; else it is the object's own.
    within: tuple[str, ...] = ()
    # What it is, where it is no name or mapping: the annotation by which a pod asks for networks.
    form: str = ""
    # Who does not say one of these there names nothing by it.
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What both have to say alike there, for whoever looks at the one to see the other; and what comes of it else.
    agree: tuple[str, ...] = ()
    disagree: str = ""
    # It matters, whatever stands in it.
    is_ours: bool = False
    # The group that the naming object says of it: who says none, or another one, names something else.
    group: str = ""
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
    said |= {name: way_of(said[name]) for name in ("at", "within", "agree") if name in said}
    return Reference(**said)  # type: ignore[arg-type]


def way_of(written: object) -> tuple[str, ...]:
    """Names with dots between them; a list of them, where a name has dots itself."""
    return tuple(str(written).split(".")) if isinstance(written, str) else tuple(map(str, cast("list[str]", written)))
