"""Which part of the GPU stack an image is: the table of `gpu_stack.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of


@cache
def _parts() -> Mapping[str, str]:
    rows = table_of("gpu_stack")["part"]
    return {image: row["part"] for row in rows for image in row["images"]}


@cache
def part_of(image: str) -> str:
    """Empty where it is none. `driver` is anybody's name for a driver: NVIDIA's has its maker in the path."""
    *path, last = image.split("@", maxsplit=1)[0].split("/")
    name = last.split(":", maxsplit=1)[0]
    if name in ("driver", "precompiled-driver") and not any("nvidia" in each for each in path):
        return ""
    return _parts().get(name, "")
