"""What the AWS provider takes for a resource, and what AWS accepts of it: types, required keys, values, lengths.

The data is written by `tools/aws_models.py` from the provider's own types and botocore's models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from nodeworthy.known import instances

DATA = "aws_models.json"
Model = Mapping[str, Any]


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(Path(__file__).with_name(DATA).read_text(encoding="utf-8"))
    return found


def model_of(resource_type: str) -> Model | None:
    """The inputs of a resource; None for a type of which none are kept."""
    found: Model | None = _data()["resources"].get(resource_type)
    return found


@lru_cache(maxsize=1)
def properties_of_all() -> frozenset[str]:
    """The names of all properties that are kept of any resource, those of what is inside them among them."""
    found: set[str] = set()
    waiting = list(_data()["resources"].values())
    while waiting:
        model = waiting.pop()
        found |= model.get("properties", {}).keys()
        waiting += [*model.get("properties", {}).values(), *([model["of"]] if "of" in model else [])]
    return frozenset(found)


def version() -> str:
    """The source of these models, with its version."""
    told: Mapping[str, str] = _data()["from"]
    return f"botocore {told['botocore']}"


def values(enumeration: str) -> frozenset[str]:
    if enumeration == "InstanceType":
        return instances.instance_types()
    return frozenset(_data()["enums"][enumeration])


@lru_cache(maxsize=256)
def pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)
