"""Lists of Ansible's tasks as they are written, and what Ansible and its shell read otherwise than was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.boot.playbook.tasks import Task, tasks_anywhere, words_of
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.source import Source as LexedSource
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.ended_by_dash import FOR_BASH, Bashism, bashisms_in
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# Modules whose `mode` is a file's.
_OF_FILES = frozenset(
    "file copy template get_url unarchive lineinfile blockinfile replace assemble tempfile uri".split()
)
_DECIMAL = pattern(r"[1-7][0-7]{2,3}(?![\w.:])")
_NOTHING: Mapping[str, Tree] = {}
_ANSIBLE_SHELL = ("ansible_shell_executable", "shell_executable", "module_defaults")
_OF_DEBIAN = frozenset(("apt", "apt_repository", "apt_key", "deb822_repository", "debconf"))
_OF_OTHERS = frozenset(("yum", "dnf", "dnf5", "yum_repository", "zypper", "apk", "pacman", "homebrew"))
# Commands that nobody else's system has, Proxmox' among them.
_DEBIANS_COMMANDS = pattern(
    r"(?m)(?:^|[;&|(])[ \t]*(?:sudo[ \t]+)?(?:apt-get|apt|dpkg|debconf-set-selections|pct|qm)[ \t]"
)
_NAMES_A_SYSTEM = pattern(r"(?i)os_family|distribution|redhat|centos|rocky|alma|fedora|suse|arch|alpine")
_NAMES_DEBIAN = pattern(r"(?i)debian|ubuntu")
_SOURCES = pattern(r"(?m)(?:^|[;&|(]|\b(?:then|do|else)[ \t])[ \t]*(source)[ \t]+\S")
_HOLD_TASKS = ("pre_tasks", "tasks", "post_tasks", "handlers", "block", "rescue", "always")
# Of a word that present releases refuse: since which, and what takes its place. Each was given to ansible-core 2.19.
_GONE = {
    "include": ("ansible-core 2.16 (November 2023)", "include_tasks, or import_tasks"),
    "sudo": ("Ansible 2.9 (October 2019)", "become: true"),
    "sudo_user": ("Ansible 2.9 (October 2019)", "become_user"),
    "kubernetes": ("Ansible 2.9 (October 2019)", "kubernetes.core.k8s"),
    "docker": ("Ansible 2.9 (October 2019)", "community.docker.docker_container"),
}
# What shell and command took until then, and end the task over now. Source: porting guide of ansible-core 2.14.
_WARN = ("ansible-core 2.14 (November 2022)", "no such line: nothing is warned of any more")
_OF_COMMANDS = ("shell", "command")
# A name that is filled in is another one on each machine.
_FILLED_IN = "{{"


@dataclass(frozen=True)
class TasksAsWritten:
    called: ClassVar[str] = "a list of Ansible's tasks"

    place: Place
    document: Tree
    text: str
    # It is a role's file of handlers; of a play they stand under a key of their own.
    are_handlers: bool = False
    # The files of the same role's tasks, where a block stands among the handlers.
    beside: tuple[tuple[Place, str], ...] = ()
    # What some handler of the repository answers to; None where others may, which lie elsewhere.
    answered: frozenset[str] | None = None

    @property
    def every_task(self) -> Sequence[Task]:
        return list(tasks_anywhere(self.document, _NOTHING))

    @property
    def handlers(self) -> Sequence[Tree]:
        if self.are_handlers:
            return self.document.sequence
        return [each for play in self.document.sequence for each in play.get("handlers").sequence]


@dataclass(frozen=True)
class DecimalMode:
    """`mode: 755`: a decimal number to YAML, and other bits than were meant to the file."""

    tree: Tree
    written: str

    @property
    def octal(self) -> str:
        return f"{int(self.written):o}"

    @property
    def is_for_everybody(self) -> bool:
        """Whether everybody may write what nobody but its owner was to."""
        return bool(int(self.written) & 0o002) and not int(self.written, 8) & 0o002

    @property
    def is_unreadable(self) -> bool:
        """Whether its owner may not read it any more, who was to."""
        return bool(int(self.written, 8) & 0o400) and not int(self.written) & 0o400


def decimal_modes(tasks: TasksAsWritten) -> Iterator[DecimalMode]:
    rows = tasks.text.split("\n")
    for task in tasks.every_task:
        mode = task.values.get("mode")
        if task.module not in _OF_FILES or mode is None or type(mode.value) is not int:
            continue
        found = _DECIMAL.match(rows[mode.place.row - 1], (mode.place.column or 1) - 1)
        if found is not None:
            yield DecimalMode(mode, found[0])


@dataclass(frozen=True)
class Shadowed:
    """A handler that is never run: one before it has its name."""

    name: str
    place: Place
    first: Place


def shadowed_handlers(tasks: TasksAsWritten) -> Iterator[Shadowed]:
    seen: dict[str, Tree] = {}
    for each in tasks.handlers:
        name = text_of(each.get("name"))
        if not name or _FILLED_IN in name:
            continue
        first = seen.setdefault(name, each)
        if first is not each and _does(first) != _does(each):
            yield Shadowed(name, each.get("name").place, first.get("name").place)


@dataclass(frozen=True)
class NotifiedBlock:
    """A block among handlers that tasks notify by its name, which nobody answers to."""

    name: Tree
    notified: Place


def notified_blocks(tasks: TasksAsWritten) -> Iterator[NotifiedBlock]:
    """What stands in a block are handlers, by names of their own: the block itself is none."""
    blocks = [each for each in tasks.handlers if each.get("block").is_sequence and each.get("name").text]
    answered = {name for each in tasks.handlers for name in _answers_to(each)} if blocks else set()
    beside = tasks.beside or ((tasks.place, tasks.text),)
    for each in blocks:
        name = each.get("name")
        places = (_notified(name.string, place, text) for place, text in beside)
        notified = next(filter(None, places), None)
        if notified is not None and name.string not in answered:
            yield NotifiedBlock(name, notified)


@dataclass(frozen=True)
class Unanswered:
    """A name that a task notifies, and no handler has."""

    name: Tree
    # One that differs from it by little.
    meant: str


def names_unanswered(tasks: TasksAsWritten) -> Iterator[Unanswered]:
    answered = tasks.answered
    if answered is None:
        return
    for task in tasks.every_task:
        notify = task.entry.get("notify") if task.entry is not None else None
        for each in (notify, *notify.sequence) if notify is not None else ():
            name = (each.text or "").strip()
            # `role : handler` names both.
            if name and not _is_answered(name, answered):
                meant = next((other for other in sorted(answered) if other.lower() == name.lower()), "")
                yield Unanswered(each, meant)


def _is_answered(name: str, answered: frozenset[str]) -> bool:
    return _FILLED_IN in name or name in answered or name.rpartition(" : ")[2] in answered


def _answers_to(handler: Tree) -> Iterator[str]:
    within = [each for key in ("block", "rescue", "always") for each in handler.get(key).sequence]
    if within:
        yield from (name for each in within for name in _answers_to(each))
        return
    listens = handler.get("listen")
    yield from (each.string for each in (handler.get("name"), listens, *listens.sequence))


def _notified(name: str, place: Place, text: str) -> Place | None:
    """Where a task notifies it, alone or in a list."""
    said = rf"(?m)^[ \t]*(?:notify:[ \t]*(?:\[[^\]\n]*)?|-[ \t]+)[\"']?{re.escape(name)}[\"']?[ \t]*(?:[\],#]|$)"
    for found in re.finditer(said, text) if "notify:" in text else ():
        row = text.count("\n", 0, found.start())
        if "notify:" in found[0] or _is_of_a_list(text.split("\n")[:row]):
            return replace(place, line=row + 1)
    return None


def _is_of_a_list(above: Sequence[str]) -> bool:
    last = next((each.strip() for each in reversed(above) if not each.lstrip().startswith("- ")), "")
    return last == "notify:"


def _does(handler: Tree) -> str:
    """What a handler does, in words by which two are told apart."""
    return repr([(key, _plain(value)) for key, value in handler.mapping.items() if key not in ("name", "when", "tags")])


def _plain(tree: Tree) -> object:
    if tree.is_mapping:
        return {key: _plain(value) for key, value in tree.mapping.items()}
    return [_plain(each) for each in tree.sequence] if tree.is_sequence else tree.value


@dataclass(frozen=True)
class OfBash:
    """Bash's words in a task whose shell is /bin/sh of Debian."""

    what: Bashism
    place: Place
    row: str


def words_of_bash(tasks: TasksAsWritten) -> Iterator[OfBash]:
    """The first of each task, where the file itself is for Debian or Ubuntu."""
    if any(name in tasks.text for name in _ANSIBLE_SHELL):
        return
    every = tasks.every_task
    modules = {task.module for task in every}
    is_debians = not modules.isdisjoint(_OF_DEBIAN) and modules.isdisjoint(_OF_OTHERS)
    for task in every:
        text = words_of(task)
        if task.module == "shell" and "executable" not in task.values and "executable=" not in text_of(task.free):
            found = _first(text) if _is_of_debian(task, text, is_debians) else None
            if found is not None:
                yield _placed(task, text, *found)


def _is_of_debian(task: Task, text: str, is_debians: bool) -> bool:
    """By its own commands, by what it is asked under, or by the modules around it."""
    conditions = " ".join(task.when)
    if _NAMES_A_SYSTEM.search(conditions) is not None:
        return _NAMES_DEBIAN.search(conditions) is not None and "!=" not in conditions and "not " not in conditions
    return is_debians or _DEBIANS_COMMANDS.search(text) is not None


def _first(text: str) -> tuple[int, Bashism] | None:
    if FOR_BASH.search(text) is not None:
        return None
    source = LexedSource(text)
    plain = Lexer(source).read(0, len(text))
    found = [*bashisms_in(source, plain)]
    found += ((at, Bashism.QUESTION) for at in source.ends if text.startswith("[[", at))
    found += ((each.start(1), Bashism.SOURCE) for each in _SOURCES.finditer(plain))
    return min(found, default=None)


def _placed(task: Task, text: str, at: int, what: Bashism) -> OfBash:
    row = text.count("\n", 0, at)
    given = task.free if task.free is not None else task.values.get("cmd")
    heading = given.heading if given is not None else Place()
    place = heading
    if given is not None and given.inside is not None and given.inside.line is not None:
        place = replace(heading, line=given.inside.line + row, column=given.inside.column)
    return OfBash(what, place, re.sub(r"\s+", " ", text.split("\n")[row]).strip())


@dataclass(frozen=True)
class Gone:
    """A word of Ansible's that its present releases refuse, before the first task is run."""

    name: str
    place: Place
    since: str
    instead: str


def gone_words(tasks: TasksAsWritten) -> Iterator[Gone]:
    for entry in _entries(tasks.document):
        for key in entry.mapping:
            known = _GONE.get(key.removeprefix("ansible.builtin."))
            if known is not None:
                yield Gone(key, entry.get(key).heading, *known)


def gone_arguments(tasks: TasksAsWritten) -> Iterator[Gone]:
    for task in tasks.every_task:
        if task.module in _OF_COMMANDS and "warn" in task.values:
            yield Gone("warn", task.values["warn"].place, *_WARN)


def _entries(document: Tree) -> Iterator[Tree]:
    """Plays, tasks, and what stands within blocks; each entry of any of their lists."""
    for entry in document.sequence:
        yield entry
        for name in _HOLD_TASKS:
            yield from _entries(entry.get(name))
