"""Paths of containerd that stand in `toolkit.env` in a form in which nobody reads them."""

from __future__ import annotations

from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import bare
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.verdict import Known


def in_vain(toolkit: ToolkitSettings) -> frozenset[str]:
    """The variables that are not set, and may be what somebody meant to set."""
    return frozenset(name for name in (SOCKET, CONFIG) if _is_another(toolkit, name))


def _is_another(toolkit: ToolkitSettings, name: str) -> bool:
    others = any(not each.tree.is_mapping or each.meant == name for each in toolkit.variables)
    return toolkit.named(name) is None and (not toolkit.is_a_list or others)


def is_misspelt(toolkit: ToolkitSettings) -> bool:
    """Whether a path may be the right one, and is no bare path."""
    states = [path.state for path in (toolkit.socket, toolkit.config)]
    return any(bare(state.value) != state.value for state in states if isinstance(state, Known))
