"""What nodes of Karpenter's and eksctl's families of images are: the table of `ami_families.toml`, typed."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class AmiFamily:
    distribution: str
    driver: bool
    source: str
    karpenter: tuple[str, ...] = ()
    eksctl: tuple[str, ...] = ()
    is_default: bool = False


@cache
def ami_families() -> tuple[AmiFamily, ...]:
    table = tomllib.loads(files(__package__).joinpath("ami_families.toml").read_text(encoding="utf-8"))
    return tuple(
        AmiFamily(
            row["distribution"],
            row["driver"],
            row["source"],
            tuple(row.get("karpenter", ())),
            tuple(row.get("eksctl", ())),
            row.get("default", False),
        )
        for row in table["family"]
    )


def of_karpenter(name: str) -> AmiFamily | None:
    """By an alias (`al2023@v20250620`) or an amiFamily (`AL2023`)."""
    family = name.partition("@")[0].lower()
    return next((each for each in ami_families() if family in each.karpenter), None)


def of_eksctl(name: str | None) -> AmiFamily | None:
    """By an amiFamily, or what is taken where none is written."""
    return next((each for each in ami_families() if (each.is_default if name is None else name in each.eksctl)), None)
