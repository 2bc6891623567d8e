"""From the text of a script to its statements. It never fails: what is no shell is `Broken`, and no more than that."""

from __future__ import annotations

from collections.abc import Collection

from nodeworthy.boot.shell.grammar import Grammar
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import Script, Statement
from nodeworthy.boot.shell.templates import template_of, without_marks
from nodeworthy.boot.shell.tokens import Tokens

_WORDS = ('"', "'", '$"', "$'", "${", "$((")


def parse(text: str, template: bool = False, *, jinja: bool = False) -> Script:
    """The statements of a script; of a `template`, what Terraform fills in is `Filled`, and what cloud-init does."""
    text = _cleaned(text)
    if not (template or jinja):
        source = Source(without_marks(text))
        return Script(_statements(source, 0, Lexer(source).read(0, len(source.text))))
    source = _filled_in(text, jinja=jinja)
    inside = Lexer(source).read(0, len(source.text))
    torn = _inside_words(source)
    if torn:
        source = _filled_in(text, jinja=jinja, inside_words=torn)
        inside = Lexer(source).read(0, len(source.text))
    return Script(_statements(source, 0, inside))


def _statements(source: Source, base: int, inside: str) -> tuple[Statement, ...]:
    if source.depth >= DEEPEST:
        raise NotReadable
    source.depth += 1
    try:
        return Grammar(Tokens(source, base, inside), Pieces(source, _statements, _commands)).read()
    finally:
        source.depth -= 1


def _commands(source: Source, start: int, end: int) -> str:
    return Lexer(source).read(start, end)


def _inside_words(source: Source) -> set[int]:
    """Where directives stand between quotes or brackets: they decide a part of a word, and no command."""
    found: set[int] = set()
    words = iter(sorted(each for each in source.ends.items() if _is_word(source, each[0])))
    opens, until = next(words, (len(source.text), 0)), 0
    for offset, directive in source.directives.items():
        while opens[0] < offset:
            until = max(until, opens[1])
            opens = next(words, (len(source.text), 0))
        if offset < until:
            found.add(directive.start)
    return found


def _is_word(source: Source, offset: int) -> bool:
    return offset in source.arrays or source.text.startswith(_WORDS, offset)


def _filled_in(text: str, *, jinja: bool, inside_words: Collection[int] = ()) -> Source:
    marked = template_of(text, jinja=jinja, inside_words=inside_words)
    return Source(
        marked.text,
        filled=marked.filled,
        directives=marked.directives,
        original=marked.original,
        origins=marked.origins,
    )


def _cleaned(text: str) -> str:
    """A NUL, which bash passes over, is no part of any word that we know. Who writes Windows line ends writes them from
    the first line on, and cloud-init takes them off; where they begin further down, they stay in the words."""
    if "\r\n" in text and text[: text.index("\n")].endswith("\r"):
        text = text.replace("\r\n", "\n")
    return text.replace("\0", "\ufffd")
