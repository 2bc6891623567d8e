"""What tasks of Ansible's make depend on something that is never so: an answer that a program does not give where it is
looked for, a test that is gone, and a task that fails whatever comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.boot.playbook.tasks import Task, words_of
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_CONDITIONS = ("changed_when", "failed_when", "when", "until")
_ASKED = pattern(r"([\"'])(?P<word>[^\"']+)\1\s+(?:not\s+)?in\s+(?P<name>\w+)\.(?P<stream>stdout|stderr)\b")
# It says what it does on standard error, and on standard output nothing but what a dry run would write.
# Source: cmd/nvidia-ctk/main.go of nvidia-container-toolkit (a logger of logrus, which writes to standard error).
_SAYS_ON_ERROR = pattern(r"\bnvidia-ctk\s+(?:runtime\s+configure\b(?!.*--dry-run)|cdi\s+generate\b(?=.*--output))")
# The other way round: it complains on standard output. Source: mozilla/translations#1167 has both streams apart.
_SAYS_ON_OUTPUT = pattern(r"(?:^|[\s;&|/])nvidia-smi\b")
_COMPLAINTS = ("failed to initialize nvml", "version mismatch", "nvidia-smi has failed", "no devices were found")
_BOTH = "2>&1"
# Tests that were filters as well, until Ansible 2.9.
_TESTS = "changed|success|succeeded|failed|skipped|version_compare|search|match"
_AS_FILTER = pattern(rf"\|\s*(?P<name>{_TESTS})\b(?!\s*=[^=])")
_NOW = {"version_compare": "version", "success": "succeeded"}
_RESCUED = pattern(r"(?m)^\s*rescue[ \t]*:", words=("rescue",))
_YES = ("true", "yes", "on")


@dataclass(frozen=True)
class NeverThere:
    """A condition that looks for words where their program never says them."""

    place: Place
    written: str
    key: str
    word: str
    program: str
    # Where it is looked for, and where the program says what it says.
    stream: str
    other: str
    # What hangs on it, and is never run.
    notifies: str
    runs: Place


@dataclass(frozen=True)
class AlwaysFails:
    """A task that fails whatever comes of it, though others ask for its outcome."""

    place: Place
    name: str
    asked: Place


@dataclass(frozen=True)
class TestAsFilter:
    place: Place
    written: str
    name: str

    @property
    def test(self) -> str:
        return _NOW.get(self.name, self.name)


def never_there(tasks: TasksAsWritten) -> Iterator[NeverThere]:
    kept = dict[str, Task]()
    for task in tasks.every_task:
        if task.register:
            kept[task.register] = task
        if task.entry is not None:
            yield from _of_task(task.entry, kept, tasks.text)


def _of_task(entry: Tree, kept: Mapping[str, Task], text: str) -> Iterator[NeverThere]:
    for key, place, condition in _conditions(entry):
        # Of two questions the other may be answered.
        for found in () if " or " in condition else _ASKED.finditer(condition):
            task = kept.get(found["name"])
            said = _where_it_says(words_of(task), found["word"]) if task is not None else None
            if task is None or said is None or said[1] == found["stream"]:
                continue
            notifies = text_of(entry.get("notify")) or text_of(next(iter(entry.get("notify").sequence), None))
            # Where nothing asks whether it has changed, nothing is lost.
            if key != "changed_when" or notifies or _is_asked_for(found["name"], text):
                runs = task.entry.place if task.entry is not None else place
                program, other = said
                yield NeverThere(place, condition, key, found["word"], program, found["stream"], other, notifies, runs)


def _where_it_says(command: str, word: str) -> tuple[str, str] | None:
    """The program, and where it says what is looked for."""
    if _BOTH in command or "|" in command:
        return None
    if _SAYS_ON_ERROR.search(command) is not None:
        return "nvidia-ctk", "stderr"
    if _SAYS_ON_OUTPUT.search(command) is not None and any(each in word.lower() for each in _COMPLAINTS):
        return "nvidia-smi", "stdout"
    return None


def _is_asked_for(name: str, text: str) -> bool:
    return pattern(rf"\b{name}(?:\.changed\b|\s+is\s+(?:not\s+)?changed\b)").search(text) is not None


def _conditions(entry: Tree) -> Iterator[tuple[str, Place, str]]:
    for key in _CONDITIONS:
        given = entry.get(key)
        for each in given.sequence or (given,):
            if text_of(each):
                yield key, each.place, " ".join(text_of(each).split())


def always_fail(tasks: TasksAsWritten) -> Iterator[AlwaysFails]:
    """Only where its outcome is asked for further down: of any other it may be what was meant."""
    if _RESCUED.search(tasks.text) is not None:
        return
    every = tasks.every_task
    for index, task in enumerate(every):
        entry = task.entry
        if entry is None or not task.register or task.goes_on or not entry.get("when").is_absent:
            continue
        if text_of(entry.get("failed_when")).lower() in _YES:
            behind = (each.entry for each in every[index + 1 :] if each.entry is not None)
            asked = next((each for each in behind if _asks_for(each, task.register)), None)
            if asked is not None:
                yield AlwaysFails(entry.get("failed_when").place, task.register, asked.place)


def _asks_for(entry: Tree, name: str) -> bool:
    named = pattern(rf"\b{name}\b")
    return any(named.search(each) is not None for each in _texts(entry))


def _texts(tree: Tree) -> Iterator[str]:
    for each in (*tree.mapping.values(), *tree.sequence):
        yield from _texts(each)
    if tree.text is not None:
        yield tree.text


def tests_as_filters(tasks: TasksAsWritten) -> Iterator[TestAsFilter]:
    for task in tasks.every_task:
        entry = task.entry
        for _, place, condition in _conditions(entry) if entry is not None else ():
            found = _AS_FILTER.search(condition)
            if found is not None:
                yield TestAsFilter(place, condition, found["name"])
