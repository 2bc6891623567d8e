"""Names of verification work, and of what keeps it from a node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

LABEL = "nodeworthy/verification"
# On a node: no verification may run there.
OPT_OUTS = {"nodeworthy/verify": "disabled", "coreweave.com/hpc-verify": "disabled"}


def opt_out_label(labels: Mapping[str, Any]) -> str | None:
    """The label by which somebody keeps verification off a node."""
    return next((f"{name}={value}" for name, value in OPT_OUTS.items() if labels.get(name) == value), None)


# On a node: when it passed, and in which boot. What has booted again may have changed.
VERIFIED = "nodeworthy/verified"
VERIFIED_BOOT = "nodeworthy/verified-boot"
LOOP = pattern(r"\bwhile\s+(?:true|:|\[\s*1\s*\]|sleep\b)|\bfor\s*\(\(\s*;\s*;|--(?:interval|period|loop)\b")


@dataclass(frozen=True)
class Signs:
    """What shows that a workload verifies: its names, and what it runs."""

    names: re.Pattern[str]
    programs: re.Pattern[str]


@cache
def signs(*, comes_again: bool, by_hand: bool = True) -> Signs:
    """The signs of tools that always verify, and of those that do where they run again and again; with or without what
    people start `by_hand`."""
    tools = [each for each in _tools() if comes_again or not each.get("again", False)]
    tools = [each for each in tools if by_hand or not each.get("by_hand", False)]
    names = _any_of(name for each in tools for name in each["names"])
    programs = _any_of(program for each in tools for program in each.get("programs", ()))
    return Signs(
        re.compile(rf"(?:^|[-_/.])({names})(?=$|[-_/.:])"),
        re.compile(rf"(?:^|[\s;&|(/'\"])({programs})(?=$|[\s;&|)'\"])"),
    )


def seconds_of(command: str) -> int:
    """How long the tools that `command` runs go on by their own arguments; 0 where these say nothing."""
    found = (each for pattern_ in _lasting() for each in pattern_.findall(command))
    return max((int(each[:9]) for each in found), default=0)


@cache
def _lasting() -> list[re.Pattern[str]]:
    return [re.compile(each["lasts"]) for each in _tools() if "lasts" in each]


@cache
def _tools() -> list[Mapping[str, Any]]:
    tools: list[Mapping[str, Any]] = table_of("verification")["tool"]
    return tools


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in sorted(words, key=len, reverse=True))
