"""Files of modprobe that it never reads: one of the same name stands in a folder that it looks into before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import How
from nodeworthy.facts.profiling.module_option import OptionWrite
from nodeworthy.known.profiling import option


def seen(writes: Sequence[OptionWrite]) -> list[OptionWrite]:
    """Without those that are hidden behind others of these."""
    behind = {id(other) for other, _ in hidden(writes)}
    return [each for each in writes if id(each) not in behind]


def hidden(writes: Sequence[OptionWrite]) -> Iterator[tuple[OptionWrite, OptionWrite]]:
    """Each that is hidden, and what hides it."""
    # Only files of one name hide each other: a script may write thousands.
    by_name: dict[str, list[OptionWrite]] = defaultdict(list)
    for each in _not_deleted(writes):
        by_name[_name(each)].append(each)
    return ((other, one) for other in writes for one in by_name.get(_name(other), ()) if _hides(one, other))


def _not_deleted(writes: Sequence[OptionWrite]) -> Iterator[OptionWrite]:
    deletions = [(at, each) for at, each in enumerate(writes) if each.effect.how is How.DELETE]
    for at, write in enumerate(writes):
        later = (each for when, each in deletions if when > at)
        if write.effect.how is not How.DELETE and not any(each.same_file(write) for each in later):
            yield write


def _name(write: OptionWrite) -> str:
    return write.path.rpartition("/")[2]


def _hides(one: OptionWrite, other: OptionWrite) -> bool:
    folders = option().folders
    folder, others = one.path.rpartition("/")[0], other.path.rpartition("/")[0]
    if folder == others or folder not in folders or others not in folders:
        return False
    return folders.index(folder) < folders.index(others) and set(one.effect.conditions) <= set(other.effect.conditions)
