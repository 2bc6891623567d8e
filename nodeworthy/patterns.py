"""A pattern that is compiled when it is first used: of the hundreds that a run imports, it uses few.

One that knows its `words` looks for these first. Most texts hold none of them, and to find that out takes a hundredth
of what it takes to try a pattern at each of their letters. Others hold one somewhere: what never takes a line's end is
then tried at the lines with one, and at no other. A pattern that takes letters large or small has small words, and they
are looked for in the text as it is in small letters.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, AnyStr, cast


def pattern(
    text: AnyStr, flags: int = 0, *, words: tuple[AnyStr, ...] = (), in_a_line: bool = False
) -> re.Pattern[AnyStr]:
    """Like re.compile, but compiles on first use. The result has the methods of a pattern; the functions of re do not
    take it. Wherever it matches, one of its `words` stands in what is matched, and where it matches `in_a_line`, no
    line's end does; tests make sure of both. They help `search` and `finditer`, of a whole text."""
    return cast(re.Pattern[AnyStr], NotYet(text, flags, words, in_a_line=in_a_line))


def import_with_patterns_for_later(module: str) -> None:
    """Imports what others have written: what it compiles meanwhile is compiled when it is first used, too."""
    if module in sys.modules:
        return
    compiled, re.compile = re.compile, pattern  # type: ignore[assignment]
    try:
        importlib.import_module(module)
    finally:
        re.compile = compiled


Matches = Iterator[re.Match[Any]]


class NotYet:
    def __init__(self, text: str | bytes, flags: int, words: tuple[Any, ...] = (), *, in_a_line: bool = False) -> None:
        self._written: tuple[Any, int] = text, flags
        self._words = words
        self._in_a_line = in_a_line

    def __getattr__(self, name: str) -> Any:
        """Once for each method: it stays with us, and the next call finds it as fast as a pattern's. What was written
        is told without compiling it, its flags without those that go without saying."""
        if name in ("pattern", "flags"):
            found = self._written[name == "flags"]
        elif name == "search" and self._words:
            looks = _on_lines_with_a_word if self._in_a_line else _where_a_word_is
            found = looks(self._words, *self._written)
        elif name == "finditer" and self._words and self._in_a_line:
            found = _all_on_lines_with_a_word(self._words, *self._written)
        else:
            found = getattr(re.compile(*self._written), name)
        setattr(self, name, found)
        return found


def _in_small_letters(text: Any, flags: int) -> Callable[[Any], Any] | None:
    """Where the pattern takes letters of either size: what makes the text one of small letters."""
    shown = text.decode("latin-1") if isinstance(text, bytes) else text
    # `(?im)^a`
    begins = shown.partition(")")[0].removeprefix("(?")
    written = shown.startswith("(?") and begins.isalpha() and "i" in begins
    if not (written or flags & re.IGNORECASE):
        return None
    return bytes.lower if isinstance(text, bytes) else str.casefold


def _where_a_word_is(words: tuple[Any, ...], text: Any, flags: int) -> Callable[[Any], re.Match[Any] | None]:
    """A search that looks through the whole of what it is given, from the beginning on."""
    compiled: re.Pattern[Any] | None = None
    small = _in_small_letters(text, flags)

    def search(where: Any) -> re.Match[Any] | None:
        nonlocal compiled
        read = small(where) if small is not None else where
        for each in words:
            if each in read:
                compiled = compiled or re.compile(text, flags)
                return compiled.search(where)
        return None

    return search


def _on_lines_with_a_word(words: tuple[Any, ...], text: Any, flags: int) -> Callable[[Any], re.Match[Any] | None]:
    finds = _all_on_lines_with_a_word(words, text, flags)

    def search(where: Any) -> re.Match[Any] | None:
        return next(finds(where), None)

    return search


def _all_on_lines_with_a_word(words: tuple[Any, ...], text: Any, flags: int) -> Callable[[Any], Matches]:
    compiled: re.Pattern[Any] | None = None
    small = _in_small_letters(text, flags)

    def finditer(where: Any) -> Matches:
        nonlocal compiled
        for begins, ends in _lines_with_a_word(words, where, small):
            compiled = compiled or re.compile(text, flags)
            yield from compiled.finditer(where, begins, ends)

    return finditer


def _lines_with_a_word(
    words: tuple[Any, ...], where: Any, small: Callable[[Any], Any] | None
) -> Iterator[tuple[int, int]]:
    """Where each of them begins and ends; all of the text, where its small letters are not as many."""
    read = small(where) if small is not None else where
    if len(read) != len(where):
        yield 0, len(where)
        return
    end_of_line = b"\n" if isinstance(read, bytes) else "\n"
    stand = {each: at for each in words if (at := read.find(each)) >= 0}
    while stand:
        first = min(stand.values())
        begins, ends = read.rfind(end_of_line, 0, first) + 1, read.find(end_of_line, first)
        yield begins, ends if ends >= 0 else len(read)
        if ends < 0:
            return
        for each in [word for word, at in stand.items() if at < ends]:
            stand[each] = read.find(each, ends)
            if stand[each] < 0:
                del stand[each]
