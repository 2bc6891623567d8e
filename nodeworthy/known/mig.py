"""Into what slices MIG cuts which GPU."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

_GB = pattern(r"(\d{1,3})GB", re.IGNORECASE)


@cache
def _profiles() -> Mapping[str, Mapping[str, Any]]:
    table: Mapping[str, Mapping[str, Any]] = table_of("mig")["profiles"]
    return table


def source() -> str:
    return str(table_of("mig")["source"])


def profiles_of(gpu: str, memory: int | None = None) -> frozenset[str]:
    """The profiles of a GPU, by its name, with so many GB or of any size. None where nothing is known of it."""
    by_memory = _profiles().get(gpu, {})
    sizes = by_memory if memory is None else [str(memory)]
    return frozenset(profile for size in sizes for profile in by_memory.get(size, ()))


def profiles_of_product(label: str) -> frozenset[str]:
    """The profiles of a node's product label (NVIDIA-A100-SXM4-80GB); a label that names a slice itself says nothing
    more."""
    gpu = None if "-MIG-" in label else gpu_named(label.removesuffix("-SHARED"))
    if gpu is None:
        return frozenset()
    size = _GB.search(label)
    return profiles_of(gpu.name, int(size[1]) if size is not None else None)
