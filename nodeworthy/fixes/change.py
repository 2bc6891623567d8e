"""A change of a text: what is taken out between two offsets, and what comes there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding


@dataclass(frozen=True)
class Change:
    start: int
    end: int
    new: str

    def meets(self, other: Change) -> bool:
        """Whether both change one place. What is merely put between two characters meets only what takes those out."""
        if self.start == self.end or other.start == other.end:
            return self.start < other.end and other.start < self.end
        return max(self.start, other.start) < min(self.end, other.end)


@dataclass(frozen=True)
class Fix:
    """What mends these findings, all of them in one file."""

    findings: tuple[Finding, ...]
    changes: tuple[Change, ...]
    # In a reader's words, as an editor offers it.
    title: str

    @property
    def path(self) -> str:
        return self.findings[0].where.path or ""


@dataclass(frozen=True)
class Left:
    """A finding that is not mended, and why."""

    finding: Finding
    why: str


class NotMended(Exception):
    """Why a finding can't be mended where it stands."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def applied(text: str, changes: Iterable[Change]) -> str:
    """The text with all of them made; none of them may meet another."""
    pieces, behind = [], 0
    for each in sorted(changes, key=lambda change: (change.start, change.end)):
        pieces += [text[behind : each.start], each.new]
        behind = each.end
    return "".join([*pieces, text[behind:]])


def apart(fixes: Sequence[Fix]) -> tuple[list[Fix], list[Fix]]:
    """Of one file: those that can be made together, and those that want one place to be two things."""
    told: dict[tuple[Change, ...], Fix] = {}
    for each in fixes:
        same = told.get(each.changes)
        told[each.changes] = each if same is None else Fix((*same.findings, *each.findings), each.changes, same.title)
    every = list(told.values())
    against = _meeting(every)
    return [each for at, each in enumerate(every) if at not in against], [every[at] for at in sorted(against)]


def _meeting(fixes: Sequence[Fix]) -> set[int]:
    """Sorted by where they begin, so that of thousands only neighbours are compared."""
    changes = sorted(
        ((change, at) for at, fix in enumerate(fixes) for change in fix.changes),
        key=lambda each: (each[0].start, each[0].end),
    )
    found: set[int] = set()
    open_ones: list[tuple[Change, int]] = []
    for change, at in changes:
        open_ones = [each for each in open_ones if each[0].end > change.start]
        for other, its in open_ones:
            if its != at and change.meets(other):
                found |= {at, its}
        open_ones.append((change, at))
    return found
