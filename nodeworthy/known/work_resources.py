"""What makes pods with GPUs or is made for them, as a webhook names it: the table of `work_resources.toml`."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of


@cache
def work_resources() -> frozenset[str]:
    return frozenset(name for row in table_of("work_resources")["resource"] for name in row["resources"])
