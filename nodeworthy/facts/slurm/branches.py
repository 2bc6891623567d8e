"""A launch behind a variable that differs by branch: `if …; then RUN="srun torchrun"; else RUN=python; fi; $RUN x`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.shell.splitting import separators, split
from nodeworthy.boot.shell.state import State, Value
from nodeworthy.boot.text import Hole, Text
from nodeworthy.records import dataclass

# More ways than these are not told apart.
MOST = 4


@dataclass
class Choices:
    """What each variable is given, and under which conditions."""

    state: State
    given: dict[str, list[tuple[Guard, Value]]] = field(default_factory=dict)

    def set(self, name: str, value: Value, guard: Guard) -> None:
        values = self.given.setdefault(name, [])
        values[:] = [each for each in values if each[0] != guard]
        # What was given before holds no more, whichever way led here.
        if not guard:
            values.clear()
        if len(values) <= MOST:
            values.append((guard, value))

    def of(
        self, words: Sequence[Text], expand: Callable[[], tuple[Text, ...]]
    ) -> Iterator[tuple[Guard, tuple[Text, ...]]]:
        """The words on each of the branches that decide them; nothing where none does."""
        names = [name for name in self._differing(words) if 1 < len(self.given.get(name, ())) <= MOST]
        guards = list(dict.fromkeys(guard for name in names for guard, _ in self.given[name]))
        if not names or len(guards) > MOST:
            return
        for guard in guards:
            mark = self.state.mark()
            for name in names:
                self._take(name, guard)
            chosen = tuple(self._filled(expand(), names))
            self.state.back_to(mark)
            if chosen:
                yield guard, chosen

    def _differing(self, words: Sequence[Text]) -> list[str]:
        shown = dict.fromkeys(hole.shown for word in words for hole in word.holes if hole.why.startswith(DEPENDS))
        return [each.strip("${}") for each in shown]

    def _filled(self, words: Sequence[Text], names: Sequence[str]) -> Iterator[Text]:
        """What another variable has kept of it: `CMD="$LAUNCHER train.py"` is not given anew."""
        held = {f"${name}": value for name in names if isinstance(value := self.state.variables.get(name), Text)}
        for index, word in enumerate(words):
            if not any(hole.shown in held for hole in word.holes):
                yield word
                continue
            pieces = (held[each.shown].pieces if isinstance(each, Hole) and each.shown in held else (each,)
                      for each in word.pieces)  # fmt: skip
            whole = Text.of(*(piece for some in pieces for piece in some))
            is_text = index > 0 and (words[index - 1].known or "").startswith("-") and " " in word.shown()
            yield from [whole] if is_text else split(whole, separators(self.state))

    def _take(self, name: str, guard: Guard) -> None:
        """What it holds on this branch: what it was given there, or before."""
        here = [value for where, value in self.given[name] if where == guard[: len(where)]]
        if here:
            self.state.variables[name] = here[-1]


DEPENDS = "its value depends on "
