"""Labels that a node registers with, where a template or a variable writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.boot.text import Text

FLAG = "--node-labels="
TAINTS = "--register-with-taints="
# With these a shell or a template begins what it fills in.
_FILLED_IN = ("$", "%{", "{{", "{%")
# What is filled in counts as one letter, though blanks stand inside of it: of these, for private use.
_LETTERS = 0xE000


def hidden_labels(arguments: Iterable[Text]) -> tuple[str, ...]:
    """The kubelet arguments that are known only in part, as they are written."""
    return tuple(label for each in arguments if each.known is None for label in _hidden(each))


def _hidden(told: Text) -> Iterator[str]:
    raws: list[str] = []
    written = ""
    for piece in told.pieces:
        if isinstance(piece, str):
            written += piece
        elif piece.shown.startswith(_FILLED_IN):
            written += chr(_LETTERS + len(raws))
            raws.append(piece.shown)
        else:
            # Its words are known, and a directive decides whether they are there.
            yield from (label for word in _words(piece.shown) if word.startswith(FLAG) for label in _labels(word))
    later = {chr(_LETTERS + at): raw for at, raw in enumerate(raws)}
    for word in _words(written):
        if word.startswith(FLAG):
            found = (_filled(label, later) for label in _labels(word))
            yield from (label for label in found if _is_filled_in(label))
        elif word[0] in later or word.startswith("$"):
            yield _filled(word, later)


def _words(written: str) -> Sequence[str]:
    return written.replace("'", " ").replace('"', " ").split()


def _labels(word: str) -> Sequence[str]:
    return word.removeprefix(FLAG).split(",")


def _filled(written: str, later: Mapping[str, str]) -> str:
    return "".join(later.get(each, each) for each in written)


def _is_filled_in(written: str) -> bool:
    return any(each in written for each in _FILLED_IN)


def may_be(name: str, hidden: Iterable[str]) -> str | None:
    """The one that may turn out to be a label of this name."""
    return next((each for each in hidden if name in each or _is_filled_in(each.partition("=")[0])), None)
