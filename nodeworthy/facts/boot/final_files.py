"""A file as a boot leaves it: the steps that may be the last to touch it, and whether one of them always happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.boot.conditions import Condition, Guard, always, together
from nodeworthy.boot.effects import Effect, Fetches, How, Runs, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class FileLeft:
    path: str
    # The steps of which each may be the last to touch the file, the latest first.
    last: tuple[Writes, ...] = ()
    # Whether one of them happens whenever it is asked for; None where that can't be decided.
    is_sure: bool | None = False
    # A step that may touch it as well: a part of its path is not known, or what it brings.
    maybe: Effect | None = None

    @property
    def is_there(self) -> bool:
        """Whether some step makes it and no later one surely takes it away."""
        return any(each.how is not How.DELETE for each in self.last)


def file_left(timeline: Timeline, path: str, when: Guard = (), until: Effect | None = None) -> FileLeft:
    """The file at the end of the boot, or just before `until`, in those runs in which `when` holds."""
    effects = timeline.effects if until is None else timeline.before(until)
    return file_left_by(effects, path, when)


def file_left_by(effects: Sequence[Effect], path: str, when: Guard = ()) -> FileLeft:
    last: list[Writes] = []
    guards: list[Guard] = []
    maybe: Effect | None = None
    for each in reversed(effects):
        if not _touches(each, path) or not together(each.conditions, when):
            continue
        if not isinstance(each, Writes) or not _surely(each, path):
            maybe = maybe or each
            continue
        last.append(each)
        guard = without_own_questions(each.conditions, (path,))
        if guard in guards:
            continue  # what happens with another one adds no case in which one of them happens
        guards.append(guard)
        sure = always(guards, when)
        if sure is not False:
            return FileLeft(path, tuple(last), sure, maybe)
    return FileLeft(path, tuple(last), False, maybe)


def without_own_questions(guard: Guard, paths: Iterable[str]) -> Guard:
    """The guard without questions about these very files. `[ -f F ] || write F` leaves F there in either case."""
    names = frozenset(paths)
    return tuple(each for each in guard if not _asks_for(each, names))


def _asks_for(condition: Condition, paths: frozenset[str]) -> bool:
    return not condition.question.files.isdisjoint(paths)


def _touches(effect: Effect, path: str) -> bool:
    if isinstance(effect, Fetches):
        return effect.to is not None and (_may_be(effect.to, path) or _holds(effect.to, path))
    if isinstance(effect, Runs):
        return any(_may_fill(argument, path) for argument in effect.arguments[1:])
    if not isinstance(effect, Writes):
        return False
    known = effect.path.known
    if known is None:
        return _may_be(effect.path, path)
    return known == path or (path.startswith(known) and _holds(effect.path, path))


def _may_be(written: Text, path: str) -> bool:
    # A name of which nothing is known may be any file's: that says nothing about this one.
    return written.could_be(path) and any(isinstance(piece, str) for piece in written.pieces)


def _holds(written: Text, path: str) -> bool:
    """Whether this is a folder above the file."""
    return written.known is not None and path.startswith(f"{written.known.rstrip('/')}/")


def _may_fill(argument: Text, path: str) -> bool:
    """Whether a program is given this file, or a folder above that is not half of the disk."""
    named = argument.string
    return named == path or (named.rstrip("/").count("/") > 1 and _holds(argument, path))


def speaking_of(timeline: Timeline, *words: str) -> Runs | None:
    """A program of which nobody knows what it does, and which is told one of these words. Of sysctl everybody knows:
    `net.bridge.bridge-nf-call-iptables=1` is a setting of the kernel's."""
    for each in timeline.of(Runs):
        if each.arguments and each.arguments[0].known == "sysctl":
            continue
        if any(word in argument.shown() for argument in each.arguments for word in words):
            return each
    return None


def _surely(write: Writes, path: str) -> bool:
    if write.path.known == path:
        return True
    return write.how is How.DELETE and _holds(write.path, path)


def files_under(timeline: Timeline, folders: Iterable[str], name: str) -> Iterator[tuple[str, Writes]]:
    """Each file `FOLDER/X/name` that is written under one of these folders, with its X; each X once, its last step."""
    found: dict[str, Writes] = {}
    for each in timeline.of(Writes):
        path = each.path.known or each.path.shown()
        if not path.endswith(f"/{name}") or each.how is How.DELETE:
            continue
        for folder in folders:
            if path.startswith(f"{folder}/"):
                found[path.removeprefix(f"{folder}/").removesuffix(f"/{name}")] = each
    yield from found.items()
