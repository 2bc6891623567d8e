"""How long what a template writes is at least: without what it fills in, and without what its directives leave out."""

from __future__ import annotations

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# What a template fills in: `${…}`, but not the escaped `$${…}`.
_FILLED = pattern(r"(?<!\$)\$\{[^{}]{0,400}\}")
_DIRECTIVE = pattern(r"(?<!%)%\{~?\s*(?P<word>if|else|endif|for|endfor)\b[^{}]{0,400}\}")


@dataclass
class _Open:
    """A directive that is not closed yet: how long its branches are so far."""

    is_loop: bool
    branch: int = 0
    shortest: int | None = None

    def next_branch(self) -> None:
        self.shortest = self.branch if self.shortest is None else min(self.shortest, self.branch)
        self.branch = 0

    @property
    def least(self) -> int:
        """Nothing of a loop need be there, nor of a condition without an `else`."""
        return 0 if self.is_loop or self.shortest is None else min(self.shortest, self.branch)


def least_size(text: str) -> int:
    """In bytes, of whatever the directives decide the shortest."""
    open_ = [_Open(is_loop=False)]
    begins = 0
    for directive in _DIRECTIVE.finditer(text):
        open_[-1].branch += _written(text[begins : directive.start()])
        begins = directive.end()
        _turn(directive["word"], open_)
    open_[-1].branch += _written(text[begins:])
    return open_[0].branch


def _turn(word: str, open_: list[_Open]) -> None:
    if word in ("if", "for"):
        open_.append(_Open(is_loop=word == "for"))
    elif len(open_) > 1 and word == "else":
        open_[-1].next_branch()
    elif len(open_) > 1:
        closed = open_.pop()
        open_[-1].branch += closed.least


def _written(text: str) -> int:
    return len(_FILLED.sub("", text).encode())
