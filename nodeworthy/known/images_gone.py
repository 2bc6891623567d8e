"""Images that are no more: the table of `images_gone.toml`."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class GoneImage:
    names: tuple[str, ...]
    tags: re.Pattern[str]
    says: str
    should: str


@cache
def _images() -> tuple[GoneImage, ...]:
    table = table_of("images_gone")
    return tuple(
        GoneImage(tuple(row["names"]), re.compile(row["tags"]), row["says"], row["should"]) for row in table["image"]
    )


def gone_image(image: str) -> GoneImage | None:
    """The removed image that this name stands for. One that is named by digest is not looked up."""
    if "@" in image:
        return None
    name, _, tag = image.partition(":")
    tag = tag or "latest"
    return next((each for each in _images() if name in each.names and each.tags.fullmatch(tag)), None)


def may_be_gone(image: str) -> bool:
    """Whether it is one of those of which something is gone; most are none."""
    return any(image.partition(":")[0].partition("@")[0] in each.names for each in _images())
