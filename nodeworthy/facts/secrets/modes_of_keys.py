"""Files of Slurm's that a task of Ansible's lays down with a mode with which their daemon, or their readers, end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from nodeworthy.boot.playbook.tasks import Task, words_of
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_LAYS_DOWN = ("copy", "template")
_DBD, _MUNGE, _SLURM = "slurmdbd.conf", "munge.key", "slurm.conf"
_DIGITS = pattern(r"0?o?[0-7]{3,4}")
_FOR_OTHERS = 0o004
_BEYOND_THE_OWNER = 0o077
_ONLY_ITS_OWNER = 0o600
# What a file gets that Ansible makes, and of which no mode is said.
_BY_DEFAULT = 0o644
# Slurm without files on its nodes: slurmctld alone reads slurm.conf, and hands it out.
_CONFIGLESS = pattern(r"[cC]onfigless|conf-server", words=("configless", "Configless", "conf-server"))
_MOST_ITEMS = 40


@dataclass(frozen=True)
class Laid:
    """A file with the mode that it gets, and where that is said."""

    place: Place
    path: str
    mode: int
    is_said: bool

    @property
    def shown(self) -> str:
        return f"{self.mode:04o}"


def files_refused_by_slurmdbd(tasks: TasksAsWritten) -> Iterator[Laid]:
    """slurmdbd ends unless its file's mode is 0600, no bit more and none less (src/slurmdbd/read_config.c)."""
    for each in _laid(tasks, _DBD):
        if each.mode != _ONLY_ITS_OWNER:
            yield each


def keys_refused_by_munged(tasks: TasksAsWritten) -> Iterator[Laid]:
    """A key that lies there already keeps its mode where none is said."""
    for each in _laid(tasks, _MUNGE):
        if each.is_said and each.mode & _BEYOND_THE_OWNER:
            yield each


def read_by_nobody(tasks: TasksAsWritten) -> Iterator[Laid]:
    """A slurm.conf that users may not read, and need for every command."""
    if _CONFIGLESS.search(tasks.text) is None:
        yield from (each for each in _laid(tasks, _SLURM) if each.is_said and not each.mode & _FOR_OTHERS)


def _laid(tasks: TasksAsWritten, name: str) -> Iterator[Laid]:
    if name not in tasks.text:
        return
    every = tasks.every_task
    for index, task in enumerate(every):
        path = _path(task, name) if task.module in _LAYS_DOWN else ""
        mode = task.values.get("mode")
        if not path or any(_changes_its_mode(each, name) for each in every[index + 1 :]):
            continue
        bits = _bits(mode)
        if mode is None:
            yield Laid(_where(task), path, _BY_DEFAULT, is_said=False)
        elif bits is not None:
            yield Laid(mode.place, path, bits, is_said=True)


def _where(task: Task) -> Place:
    return task.entry.place if task.entry is not None else Place()


def _path(task: Task, name: str) -> str:
    """The path of the file of this name that the task lays down, by one of its items where it has some."""
    dest, source = text_of(task.values.get("dest")), text_of(task.values.get("src"))
    for item in task.items[:_MOST_ITEMS] or ({},):
        path, of = task.fill(dest, item), PurePosixPath(task.fill(source, item)).name.removesuffix(".j2")
        whole = f"{path}{of}" if path.endswith("/") else path
        if PurePosixPath(whole).name == name:
            return whole
    return ""


def _bits(mode: Tree | None) -> int | None:
    """The bits that a mode says in digits; what is said in letters, or filled in, is not known."""
    if mode is None:
        return None
    if type(mode.value) is int:
        return mode.value
    written = text_of(mode)
    return int(written.replace("o", ""), 8) if _DIGITS.fullmatch(written) else None


def _changes_its_mode(task: Task, name: str) -> bool:
    """Whether another task says the mode of the same file, or runs something that may."""
    if task.module == "file" and "mode" in task.values:
        return any(name in task.fill(text_of(task.values.get(key)), {}) for key in ("path", "dest", "name"))
    command = words_of(task)
    return "chmod" in command and (name in command or "-R" in command)
