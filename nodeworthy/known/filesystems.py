"""Filesystems that live across the network: the table of `filesystems.toml`, typed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("filesystems.toml").read_text(encoding="utf-8"))


def _bare(kind: str) -> str:
    return kind.removeprefix("fuse.")


def is_network(kind: str) -> bool:
    return _bare(kind) in _table()["by_type"] or needs_netdev(kind)


def needs_netdev(kind: str) -> bool:
    """Whether systemd takes it for a local filesystem until somebody says otherwise."""
    return _bare(kind) in _table()["by_option"]
