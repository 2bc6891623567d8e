"""Facts that only several others together make: who is for profiling, and which device plugins are for one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.engine import Fact
from nodeworthy.facts.boot_script import BootScript
from nodeworthy.fleet.model import Fleet


def put_together(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    """Of the facts of one scene. Imported only where there is anything to put together."""
    scripts = [fact for fact in facts if isinstance(fact, BootScript)]
    if scripts or fleet is not None:
        from nodeworthy.facts.profiling_nodes import profiling_nodes

        yield from profiling_nodes(scripts, fleet)
    if any(type(fact).__name__ in ("DaemonSetManifest", "OperatorValues") for fact in facts):
        from nodeworthy.facts.device_plugins import device_plugins

        yield from device_plugins(facts, fleet)
