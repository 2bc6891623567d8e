"""Which machine images hold NVIDIA's driver: the table of `node_images.toml`, typed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class ImageSign:
    """One family of images, by the ways in which it is named."""

    driver: bool
    source: str
    parameters: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()
    # What its nodes are, where that follows from it: a key of the table of distributions.
    distribution: str | None = None


@cache
def image_signs() -> tuple[ImageSign, ...]:
    table = tomllib.loads(files(__package__).joinpath("node_images.toml").read_text(encoding="utf-8"))
    return tuple(
        ImageSign(
            driver=row["driver"],
            source=row["source"],
            parameters=tuple(row.get("parameters", ())),
            types=tuple(row.get("types", ())),
            names=tuple(row.get("names", ())),
            owners=frozenset(row.get("owners", ())),
            distribution=row.get("distribution"),
        )
        for row in table["image"]
    )


def by_parameter(text: str) -> ImageSign | None:
    """The image that an SSM parameter names, also as `resolve:ssm:…`."""
    return next((each for each in image_signs() if any(_holds(one, text) for one in each.parameters)), None)


def by_type(ami_type: str) -> ImageSign | None:
    """The image of a managed node group, by its amiType."""
    return next((each for each in image_signs() if _is_one(ami_type, each.types)), None)


def by_name(name: str, owners: Collection[str]) -> ImageSign | None:
    """The image that is called so, where those who own it are those who call theirs so."""
    found = next((each for each in image_signs() if _is_one(name, each.names)), None)
    return found if found is not None and owners and found.owners.issuperset(owners) else None


def _is_one(text: str, patterns: Iterable[str]) -> bool:
    return any(_compiled(each).fullmatch(text) is not None for each in patterns)


def _holds(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    anything = "[^/]*" if pattern.startswith("/") else ".*"
    quoted = re.escape(pattern).replace(re.escape("{version}"), r"\d+\.\d+")
    return re.compile(quoted.replace(re.escape("*"), anything))
