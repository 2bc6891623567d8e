"""What was found before the last keystroke, where it still holds and the text as it is now can't be judged.

Whoever types leaves a text that no reader understands for a while: a quote is open, a line has half a key. What was
wrong elsewhere is wrong all the same, and stays underlined until it is judged again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.fixes.text import Text
from nodeworthy.lsp.checking import Checked
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Verdict

UNREADABLE = "input-readable"


@dataclass(frozen=True)
class Shift:
    """Which lines of one text are those of another: all but those between the first and the last that differ."""

    above: int
    # How many lines from the end on are the same, and how many there were.
    below: int
    before: int
    now: int

    @staticmethod
    def between(before: Text, now: Text) -> Shift:
        old, new = before.text.split("\n"), now.text.split("\n")
        least = min(len(old), len(new))
        above = next((at for at in range(least) if old[at] != new[at]), least)
        rest = least - above
        below = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
        return Shift(above, below, len(old), len(new))

    def line(self, number: int) -> int | None:
        """The line that was this one; None where it was changed."""
        if number <= self.above:
            return number
        return number - self.before + self.now if number > self.before - self.below else None


def with_what_holds(checked: Checked, last: Checked | None, kept: list[Finding], *, known: bool) -> list[Finding]:
    """The findings of this text, and those of the last one (`kept` are all that were shown) that nobody has judged.
    `known` says whether the file was one of ours before."""
    found = list(checked.here)
    if last is None or not checked.text.text.strip():
        return found
    undecided = {each.rule for each in found if each.verdict is not Verdict.FAIL}
    failed = {each.rule for each in found if each.verdict is Verdict.FAIL}
    unread = UNREADABLE in undecided or bool(checked.refused) or (known and not checked.is_known)
    shift = Shift.between(last.text, checked.text)
    return [*found, *(each for each in _moved(kept, shift) if unread or each.rule in undecided - failed)]


def _moved(kept: list[Finding], shift: Shift) -> Iterator[Finding]:
    for each in kept:
        line = shift.line(each.where.line) if each.where.line is not None else None
        if each.verdict is Verdict.FAIL and line is not None:
            yield replace(each, where=replace(each.where, line=line))
