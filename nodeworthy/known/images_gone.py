"""Images that are no more: the table of `images_gone.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class GoneImage:
    names: tuple[str, ...]
    tags: re.Pattern[str]
    says: str
    should: str


@cache
def _images() -> tuple[GoneImage, ...]:
    table = tomllib.loads(Path(__file__).with_name("images_gone.toml").read_text(encoding="utf-8"))
    return tuple(
        GoneImage(tuple(row["names"]), re.compile(row["tags"]), row["says"], row["should"]) for row in table["image"]
    )


def gone_image(image: str) -> GoneImage | None:
    """Of an image as it is written. One by its digest is what it was."""
    if "@" in image:
        return None
    name, _, tag = image.partition(":")
    tag = tag or "latest"
    return next((each for each in _images() if name in each.names and each.tags.fullmatch(tag)), None)
