"""What AWS ParallelCluster's configuration may say: `parallel_cluster.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Keys:
    here: Sequence[str]

    def refuses(self, name: str) -> str:
        """What to write instead of a key that this section does not have; empty for one that it has, or may have."""
        if name in self.here:
            return ""
        if meant := next((each for each in self.here if each.lower() == name.lower()), ""):
            return meant
        elsewhere = [each for each, keys in table_of("parallel_cluster")["keys"].items() if name in keys]
        return f"{name} in {' or '.join(elsewhere)}" if elsewhere else ""


def keys_of(section: str) -> Keys:
    return Keys(table_of("parallel_cluster")["keys"].get(section, ()))


def words_of(section: str) -> Mapping[str, Sequence[str]]:
    found: Mapping[str, Sequence[str]] = table_of("parallel_cluster")["words"].get(section, {})
    return found


_FIRST = 1200


def sizes_refused(capacity: Any, kind: str, disks: str) -> str:
    """The sizes that there are, where FSx for Lustre has none of this one; empty where it has, or that is unknown."""
    if not isinstance(capacity, int) or isinstance(capacity, bool) or disks == "HDD":
        return ""
    if kind == "SCRATCH_1":
        fits = capacity in (_FIRST, 2 * _FIRST) or (capacity > 0 and capacity % (3 * _FIRST) == 0)
        return "" if fits else "1200, 2400 or a multiple of 3600"
    if kind in ("SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"):
        fits = capacity == _FIRST or (capacity > 0 and capacity % (2 * _FIRST) == 0)
        return "" if fits else "1200 or a multiple of 2400"
    return ""


def throughput_refused(said: int | None, kind: str, disks: str) -> str:
    """What there is of it, where a kind of file system has none, or has to say it."""
    has = table_of("parallel_cluster")["throughput"].get("HDD" if disks == "HDD" else kind, [])
    if not has:
        return "no PerUnitStorageThroughput beside SCRATCH" if said is not None and kind.startswith("SCRATCH") else ""
    return "" if said in has else _those(has)


def _those(has: Sequence[int]) -> str:
    return f"PerUnitStorageThroughput: {' or '.join(map(str, has))}"
