"""Queues of KAI's scheduler that take no work of their own: one that others belong to, or, before there were more than
two levels, one that belongs to none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.facts.cluster.references import References, object_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
QUEUE = "Queue.scheduling.run.ai"
# Where its charts install it, and its scheduler's image.
_NAMESPACE = "kai-scheduler"
_SCHEDULER = pattern(r"kai-scheduler/(?:scheduler|kai-scheduler):v?(?P<major>\d{1,4})\.(?P<minor>\d{1,4})")
# Source: kai-scheduler/KAI-Scheduler d5bc503a: pkg/scheduler/actions/utils/input_jobs.go (a job whose queue is not a
# leaf is skipped), and 66900452, which is in 0.13.0: until then also one whose queue has no parent; 2026-08.
SINCE_MANY_LEVELS = (0, 13)


@dataclass(frozen=True)
class ClosedKaiQueue:
    """A queue by which pods wait in vain, with those that belong to it."""

    name: str
    children: tuple[str, ...]
    parent: str
    # KAI's release, where it is known; and other queues that take work.
    version: tuple[int, int] | None
    others: tuple[str, ...]
    victims: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object=f"Queue/{self.name}")


@dataclass
class KaiSeen:
    versions: dict[Key, tuple[int, int]] = field(default_factory=dict)

    def add_pod(self, key: Key, data: Mapping[str, Any]) -> None:
        if key[0] != _NAMESPACE:
            return
        for each in mappings_at(data, "spec", "containers"):
            found = _SCHEDULER.search(text_at(each, "image"))
            if found is not None:
                self.versions[key] = int(found["major"]), int(found["minor"])

    @property
    def version(self) -> tuple[int, int] | None:
        """The oldest that runs."""
        return min(self.versions.values(), default=None)


def closed_kai_queues(found: References, version: tuple[int, int] | None) -> Iterator[ClosedKaiQueue]:
    """All queues were read."""
    queues = {name for _, name in found.there.get(QUEUE, {})}
    parents = {one[2]: names[0].name for one, names in found.naming.items() if one[0] == QUEUE and names[0].name}
    children: dict[str, list[str]] = defaultdict(list)
    for child, parent in parents.items():
        children[parent].append(child)
    waiting: dict[str, list[str]] = defaultdict(list)
    for one, names in found.naming.items():
        for each in names if one[0] == "Pod" else ():
            if QUEUE in each.kinds and each.name in queues and one in found.of_gpus:
                waiting[each.name].append(object_of(one))
    open_ones = sorted(name for name in queues if not _is_closed(name, parents, children, version))
    for name, pods in waiting.items():
        if name not in open_ones:
            others = tuple(each for each in open_ones if parents.get(each) == name) or tuple(open_ones)
            family = tuple(sorted(children[name])), parents.get(name, "")
            yield ClosedKaiQueue(name, *family, version, others, tuple(sorted(pods)))


def _is_closed(
    name: str, parents: Mapping[str, str], children: Mapping[str, list[str]], version: tuple[int, int] | None
) -> bool:
    has_two_levels = version is not None and version < SINCE_MANY_LEVELS
    if has_two_levels:
        return name not in parents
    return bool(children.get(name)) and (version is not None or name not in parents)
