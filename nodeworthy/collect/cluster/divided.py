"""Reads a large list of pods by all cores: of a dump, that is nearly all there is to read.

kubectl prints a list so that nobody needs to read it to divide it: no text in JSON holds the end of a line, so what
lies between two items, indented as items are, stands nowhere else. If that should be wrong, a part of it is not JSON.
Whatever is not as expected (another kind, a fault, one pod twice) leaves the file to whoever reads it as a whole.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nodeworthy import workers
from nodeworthy.collect.cluster.dump_text import text_of_part
from nodeworthy.collect.cluster.kinds import PODS
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.records import dataclass

# Below this, a worker's start and what it hands back take as long as they save.
LEAST_BYTES = 24 << 20
_PARTS = 16
_BETWEEN = b"\n        },\n        {\n"
_ENDS, _BEGINS = len(b"\n        }"), len(b"\n        },")
# No object is larger that Kubernetes keeps.
_LARGEST_ITEM = 4 << 20
_BEFORE, _BEHIND = '{"items": [', "]}"

# Reads the text of a file into what is seen, and says how many objects it holds; None where anything is wrong with it.
Read = Callable[[Iterable[str], ClusterObjects], "int | None"]


@dataclass(frozen=True)
class Part:
    """The bytes of a file from here to there, and whether they are its first and its last ones."""

    begins: int
    ends: int
    is_first: bool
    is_last: bool

    def text(self, path: Path) -> Iterable[str]:
        """A list of its own."""
        if not self.is_first:
            yield _BEFORE
        yield from text_of_part(path, self.begins, self.ends)
        if not self.is_last:
            yield _BEHIND


def read_pods(path: Path, read: Read, seen: ClusterObjects) -> int:
    """How many pods of the file are among what is seen now; none where it has to be read as a whole."""
    parts = _parts(path) if workers.cores() > 1 else []
    if not parts:
        return 0

    def of_parts(some: Sequence[Part]) -> list[tuple[ClusterObjects, int | None]]:
        made = []
        for part in some:
            own = ClusterObjects(seen.namespace)
            made.append((own, read(part.text(path), own)))
            own.documents.clear()
        return made

    made = workers.in_shares(of_parts, parts, 1)
    counts = [count for _, count in made]
    if None in counts or not all(own.kinds == {PODS.plural} for own, _ in made) or not _are_all_apart(seen, made):
        return 0
    seen.add_list((PODS.key,), {namespace for own, _ in made for span in own.spans[PODS.key] for namespace in span})
    # What was added is let go at once: nobody holds all of it twice.
    made.reverse()
    while made:
        seen.add_pods_of(made.pop()[0])
    return sum(filter(None, counts))


def _are_all_apart(seen: ClusterObjects, made: Sequence[tuple[ClusterObjects, int | None]]) -> bool:
    together = len(seen.pods) + sum(len(own.pods) for own, _ in made)
    return len({*seen.pods, *(key for own, _ in made for key in own.pods)}) == together


def _parts(path: Path) -> list[Part]:
    """None where the file is too small for it, or was printed by somebody else than kubectl."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < LEAST_BYTES:
                return []
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                between = [_next(data, size * number // _PARTS) for number in range(1, _PARTS)]
    except (OSError, ValueError):
        return []
    if -1 in between or len(set(between)) < len(between):
        return []
    begins = [0, *(at + _BEGINS for at in between)]
    ends = [*(at + _ENDS for at in between), size]
    return [Part(b, e, b == 0, e == size) for b, e in zip(begins, ends, strict=True)]


def _next(data: mmap.mmap, at: int) -> int:
    return data.find(_BETWEEN, at, at + _LARGEST_ITEM)
