"""A script beside a node that its shell can't read: a prolog or epilog of Slurm's, a check, what submits jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.boot.origin import Straight
from nodeworthy.boot.shell.strict.reading import why_broken
from nodeworthy.boot.unpack.kinds import interpreter
from nodeworthy.facts.boot.unreadable_shell import Unreadable
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_SHELLS = ("bash", "sh", "dash")
# Whoever fills it in may mend it: a program, Linode (`<ssinclude StackScriptID=1>`), or a person (`<YOUR_TOKEN>`).
_FILLED_IN = pattern(
    r"\{\{|\{%|%\{|<%|@@?\w+@|\$\$\{|__[A-Z_]+__|<ssinclude\s|<[A-Z][A-Z0-9_]{2,40}>|<(?:your|my)[-_ ][\w -]{1,40}>"
)


@dataclass(frozen=True)
class BrokenShell:
    called: ClassVar[str] = "a script beside a node that its shell can't read"

    place: Place
    found: Unreadable


def broken_shell(text: str, path: str) -> Iterator[BrokenShell]:
    """Only of one whose first line names its shell: of others nobody knows who reads them."""
    if not text.startswith("#!") or interpreter(text.partition("\n")[0]) not in _SHELLS or _FILLED_IN.search(text):
        return
    broken = why_broken(text)
    if broken is not None:
        place = Place(path=path, line=1, column=1)
        found = Unreadable(broken, Straight(place), text)
        yield BrokenShell(found.place, found)
