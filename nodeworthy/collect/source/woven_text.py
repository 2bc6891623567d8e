"""Texts of a program, put together to the script that a machine is given: each with where its lines stand, and words
for what the program fills in."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from nodeworthy.boot.origin import Origin, Pinned, Stacked, Straight
from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import UserData
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Around the words for what is filled in: no program has these letters.
_OPEN, _CLOSE = "\ue000", "\ue001"
_HOLE = pattern(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_NO_WORD = pattern(r"[^\w.\[\]]+")


@dataclass(frozen=True)
class Woven:
    """One text. Its lines stand in the file one below the other (`is_straight`), or all in one place."""

    text: str
    place: Place
    is_straight: bool = True

    @property
    def has_holes(self) -> bool:
        return _OPEN in self.text

    @property
    def origin(self) -> Origin:
        return Straight(Place(self.place.path, self.place.line)) if self.is_straight else Pinned(self.place)

    def dedented(self) -> Woven:
        return Woven(textwrap.dedent(self.text), self.place, self.is_straight)


def hole(expression: str) -> str:
    """What stands for an expression until somebody fills it in."""
    return f"{_OPEN}{_NO_WORD.sub('_', expression)[:60] or 'a_value'}{_CLOSE}"


def user_data_of(texts: Sequence[Woven], place: Place, *, name: str = "") -> UserData:
    """The texts, one below the other, as one user data."""
    lines, firsts, is_template = 1, [], any(each.has_holes for each in texts)
    for each in texts:
        firsts.append(lines)
        lines += each.text.count("\n") + 1
    whole = "\n".join(each.text for each in texts)
    if is_template:
        whole = _HOLE.sub(r"${\1}", whole.replace("${", "$${").replace("%{", "%%{"))
    origin: Origin = Stacked(firsts, [each.origin for each in texts]) if len(texts) > 1 else texts[0].origin
    return unpack(whole.encode(), place, template=is_template, name=name, origin=origin)
