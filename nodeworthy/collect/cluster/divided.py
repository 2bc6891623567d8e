"""Reads a large list of pods by all cores: of a dump, that is nearly all there is to read.

kubectl prints a list so that nobody needs to read it to divide it: no text in JSON holds the end of a line, so what
lies between two items, indented as items are, stands nowhere else. If that should be wrong, a part of it is not JSON.
Whatever is not as expected (another kind, a fault, one pod twice) leaves the file to whoever reads it as a whole.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nodeworthy import workers
from nodeworthy.collect.cluster.dump_text import text_of_part
from nodeworthy.collect.cluster.kinds import PODS
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.records import dataclass

# Below this, a worker's start and what it hands back take as long as they save.
LEAST_BYTES = 24 << 20
_PARTS = 16
_A_POD = b'\n            "kind": "Pod",\n'
_BETWEEN = b"\n        },\n        {\n"
_ENDS, _BEGINS = len(b"\n        }"), len(b"\n        },")
# No object is larger that Kubernetes keeps.
_LARGEST_ITEM = 4 << 20
_BEFORE, _BEHIND = '{"items": [', "]}"

# Reads the text of a file into what is seen, and says how many objects it holds; None where anything is wrong with it.
Read = Callable[[Path, Iterable[str], ClusterObjects], "int | None"]
_Made = tuple[ClusterObjects, "int | None"]


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


@dataclass(frozen=True)
class Begun:
    """A file that workers have begun to read."""

    path: Path
    namespace: str | None
    made: Callable[[], Sequence[_Made]]


@contextmanager
def begin(paths: Iterable[Path], read: Read, namespace: str | None) -> Iterator[Begun | None]:
    """Begins to read the first of these that can be divided: until it is its turn, this process reads what is before
    it."""
    divisible = ((path, parts) for path in paths if (parts := _parts(path))) if workers.cores() > 1 else iter(())
    first = next(divisible, None)
    if first is None:
        yield None
        return
    path, parts = first

    def of_part(part: Part) -> _Made:
        own = ClusterObjects(namespace)
        count = read(path, part.text(path), own)
        own.documents.clear()
        return own, count

    with workers.in_turns(of_part, parts) as made:
        yield Begun(path, namespace, made)


def read_pods(path: Path, read: Read, seen: ClusterObjects, begun: Begun | None) -> int:
    """How many pods of the file are among what is seen now; none where it has to be read as a whole."""
    if begun is not None and (begun.path, begun.namespace) == (path, seen.namespace):
        return _add(begun, seen)
    with begin((path,), read, seen.namespace) as now:
        return _add(now, seen) if now is not None else 0


def _add(begun: Begun, seen: ClusterObjects) -> int:
    made = [*begun.made()]
    counts = [count for _, count in made]
    if None in counts or not all(own.kinds == {PODS.plural} for own, _ in made) or not _are_all_apart(seen, made):
        return 0
    seen.add_list((PODS.key,), {namespace for own, _ in made for span in own.spans[PODS.key] for namespace in span})
    # What was added is let go at once: nobody holds all of it twice.
    made.reverse()
    while made:
        seen.add_pods_of(made.pop()[0])
    return sum(filter(None, counts))


def _are_all_apart(seen: ClusterObjects, made: Sequence[_Made]) -> bool:
    together = len(seen.pods) + sum(len(own.pods) for own, _ in made)
    return len({*seen.pods, *(key for own, _ in made for key in own.pods)}) == together


def _parts(path: Path) -> list[Part]:
    """None where the file is too small for it, holds something else, or was printed by somebody else than kubectl."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < LEAST_BYTES:
                return []
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if data.find(_A_POD, 0, max(0, _next(data, 0))) < 0:
                    return []
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
