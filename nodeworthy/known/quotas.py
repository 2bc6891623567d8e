"""Which quota of EC2 counts a machine."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Quota:
    # As AWS calls it.
    named: str
    families: str
    is_spot: bool


@cache
def quota_of(instance_type: str, *, is_spot: bool) -> Quota | None:
    """None for a family of which none is known."""
    family = instance_type.partition(".")[0]
    return next((each for each in _quotas() if each.is_spot is is_spot and _counts(each, family)), None)


def _counts(quota: Quota, family: str) -> bool:
    return pattern(f"(?:{quota.families})[a-z0-9-]*").fullmatch(family) is not None


@cache
def _quotas() -> tuple[Quota, ...]:
    said = table_of("quotas")
    return tuple(Quota(each["named"], each["families"], each.get("spot", False)) for each in said["quotas"])
