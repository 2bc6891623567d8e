"""A cause for which pods wait that ask for GPUs."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft


@dataclass(frozen=True)
class PendingCause:
    # What makes two pods wait for the same.
    key: tuple[str, ...]
    # Unknown where it is none that can be named.
    draft: Draft
    # One more node like those that there are would take them.
    more_nodes_help: bool = False
