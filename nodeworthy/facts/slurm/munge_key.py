"""munge's key, laid down under a munged that runs already with another one, and that nobody restarts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.boot.playbook.tasks import Task, words_of
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Debian's packages that bring munged, which makes a key of its own and starts it. Source: debian/munge.postinst of
# munge 0.5.13 and newer (mungekey, deb-systemd-invoke start), and what Debian's Slurm packages depend on.
_PACKAGES = r"munge|slurm-wlm|slurmd|slurmctld|slurmdbd|slurm-client|slurmrestd"
_INSTALLS = pattern(rf"\bapt(?:-get|itude)?\b[^\n;&|]*\binstall\b[^\n;&|]*(?<![\w-])(?:{_PACKAGES})(?![\w-])")
_FOLDER = "/etc/munge"
_KEY = f"{_FOLDER}/munge.key"
_LAYS = pattern(
    r"(?:>|\btee\b[^\n|]*|\bof=|\b(?:cp|mv|install|scp|rsync)\b[^\n;&|]*\s)[ \t]*[\"']?/etc/munge(?:/munge\.key|/?)"
    r"[\"']?[ \t]*(?:$|[;&|\n])|\bcreate-munge-key\b[^\n]*\s-\w*f|\bmungekey\b[^\n]*\s(?:-\w*f|--force)"
)
_STARTS = pattern(
    r"\bsystemctl\b[^\n;&|]*\b(?:start|enable)\b[^\n;&|]*\bmunged?\b|\bservice[ \t]+munge[ \t]+start\b|"
    r"init\.d/munge[ \t]+start"
)
# What gives munged its new key, keeps it from starting before it has one, or begins anew anyway.
_ANEW = pattern(
    r"\b(?:re-?start|stop|reload|mask)\w*\b[^\n]*\bmunged?\b|\bmunged?\b[^\n]*\b(?:re-?start|stop|reload)\w*\b|pkill|killall|"
    r"\breboot\b|\bshutdown\b|policy-rc\.d|(?<![\w/.-])munged(?:[ \t]|$)|/munged(?:[ \t]|$)|\brestart\b|\bpurge\b"
)
_ELSEWHERE = pattern(r"\b(?:ssh|pdsh|pdcp|clush|srun|docker|kubectl|lxc)\b|^\s*#|^\s*(?:echo|printf|log)\b[^\n>|]*$")
_REBOOTS = pattern(r"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.builtin\.)?reboot[ \t]*:|\breboot\b|shutdown -r")
_IF_NONE_IS_THERE = pattern(r"-[efsr][ \t]+[\"']?\S*munge\.key", words=("munge.key",))
_CONTINUES = pattern(r"\\\n[ \t]*")
_MODULES_OF_FILES = ("copy", "template")
_SERVICES = ("service", "systemd", "systemd_service", "sysvinit")
_APT = "apt"


@dataclass(frozen=True)
class MungeKeyLaid:
    called: ClassVar[str] = "a key of munge's that is laid down where munged runs"

    # Where the key is laid down, where the package has started munged with its own, and what does not restart it.
    place: Place
    written: str
    installed: Place
    started: Place | None
    # Something stops or restarts munged, or the whole machine.
    is_read: bool = False


def munge_keys_laid(text: str, path: str) -> Iterator[MungeKeyLaid]:
    """Of a script, in the order in which its lines stand there."""
    # Where it is laid down only if none is there, the package's own stays.
    if _IF_NONE_IS_THERE.search(text) is not None:
        return
    installed = laid = started = None
    for row, command in _commands(text):
        if _ELSEWHERE.search(command) is not None:
            continue
        place = Place(path=path, line=row)
        if installed is None:
            installed = place if _INSTALLS.search(command) is not None else None
        elif laid is None:
            laid = (place, command.strip()) if _LAYS.search(command) is not None else None
        elif started is None:
            started = place if _STARTS.search(command) is not None else None
    if installed is not None and laid is not None and started is not None:
        yield MungeKeyLaid(*laid, installed, started, is_read=_ANEW.search(_without_comments(text)) is not None)


def _commands(text: str) -> Iterator[tuple[int, str]]:
    row = 1
    for command in _CONTINUES.sub("\x00", text).split("\n"):
        yield row, command.replace("\x00", " ")
        row += 1 + command.count("\x00")


def _without_comments(text: str) -> str:
    return "\n".join(each for each in text.split("\n") if not each.lstrip().startswith("#"))


def old_key_of_tasks(tasks: TasksAsWritten) -> Iterator[MungeKeyLaid]:
    """Of a list of tasks that installs munge with apt, lays down its key, and tells nobody."""
    if _FOLDER not in tasks.text or "restarted" in tasks.text or _REBOOTS.search(tasks.text) is not None:
        return
    every = tasks.every_task
    installed = next((each for each in every if each.module == _APT and _brings_munge(each)), None)
    if installed is None:
        return
    behind = every[every.index(installed) + 1 :]
    laid = next((each for each in behind if _lays_the_key(each)), None)
    if laid is None or laid.entry is None or not laid.entry.get("notify").is_absent or laid.register:
        return
    started = next((each for each in behind if each.module in _SERVICES and _is_munge(each)), None)
    where = started.entry.place if started is not None and started.entry is not None else None
    if installed.entry is not None:
        yield MungeKeyLaid(laid.entry.place, f"{laid.module}: {_KEY}", installed.entry.place, where)


def _brings_munge(task: Task) -> bool:
    named = task.values.get("name") or task.values.get("pkg")
    given: Sequence[str] = [text_of(each) for each in (named.sequence or (named,))] if named is not None else []
    filled = (task.fill(each, item) for each in given for item in (task.items or ({},)))
    return any(name.strip() in _PACKAGES.split("|") for each in filled for name in each.split(","))


def _lays_the_key(task: Task) -> bool:
    dest, source = (text_of(task.values.get(each)) for each in ("dest", "src"))
    if text_of(task.values.get("force")).lower() in ("no", "false"):
        return False
    is_into_its_folder = dest.rstrip("/") == _FOLDER and posixpath.basename(source) == posixpath.basename(_KEY)
    return task.module in _MODULES_OF_FILES and (dest == _KEY or is_into_its_folder)


def _is_munge(task: Task) -> bool:
    given = task.fill(text_of(task.values.get("name")), {}) or words_of(task)
    items = [*task.items] or [{}]
    return any(task.fill(given, item).removesuffix(".service") in ("munge", "munged") for item in items)
