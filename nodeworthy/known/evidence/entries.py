"""The entries of the tables, typed, in the order in which one is the cause of another."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from nodeworthy.records import dataclass

# From below upwards: what breaks in one layer is the cause of what the layers above it say.
LAYERS = (
    "hardware",
    "driver",
    "fabric",
    "mig",
    "image",
    "network",
    "containerd",
    "toolkit",
    "cdi",
    "kubelet",
    "operator",
    "dra",
    "plugin",
    "hami",
    "monitoring",
    "scheduling",
    "cloud",
    "slurm",
    "collectives",
    "cuda",
)


@dataclass(frozen=True)
class Evidence:
    """One cause, and in which words programs tell it."""

    id: str
    # As programs print it: <name> stands for a word, <number> for a number, <words> for some words of the same line.
    texts: tuple[str, ...]
    # One as it was printed, and one that is like it and means something else.
    line: str
    near: str
    says: str
    # None where no rule of ours proves it.
    rule: str | None
    cause: str
    remedy: str
    # The command that shows whether it is so.
    prove: str
    source: str
    # It says that something failed and not why: whatever else was found explains it.
    is_symptom: bool = False
    # The table of xid.toml that says what its number means.
    table: str = ""
    # Ids of what stands in its line as well.
    beside: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.texts[0]


@cache
def all_evidence() -> tuple[Evidence, ...]:
    return tuple(_entry(row) for layer in LAYERS for row in _rows(layer))


@cache
def ranks() -> dict[str, int]:
    return {each.id: index for index, each in enumerate(all_evidence())}


def _rows(layer: str) -> list[dict[str, Any]]:
    written = files(__package__).joinpath(f"{layer}.toml").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(written)["evidence"]
    return rows


def _entry(row: dict[str, Any]) -> Evidence:
    return Evidence(
        rule=row.pop("rule", None),
        texts=tuple(row.pop("texts")),
        is_symptom=row.pop("symptom", False),
        beside=tuple(row.pop("beside", ())),
        **row,
    )
