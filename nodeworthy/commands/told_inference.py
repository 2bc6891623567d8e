"""Says in one line, behind a report, that pools were not declared: they follow from evidence, and what is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.gpu_pool import GpuPool
    from nodeworthy.scene import Scene

# What is judged by pools, and they.
_JUDGED = frozenset(("GpuPool", "OperatorValues"))
# As many are named; how many there are is said of all.
_FIRST = 3


def inferred_pools(scenes: Iterable[Scene]) -> dict[str, str]:
    """The pools that no fleet declares and that something was judged by, as they are told, each with its file."""
    return {told: path for scene in scenes for told, path in _pools(scene)}


def _pools(scene: Scene) -> Iterator[tuple[str, str]]:
    names = {type(each).__name__ for each in scene.facts}
    if not names.issuperset(_JUDGED) or "Fleet" in names:
        return
    from nodeworthy.facts.fleet.gpu_pool import GpuPool

    for each in scene.facts:
        told = runs(each) if isinstance(each, GpuPool) else ""
        if told and isinstance(each, GpuPool):
            yield told, each.distribution.place.file


def runs(pool: GpuPool) -> str:
    """What its nodes are, and where that is said; empty where nobody knows it."""
    from nodeworthy.verdict import Known

    said = pool.distribution
    return f"{pool.title} {pool.runs} {said.state.value} ({said.place})" if isinstance(said.state, Known) else ""


def command_for_files(pools: Mapping[str, str]) -> str:
    """What prints them as a fleet, where they follow from files."""
    return " ".join(("nodeworthy fleet infer", *list(dict.fromkeys(pools.values()))[:_FIRST]))


def tell(command: str, pools: Iterable[str], infer: str) -> None:
    """`infer` prints them as a fleet."""
    if every := list(pools):
        more = f" and {len(every) - _FIRST:,} more" if len(every) > _FIRST else ""
        told = f"{'; '.join(every[:_FIRST])}{more}"
        said = f"no fleet is declared, so pools follow from evidence: {told}; `{infer}` prints them as a fleet to keep"
        print(f"nodeworthy {command}: {on_one_line(said)}", file=sys.stderr)
