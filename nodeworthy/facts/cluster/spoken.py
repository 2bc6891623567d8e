"""What a controller says in an object's status of what it could not do, where a table knows how it says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.documents.tree import Tree, plain
from nodeworthy.facts.cluster.references import OF_GPUS, is_about_gpus
from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

# Whether something has been so for longer than it takes, by when it began.
Lasts = Callable[[str], bool]


@cache
def speaking() -> Mapping[str, Mapping[str, Any]]:
    """The rows of `speaking.toml`, by kind."""
    return {row["kind"]: row for row in table_of("speaking")["speaking"]}


@dataclass(frozen=True)
class HowTold:
    """How a finding tells of one: `{name}` and `{namespace}` are filled in."""

    fault: str
    should: str
    remedy: str
    # Why, where its controller does not say it.
    cause: str = ""


def how_it_is_told(kind: str) -> HowTold:
    row = speaking()[kind]
    return HowTold(row["fault"], row["should"], row["remedy"], row.get("cause", ""))


def own_words(found: Tree, lasts: Lasts) -> str:
    """Its own words; empty where it says nothing, or is not about GPUs."""
    row, data = speaking()[found.get("kind").string], plain(found)
    is_ours = row.get("is_ours") or is_about_gpus(data)
    if not is_ours and not row.get("by_its_words"):
        return ""
    said = _by_a_condition(row, data, lasts) or _by_its_parts(row, data)
    said = said or _by_its_failure(row, data)
    return said if is_ours or OF_GPUS.search(said) else ""


def _by_a_condition(row: Mapping[str, Any], data: Mapping[str, Any], lasts: Lasts) -> str:
    for told in row.get("told", ()):
        for each in mappings_at(data, "status", "conditions"):
            reason = text_at(each, "reason")
            is_meant = text_at(each, "type") == told["type"] and text_at(each, "status") == told["status"]
            if not is_meant or reason not in told.get("reasons", (reason,)):
                continue
            if not told.get("lasts") or lasts(text_at(each, "lastTransitionTime")):
                return ": ".join(filter(None, (reason or told["type"], text_at(each, "message"))))
    return ""


def _by_its_parts(row: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    parts = mappings_at(data, *row["parts"].split(".")) if "parts" in row else ()
    said = (f"{text_at(each, 'name')}: {text_at(each, 'error')}" for each in parts if text_at(each, "error"))
    return next(said, "")


def _by_its_failure(row: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    failure = mapping_at(data, *row["failure"].split(".")) if "failure" in row else {}
    reason = text_at(failure, "reason")
    known = [each for told in row.get("told", ()) for each in told.get("reasons", ())]
    return ": ".join(filter(None, (reason, text_at(failure, "message")))) if reason in known else ""
