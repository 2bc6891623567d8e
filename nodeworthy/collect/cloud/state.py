"""What `pulumi stack export` writes: of each resource its id, and with which inputs it was last made."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from nodeworthy.documents.files import text_of
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

_LARGEST = 256 * 1024 * 1024
_CALLED = "a state of Pulumi"


@dataclass(frozen=True)
class State:
    """By URN."""

    ids: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_state(named: str | None) -> State:
    """`-` is standard input. Raises InputError for what is no state."""
    if named is None:
        return State()
    shown = "standard input" if named == "-" else named
    text = sys.stdin.read(_LARGEST) if named == "-" else text_of(Path(named), named, _LARGEST, _CALLED)
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise InputError(f"{shown}: not JSON, which `pulumi stack export` writes: {problem}") from None
    if not isinstance(said, dict) or not isinstance(said.get("deployment"), dict):
        raise InputError(f"{shown}: no `deployment` is in it, which `pulumi stack export` writes")
    # Of one that is just being replaced, the old one is there, too, and on its way out.
    every = [each for each in mappings_at(said, "deployment", "resources") if not each.get("delete")]
    ids = {text_at(each, "urn"): text_at(each, "id") for each in every if text_at(each, "id")}
    return State(ids, {text_at(each, "urn"): mapping_at(each, "inputs") for each in every})
