"""What a shell understands and a program is given as an argument: `command: lspci | grep nvidia`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.boot.playbook.tasks import words_of
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_COMMAND = "command"
_FILLED_IN = pattern(r"(?s)\{\{.*?\}\}|\{%.*?%\}")
_QUOTED = pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_OF_A_SHELL = pattern(r"(?:^|\s)(?P<sign>\|\||\||&&|>>?|2>&1|2>/\S+)(?=\s|$)|(?P<runs>\$\()")
# Of a filling within another one the end was not found.
_LEFT_OVER = ("}}", "%}")


@dataclass(frozen=True)
class OfAShell:
    place: Place
    written: str
    sign: str


def words_of_a_shell(tasks: TasksAsWritten) -> Iterator[OfAShell]:
    for task in tasks.every_task:
        if task.module != _COMMAND or task.entry is None or "argv" in task.values:
            continue
        written = words_of(task)
        bare = _QUOTED.sub("''", _FILLED_IN.sub("_", written))
        found = _OF_A_SHELL.search(bare) if not any(each in bare for each in _LEFT_OVER) else None
        if found is not None:
            place = next((each for name, each in _places(task.entry.mapping) if name == _COMMAND), task.entry.place)
            yield OfAShell(place, " ".join(written.split()), found["sign"] or found["runs"])


def _places(mapping: Mapping[str, Tree]) -> Iterator[tuple[str, Place]]:
    return ((name.rpartition(".")[2], each.place) for name, each in mapping.items())
