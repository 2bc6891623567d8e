"""How the shape of a fleet is said: kinds of values, from which both the reader and the JSON Schema follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class Text:
    """A string: one of `choices`, or of a `pattern`, or one in which `fault` finds nothing wrong."""

    what: str = "a string"
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    # What is wrong with the string, and what would be right; None where nothing is.
    fault: Callable[[str], str | None] | None = None
    # A number here was meant as a string: 1.30 without quotes is 1.3.
    quote: bool = False

    def wrong(self, text: str) -> str | None:
        if self.pattern is not None and re.fullmatch(self.pattern, text) is None:
            return f"must be {self.what}"
        if self.fault is not None:
            return self.fault(text)
        if not self.choices or text in self.choices:
            return None
        return f"must be {self.what}{self._meant(text)}"

    def _meant(self, text: str) -> str:
        """The choice that was meant: this is its beginning, or almost."""
        import difflib

        if len(self.choices) == 1:
            return ""
        plain = re.sub(r"[ _]+", "-", text.lower()).replace("amazon-linux-", "al").replace("amazonlinux", "al")
        near = [each for each in self.choices if each.startswith(plain) or plain.endswith(each)]
        near = near or difflib.get_close_matches(plain, self.choices, 1)
        return f"; did you mean {' or '.join(near)}?" if near else ""


@dataclass(frozen=True)
class Whole:
    """A whole number within a range."""

    minimum: int = 0
    maximum: int | None = None

    @property
    def what(self) -> str:
        if self.maximum is None:
            return f"a whole number, {self.minimum} or more"
        return f"a whole number from {self.minimum} to {self.maximum}"

    def wrong(self, number: int) -> str | None:
        inside = number >= self.minimum and (self.maximum is None or number <= self.maximum)
        return None if inside else f"must be {self.what}"


@dataclass(frozen=True)
class Truth:
    what: str = "true or false"


@dataclass(frozen=True)
class Items:
    """A list of values of one kind."""

    of: Kind


@dataclass(frozen=True)
class Named:
    """A mapping from names that the user gives to records."""

    of: Record
    name: Text
    example: str


@dataclass(frozen=True)
class Anything:
    """A mapping that is not ours to judge here."""


@dataclass(frozen=True)
class Record:
    title: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    # What `false` means in its place; None where it means nothing.
    false: str | None = None


Kind = Text | Whole | Truth | Items | Named | Anything | Record


@dataclass(frozen=True)
class Field:
    kind: Kind
    about: str
    # What holds where nothing is written. A default that depends on something else is said in `about`.
    default: Any = None
    required: bool = False
    example: Any = None
    # What else an editor may offer, where anything may stand.
    offered: tuple[str, ...] = ()
    # The fleet can't be resolved without it, so it can't be encrypted.
    decides: bool = False
