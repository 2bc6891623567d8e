"""Boot scripts that stand in the fields of an object, by which they are given to machines as their user data."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_SHEBANG = "#!/bin/bash"


@dataclass(frozen=True)
class ScriptLines:
    """Lines of a script, and the field in which they stand."""

    text: str
    field: Tree
    # The first line of the field's own text among them.
    own_from: int = 0

    def at(self, row: int, column: int) -> Place:
        inside = self.field.inside
        if inside is None or row < self.own_from:
            return self.field.place
        first = inside.line or 1
        shift = (inside.column or 1) - 1
        return Place(inside.path, first + row - self.own_from, shift + column, subject=inside.subject)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Where the lines of a script stand that is put together of steps; the first line is nobody's."""

    starts: Sequence[int]
    steps: Sequence[ScriptLines]

    def at(self, line: int, column: int = 1) -> Place:
        at = max(0, bisect_right(self.starts, line) - 1)
        return self.steps[at].at(max(0, line - self.starts[at]), column)


def given_script(text: Tree, called: str) -> BootScript | None:
    """None where nobody wrote any. What reads scripts is imported only where there is one."""
    from nodeworthy.boot.origin import Folded, Straight
    from nodeworthy.boot.unpack import unpack

    if text.text is None:
        return None
    origin = Straight(text.inside) if text.inside is not None else Folded(text.place, called)
    place = text.inside if text.inside is not None else text.place
    read = unpack(text.text.encode(), place, template=False, origin=origin)
    return BootScript(place, read, of_an_object=True)


def script_of(steps: Sequence[ScriptLines], *, on_ec2: bool, stops: bool = False) -> BootScript | None:
    """One script of steps that a machine runs in this order. `stops`: it goes no further where one fails."""
    from nodeworthy.boot.unpack import unpack

    if not steps:
        return None
    starts, lines = list[int](), [f"{_SHEBANG} -e" if stops else _SHEBANG]
    for each in steps:
        starts.append(len(lines) + 1)
        lines += each.text.rstrip("\n").split("\n")
    place = steps[0].field.place
    text = "\n".join(lines) + "\n"
    read = unpack(text.encode(), place, template=False, origin=_Steps(starts, steps))
    return BootScript(place, read, of_an_object=True, on_ec2=on_ec2)


def commands(listed: Tree) -> list[ScriptLines]:
    """A list of commands; one that is none is left out."""
    return [ScriptLines(each.text, each) for each in listed.sequence if each.text]
