"""The pages of docs/ that are tables of what is known: the containerd of each distribution, the keys of a fleet."""

from __future__ import annotations

import json
from collections.abc import Iterator

from markdown import code, page, table

from nodeworthy.fleet.declaration import FLEET
from nodeworthy.fleet.model import KEY
from nodeworthy.fleet.shape import Anything, Field, Items, Kind, Named, Record, Text, Truth
from nodeworthy.known.containerd import Containerd, containerd_of, defaults, distributions, takes_base_dir

BASE_DIR = "BASE-DIR"


def containerd() -> str:
    said = defaults()
    rows = [containerd_of(name) for name in distributions()]
    return page(
        "# The containerd that kubelet uses",
        "What `toolkit.env` of the GPU operator must say, per distribution. A fleet names the distribution of each "
        f"pool; where it gives a base dir, that stands for `{BASE_DIR}`.",
        f"Where nothing is said, the operator takes {code(said.config)} and {code(said.socket)}.",
        table(("distribution", "CONTAINERD_CONFIG", "CONTAINERD_SOCKET", "units"), *_runtimes()),
        "## What to know, and where it was read",
        table(("distribution", "note", "source"), *((row.distribution, row.note, row.source) for row in rows)),
    )


def _runtimes() -> Iterator[tuple[str, ...]]:
    for name in distributions():
        plain, strict = containerd_of(name), containerd_of(name, strict=True)
        yield _runtime(name, plain)
        if takes_base_dir(name):
            yield _runtime(f"{name}, with a base dir", containerd_of(name, BASE_DIR))
        if strict != plain:
            yield _runtime(f"{name}, strict", strict)


def _runtime(title: str, row: Containerd) -> tuple[str, ...]:
    config = code(row.config) if row.config else "–"
    optional = " (the socket alone will do)" if row.config_optional else ""
    return title, config + optional, code(row.socket) if row.socket else "–", ", ".join(map(code, row.units))


def fleet() -> str:
    return page(
        "# A fleet",
        f"Stack config under {code(KEY)}, in `Pulumi.<stack>.yaml`: the only place where a pool is declared. "
        "`nodeworthy fleet` prints it as resolved, `nodeworthy fleet schema` prints its JSON Schema.",
        *record_tables("fleet", FLEET),
    )


def record_tables(path: str, record: Record) -> Iterator[str]:
    yield f"## {record.title}: {code(path)}"
    if record.false:
        yield f"{code('false')}: {record.false}."
    yield table(
        ("key", "takes", "default", "is"),
        *((code(name), takes(each.kind), _default(each), each.about) for name, each in record.fields.items()),
    )
    for name, each in record.fields.items():
        inner, beneath = _inner(each.kind)
        if inner is not None:
            yield from record_tables(f"{path}.{name}{beneath}", inner)


def _inner(kind: Kind) -> tuple[Record | None, str]:
    if isinstance(kind, Items):
        return (kind.of, "[]") if isinstance(kind.of, Record) else (None, "")
    if isinstance(kind, Named):
        return kind.of, ".<name>"
    return (kind, "") if isinstance(kind, Record) else (None, "")


def takes(kind: Kind) -> str:
    match kind:
        case Text() | Truth():
            return kind.what
        case Items():
            return "a list, see below" if isinstance(kind.of, Record) else f"a list: {takes(kind.of)}"
        case Named():
            return "by name, see below"
        case Anything():
            return "a mapping"
        case Record():
            return "see below"
        case _:
            return kind.what


def _default(field: Field) -> str:
    if field.required:
        return "(needed)"
    return "" if field.default is None else code(json.dumps(field.default, ensure_ascii=False))
