"""Paths of containerd that stand in `toolkit.env` in a form in which nobody reads them."""

from __future__ import annotations

from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.toolkit import CONFIG, SOCKET


def in_vain(toolkit: ToolkitSettings) -> frozenset[str]:
    """The variables that are not set, and may be what somebody meant to set."""
    return frozenset(name for name in (SOCKET, CONFIG) if _is_misspelt(toolkit, name))


def _is_misspelt(toolkit: ToolkitSettings, name: str) -> bool:
    others = any(not each.tree.is_mapping or each.meant == name for each in toolkit.variables)
    return toolkit.named(name) is None and (not toolkit.is_a_list or others)
