"""The exact change as a unified diff, of the object as kubectl shows it and without what may be a secret."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import yaml

from nodeworthy.collect.cluster.recording import kept
from nodeworthy.report.printable import printable


def diff(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> str:
    lines = difflib.unified_diff(
        as_yaml(_telling(before)).splitlines(),
        as_yaml(_telling(after)).splitlines(),
        f"{name} (now)",
        f"{name} (then)",
        lineterm="",
    )
    return printable("\n".join(lines))


def _telling(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without its status, which is nobody's to write."""
    return {name: value for name, value in data.items() if name != "status"}


def as_yaml(data: Any) -> str:
    return yaml.safe_dump(kept(data), sort_keys=False, default_flow_style=False, allow_unicode=True, width=1000)
