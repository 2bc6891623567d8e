"""The fleet that nodes are judged by: only one that was asked for, since a host does not lie beside one."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.fleet.read import refuse_impossible


def declared(file: str | None, stack: str | None, pool: str | None) -> Declared:
    """Raises InputError for a fleet, a stack or a pool that is not there."""
    if file is None and stack is None:
        return Declared(None, pool)
    choice = Fleets(file, stack).beside(Path.cwd())
    if choice.fleet is not None:
        refuse_impossible(choice.fleet)
    return Declared(choice.fleet, pool)
