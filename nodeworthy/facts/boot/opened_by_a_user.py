"""`sudo echo … > FILE`: sudo covers echo, and the file is opened by the shell of whoever runs the script."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Effect, Installs, Runs, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.patterns import pattern

_ROOTS = ("/etc/", "/usr/", "/lib/", "/boot/", "/root/", "/sys/", "/proc/sys/", "/var/lib/")
# Quotes hold what another shell reads (`sudo sh -c "echo … > FILE"`).
_IS_COVERED_ALONE = pattern(
    r"\A\s*sudo\s+(?:-\w+\s+|\w+=\S*\s+)*(?!(?:\S*/)?(?:ba|da|z)?sh\b|su\b|tee\b|env\b|bash\b|-i\b|-s\b)"
    r"(?:[^\"'|;&<>\n]|\"(?:[^\"\\]|\\.)*\"|'[^']*'|<<<?-?)+>>?(?!&)[ \t]*[\"']?/"
)
_BY_ITSELF = pattern(r"\A\s*sudo\b", words=("sudo",))
# Asks who runs it, or says that root is to.
_ROOT_RUNS_IT = pattern(
    r"\bEUID\b|\bid\s+-u\b|\bUID\b|whoami|\bas\s+root\b|run\s+with\s+sudo|SUDO_USER|must\s+be\s+root|"
    r"(?m:^[ \t]*(?:#|echo\b).*\bsudo\s+\S*(?:sh\b|\./))|sudo\s+[\"']?\$0|\bsudo\s+-[is]\b|\bsudo\s+su\b|"
    r"chmod\s+(?:-R\s+)?(?:a\+w|o\+w|777|666)"
)
_A_CONTAINER_FILE = pattern(r"(?i)(?:docker|container)file|vagrant")


def writes_with_sudo(script: BootScript) -> bool:
    return any("sudo" in each.command and each.path.string.startswith(_ROOTS) for each in script.timeline.of(Writes))


def opened_by_a_user(script: BootScript) -> Iterator[Writes]:
    """Only of a script that asks sudo for whatever it needs root for: nobody would, who is root."""
    if script.use.kind is not ScriptKind.BY_HAND or script.use.said_by or script.is_a_part or script.by_hand:
        return
    if _A_CONTAINER_FILE.search(script.place.file) is not None:
        return
    if any(_ROOT_RUNS_IT.search(part.text) is not None for part in script.userdata.parts):
        return
    if not _asks_for_all(script.timeline):
        return
    for each in script.timeline.of(Writes):
        if each.path.string.startswith(_ROOTS) and _IS_COVERED_ALONE.search(each.command) is not None:
            yield each


def _asks_for_all(timeline: Timeline) -> bool:
    every = [each for each in timeline.effects if _needs_root(each)]
    return bool(every) and all(_BY_ITSELF.search(each.command) is not None for each in every)


def _needs_root(effect: Effect) -> bool:
    if isinstance(effect, Runs):
        return "apt" in effect.command.split()[:2] or "update-initramfs" in effect.command
    return isinstance(effect, (Installs, Unit)) and bool(effect.command) and not _is_a_users_own(effect)


def _is_a_users_own(effect: Effect) -> bool:
    return isinstance(effect, Installs) and effect.manager in ("pip", "pip3", "npm", "conda", "helm", "uv")
