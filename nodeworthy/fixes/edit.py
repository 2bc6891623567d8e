"""A change of a text: what is taken out between two offsets, and what comes there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    new: str

    def meets(self, other: Edit) -> bool:
        """Whether both change one place. What is merely put between two characters meets only what takes those out."""
        if self.start == self.end or other.start == other.end:
            return self.start < other.end and other.start < self.end
        return max(self.start, other.start) < min(self.end, other.end)


@dataclass(frozen=True)
class Fix:
    """What mends these findings, all of them in one file."""

    findings: tuple[Finding, ...]
    edits: tuple[Edit, ...]
    # In a reader's words, as an editor offers it.
    title: str

    @property
    def path(self) -> str:
        return self.findings[0].where.path or ""

    def meets(self, other: Fix) -> bool:
        return any(one.meets(another) for one in self.edits for another in other.edits)


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


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with all of them made; none of them may meet another."""
    pieces, behind = [], 0
    for each in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[behind : each.start], each.new]
        behind = each.end
    return "".join([*pieces, text[behind:]])


def apart(fixes: Sequence[Fix]) -> tuple[list[Fix], list[Fix]]:
    """Those that can be made together, and those that want one place to be two things."""
    told: dict[tuple[Edit, ...], Fix] = {}
    for each in fixes:
        same = told.get(each.edits)
        told[each.edits] = each if same is None else Fix((*same.findings, *each.findings), each.edits, same.title)
    every = list(told.values())
    against = [each for each in every if any(each is not other and each.meets(other) for other in every)]
    return [each for each in every if each not in against], against
