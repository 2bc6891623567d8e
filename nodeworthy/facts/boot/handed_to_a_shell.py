"""`exec bash` in the middle of a script: a new shell takes its place, and reads nothing of what stands below."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.syntax import Command, Function
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unreadable_shell import shell_parts
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_MAY_BE = pattern(r"(?m)^exec[ \t]+\S*(?:sh|SHELL\}?\"?)\b")
_OWN = ("$SHELL", "${SHELL}")
_SHELLS = ("bash", "sh", "zsh", "dash")
_LOGIN = ("-l", "--login", "-")


@dataclass(slots=True)
class Handed:
    place: Place
    # The first that would run, and does not.
    behind: Place
    raw: str


def handed_to_a_shell(script: BootScript) -> Iterator[Handed]:
    for part in shell_parts(script):
        if not _MAY_BE.search(part.text):
            continue
        said = parse(part.text).statements
        for index, each in enumerate(said):
            if not isinstance(each, Command) or not _is_one(each):
                continue
            behind = next((other for other in said[index + 1 :] if not isinstance(other, Function)), None)
            if behind is not None:
                at = part.origin.at
                yield Handed(at(each.line, each.column), at(behind.line, behind.column), each.raw)
            break


def _is_one(command: Command) -> bool:
    """Without a script of its own, and with the input of the one that it ends."""
    if command.redirects or command.assignments:
        return False
    said = command.raw.split()
    if len(said) < 2 or said[0] != "exec" or any(each not in _LOGIN for each in said[2:]):
        return False
    shell = said[1].strip('"')
    return shell in _OWN or posixpath.basename(shell) in _SHELLS
