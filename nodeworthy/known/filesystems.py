"""Filesystems that live across the network: the table of `filesystems.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of


@cache
def _table() -> Mapping[str, Any]:
    return table_of("filesystems")


def _bare(kind: str) -> str:
    return kind.removeprefix("fuse.")


def is_network(kind: str) -> bool:
    return _bare(kind) in _table()["by_type"] or needs_netdev(kind)


def needs_netdev(kind: str) -> bool:
    """Whether systemd takes it for a local filesystem until somebody says otherwise."""
    return _bare(kind) in _table()["by_option"]
