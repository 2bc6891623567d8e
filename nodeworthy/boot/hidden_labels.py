"""Labels that a node registers with, where a template or a variable writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.boot.text import Text

FLAG = "--node-labels="
_WRITTEN_LATER = "$"


def hidden_labels(arguments: Iterable[Text]) -> tuple[str, ...]:
    """Those among kubelet's arguments of which not all is known, as they are written."""
    return tuple(label for each in arguments if each.known is None for label in _hidden(each.shown()))


def _hidden(written: str) -> Iterator[str]:
    for word in written.replace("'", " ").replace('"', " ").split():
        if word.startswith(FLAG):
            yield from (label for label in word.removeprefix(FLAG).split(",") if _WRITTEN_LATER in label)
        elif word.startswith(_WRITTEN_LATER):
            yield word


def may_be(name: str, hidden: Iterable[str]) -> str | None:
    """The one that may turn out to be a label of this name."""
    keys = ((label, label.partition("=")[0]) for label in hidden)
    return next((label for label, key in keys if key == name or _WRITTEN_LATER in key), None)
