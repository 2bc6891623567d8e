"""An edit that repairs a fault and leaves no choice. Its rule knows where it goes, what stands there now, and what
should.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


class EditKind(StrEnum):
    """What is changed, and how what comes there is written."""

    # A value of YAML or JSON, in the quotes that it has; where it has none, as whatever reads back as this string.
    VALUE = "value"
    # One of the words of a line, with blanks around it.
    WORD = "word"
    # A command on a line of its own behind that of another.
    COMMAND = "command"
    # A variable more (NAME=value) in the list `env` whose key, or whose mapping's key, stands there.
    VARIABLE = "variable"
    # An entry of a list goes that says the same as one before it.
    TWIN = "twin"
    # The dash that makes an entry of its own of the key that stands there goes: it belongs to the entry before.
    DASH = "dash"
    # In the whole file.
    LINE_ENDS = "line ends"
    LEADING_BLANKS = "leading blanks"


@dataclass(frozen=True, slots=True)
class Edit:
    kind: EditKind
    place: Place
    # What stands there, as the rule has read it: where anything else does, nothing is changed.
    was: str
    new: str
    # In a reader's words, as an editor offers it.
    title: str


def replacing(value: Located[Any], new: str, title: str, *, was: str | None = None) -> Edit | None:
    """Another value in place of this one, unless that is a secret or stands nowhere."""
    if value.secret or not value.written:
        return None
    return Edit(EditKind.VALUE, value.place, value.shown() if was is None else was, new, title)
