"""Reads a script again of which a few lines have changed, as an editor asks at every keystroke.

The shell reads a script command by command. What stands above a changed command and was read to its end stays as it
was; what stands below it does, too, as long as the command still ends above it. So only that one is read anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from nodeworthy.boot.shell.syntax import Script
from nodeworthy.records import dataclass, replace

# Reads some lines of a script, given the number of the first.
ReadLines = Callable[[str, int], Script]

# A shorter text is read as quickly as it is compared.
_LEAST_LINES = 20
# So many scripts are remembered: those of one file of user data, or of a few files.
_MOST = 8


@dataclass(frozen=True)
class _Read:
    lines: Sequence[str]
    script: Script

    def begins(self) -> tuple[Sequence[int], Sequence[int]]:
        """The lines that begin with a statement of the script itself, counted from zero, and which one it is."""
        found = [(each.line - 1, at) for at, each in enumerate(self.script.statements) if each.column == 1]
        return [line for line, _ in found], [at for _, at in found]

    def same_as(self, lines: Sequence[str]) -> tuple[int, int]:
        """How many lines are the same from the first on, and how many of the others from the last on."""
        least = min(len(lines), len(self.lines))
        above = next((at for at in range(least) if lines[at] != self.lines[at]), least)
        rest = least - above
        return above, next((at for at in range(rest) if lines[-1 - at] != self.lines[-1 - at]), rest)

    def again(self, lines: Sequence[str], above: int, below: int, read: ReadLines) -> Script | None:
        """The script with these lines; None where what was changed reaches further than it did."""
        begins, numbers = self.begins()
        first = bisect_right(begins, above) - 1
        if first < 0:
            return None
        # Where lines came or went, every place below is another one.
        stays = bisect_left(begins, len(lines) - below) if len(lines) == len(self.lines) else len(begins)
        start, end = begins[first], begins[stays] if stays < len(begins) else None
        between = "\n".join(lines[start:end])
        made = read(between if end is None else f"{between}\n", start + 1)
        if not made.is_readable or (made.is_open and end is not None):
            return None
        whole = (*self.script.statements[: numbers[first]], *made.statements)
        if end is None:
            return replace(made, statements=whole)
        return replace(self.script, statements=(*whole, *self.script.statements[numbers[stays] :]))


class Remembered:
    """What was read last."""

    def __init__(self) -> None:
        self._read: list[_Read] = []

    def script(self, text: str, read: ReadLines) -> Script:
        lines = text.split("\n")
        if len(lines) < _LEAST_LINES:
            return read(text, 1)
        last = self._script_before(lines)
        script = last[0].again(lines, last[1], last[2], read) if last is not None else None
        if script is None:
            script = read(text, 1)
        if script.is_readable:
            kept = [each for each in self._read if last is None or each is not last[0]]
            self._read = [*kept, _Read(lines, script)][-_MOST:]
        return script

    def _script_before(self, lines: Sequence[str]) -> tuple[_Read, int, int] | None:
        """The one of which most of these lines were, and how many are the same above and below the change."""
        for each in reversed(self._read):
            above, below = each.same_as(lines)
            if above + below > len(lines) // 2:
                return each, above, below
        return None
