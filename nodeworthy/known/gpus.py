"""The GPUs that exist, by any of their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Gpu:
    name: str
    memory: tuple[int, ...]
    architecture: str
    # Its boards of eight talk through NVSwitches, which need a fabric manager.
    nvswitch: bool
    # They are the rack's, and are managed from there.
    off_host: bool
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("gpus")


def gpu_names() -> tuple[str, ...]:
    return tuple(_table()["gpu"])


@cache
def _spellings() -> Mapping[str, str]:
    spelt = {}
    for name, row in _table()["gpu"].items():
        spelt.update({_bare(each): name for each in (name, *row.get("also", ()))})
    return spelt


# What a product label says behind a GPU's name: the form factor, the memory's size and kind.
_BEHIND = pattern(r"sxm\d?|pcie|nvl|hbm\d\w?|\d+gb")


def _words(name: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", name.lower())
    return words[1:] if words[:1] in (["nvidia"], ["tesla"]) else words


def _bare(name: str) -> str:
    return "".join(_words(name))


def _without_form(name: str) -> str:
    words = _words(name)
    while len(words) > 1 and _BEHIND.fullmatch(words[-1]):
        words.pop()
    return "".join(words)


@cache
def gpu_named(name: str) -> Gpu | None:
    """The GPU of this name in any case, also as a node's product label spells it (NVIDIA-H100-80GB-HBM3)."""
    canonical = _spellings().get(_bare(name)) or _spellings().get(_without_form(name))
    if canonical is None:
        return None
    row = _table()["gpu"][canonical]
    switched, off_host = row.get("nvswitch", False), row.get("off_host", False)
    return Gpu(canonical, tuple(row["memory"]), row["architecture"], switched, off_host, _table()["source"])


# Of the boards: an A100 sits on SXM4, an H100 on SXM5.
_SXM = pattern(r"(?i)sxm(\d)")


def products_meant(label: str) -> tuple[str, ...]:
    """What nodes with the GPU of a product label are called, where none is ever called as the label says: it names
    the GPU alone, a board that it is not made for, or is written in another case. Empty for what may be right, or is of
    a GPU whose labels are not known."""
    gpu = None if "-MIG-" in label else gpu_named(label)
    row: Mapping[str, Any] = _table()["gpu"][gpu.name] if gpu is not None else {}
    products = tuple(row.get("products", ()))
    if not products or label in products:
        return ()
    if in_another_case := tuple(each for each in products if each.lower() == label.lower()):
        return in_another_case
    board = _SXM.search(label)
    is_of_another = board is not None and int(board[1]) not in row.get("sxm", (int(board[1]),))
    return products if is_of_another or _bare(label) in _spellings() else ()


def is_product_meant(product: str, label: str) -> bool:
    """Whether a label that no node ever has means this product: both are of one GPU, and it is none of its labels."""
    gpu = gpu_named(label)
    if gpu is None or gpu_named(product) != gpu or "-MIG-" in label:
        return False
    products = _table()["gpu"][gpu.name].get("products", ())
    return product in products and label not in products


def near(name: str) -> tuple[str, ...]:
    """What may have been meant, likeliest first."""
    from difflib import get_close_matches

    found = get_close_matches(_bare(name), _spellings(), 3, 0.6)
    return tuple(dict.fromkeys(_spellings()[each] for each in found))
