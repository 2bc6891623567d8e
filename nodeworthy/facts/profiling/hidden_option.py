"""Files of modprobe that it never reads: one of the same name stands in a folder that it looks into before."""

from __future__ import annotations

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
    hiding = [each for at, each in enumerate(writes) if not _is_deleted(each, writes[at + 1 :])]
    return ((other, one) for other in writes for one in hiding if _hides(one, other))


def _is_deleted(write: OptionWrite, later: Sequence[OptionWrite]) -> bool:
    deletes = write.effect.how is How.DELETE
    return deletes or any(each.effect.how is How.DELETE and each.same_file(write) for each in later)


def _hides(one: OptionWrite, other: OptionWrite) -> bool:
    folders = option().folders
    (folder, _, name), (others, _, others_name) = one.path.rpartition("/"), other.path.rpartition("/")
    if name != others_name or folder == others or folder not in folders or others not in folders:
        return False
    return folders.index(folder) < folders.index(others) and set(one.effect.conditions) <= set(other.effect.conditions)
