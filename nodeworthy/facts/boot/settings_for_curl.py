"""Settings that never reach an installer behind a pipe.

`K3S_URL=… curl … | sh -` gives them to curl alone; a variable that nobody exports stays in the shell that set it;
`sudo` hands on none of those that were exported; and behind `… | K3S_URL=…` no shell is started at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum

from nodeworthy.boot.effects import Effect, Fetches, RunsElsewhere
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.source_line import Source
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# By the installer's address: what it is called, and which variables it reads.
_INSTALLERS = {"get.k3s.io": ("k3s", "K3S_"), "get.rke2.io": ("RKE2", "RKE2_")}
# What says the same to the program itself.
_OPTIONS = {"K3S_URL": "--server", "K3S_TOKEN": "--token"}
# Where they are told all of it as well.
_CONFIG = "/etc/rancher/"
# Which of them make an agent of it.
_OF_AN_AGENT = ("K3S_URL", "INSTALL_RKE2_TYPE")
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|\$\([^()]*\)|[^\s\"'|&;<>()])*"
_SETTINGS = pattern(rf"(?:^|[\s;&(\"'])((?:[A-Z_][A-Z0-9_]*={_VALUE}\s+)+)(?:sudo\s+(?:-\w+\s+)*)?(?:curl|wget)\s")
_NAMED = pattern(r"([A-Z_][A-Z0-9_]*)=")
_ALL_EXPORTED = pattern(r"\bset\s+-(?:\w*a\b|o\s+allexport)")
_RUN_BY = pattern(r"\|\s*(?:[^|]*\s)?(?:ba|da)?sh\b")
_RUN_BY_SUDO = pattern(r"\|\s*sudo\s+(?:-[nkSH]+\s+)*(?:/\S*/)?(?:ba|da)?sh\b")
_RUN_BY_NOBODY = pattern(rf"\|\s*(?:sudo\s+)?([A-Z_][A-Z0-9_]*={_VALUE}(?:\s+[A-Z_][A-Z0-9_]*={_VALUE})*)\s*$")
# Jinja's `|` is no pipe.
_FILTERED = pattern(r"\{\{[^{}\n]{0,200}\}\}")
_SET_ALONE = pattern(rf"(?m)^[ \t]*((?:INSTALL_)?(?:K3S|RKE2)_[A-Z0-9_]+)=({_VALUE})[ \t]*(?:;|#.*)?$")

_VARIABLE = pattern(r"\$\{?([A-Za-z_]\w{0,60})")
_ASSIGNED = pattern(rf"(?m)^[ \t]*(?:(?:export|local|readonly)[ \t]+)?([A-Za-z_]\w{{0,60}})=({_VALUE})")


class Lost(Enum):
    FOR_THE_DOWNLOAD = "set for what downloads it"
    NOT_EXPORTED = "exported by nobody"
    BEHIND_SUDO = "not handed on by sudo"
    RUN_BY_NOBODY = "behind a pipe that starts nothing"


@dataclass(frozen=True)
class LostSettings:
    place: Place
    names: tuple[str, ...]
    # k3s, RKE2
    installer: str
    program: str
    how: Lost


def settings_for_curl(script: BootScript) -> Iterator[LostSettings]:
    source = Source(script.userdata)
    # Each task of Ansible's has a shell of its own: what another one sets, or copies into a file, says nothing here.
    of_one_shell = [part for part in script.userdata.parts if part.kind is not PartKind.PLAYBOOK]
    said = "\n".join(part.text for part in of_one_shell)
    for fetched in _downloads(script.timeline.effects):
        known = next((each for url, each in _INSTALLERS.items() if url in fetched.url.shown()), None)
        if known is None:
            continue
        called, prefix = known
        command = _FILTERED.sub("", source.whole_at(fetched.place))
        program = "wget" if "wget" in command else "curl"
        for how, names in _lost(command, said, prefix):
            yield LostSettings(fetched.place, names, called, program, how)


def _lost(command: str, said: str, prefix: str) -> Iterator[tuple[Lost, tuple[str, ...]]]:
    nobody = _RUN_BY_NOBODY.search(command.rstrip().rstrip("\"'"))
    if nobody is not None:
        yield Lost.RUN_BY_NOBODY, _names_with_prefix(prefix, nobody[1])
        return
    found = _SETTINGS.search(command)
    ran = _RUN_BY.search(command, found.end() if found is not None else 0)
    if ran is None:
        return
    behind = command[ran.start() :]
    given = _names_with_prefix(prefix, found[1]) if found is not None else ()
    lost = tuple(name for name in given if not _reaches(name, behind, said))
    if lost:
        yield Lost.FOR_THE_DOWNLOAD, lost
        return
    if _CONFIG in said:
        return
    for how, names in (
        (Lost.BEHIND_SUDO, _kept_by_sudo(behind, said, prefix)),
        (Lost.NOT_EXPORTED, _names_set_alone(said, prefix)),
    ):
        left = tuple(name for name in names if not _is_behind(name, _with_variables(behind, said)))
        # Of the others (a release, a channel) the installer takes its own defaults, and a node comes of it.
        if any(name in _OF_AN_AGENT for name in left):
            yield how, tuple(sorted(left, key=lambda name: name not in _OF_AN_AGENT))
            return


def _names_with_prefix(prefix: str, settings: str) -> tuple[str, ...]:
    return tuple(name for name in _NAMED.findall(settings) if name.startswith((prefix, f"INSTALL_{prefix}")))


def _kept_by_sudo(behind: str, said: str, prefix: str) -> tuple[str, ...]:
    if _RUN_BY_SUDO.search(behind) is None or "sudoers" in said:
        return ()
    exports = " ".join(re.findall(r"\b(?:export|declare\s+-x)\s([^\n;]*)", said))
    return tuple(dict.fromkeys(re.findall(rf"(?<!\$)(?<!\w)\b(?:INSTALL_)?{prefix}[A-Z0-9_]+(?==|\s|$)", exports)))


def _names_set_alone(said: str, prefix: str) -> tuple[str, ...]:
    """What is set on a line of its own and exported nowhere; one that is made of itself may come from outside."""
    if _ALL_EXPORTED.search(said):
        return ()
    alone = [
        name
        for name, value in _SET_ALONE.findall(said)
        if name.startswith((prefix, f"INSTALL_{prefix}")) and name not in value and not _is_exported(name, said)
    ]
    return tuple(dict.fromkeys(alone))


def _downloads(effects: Iterable[Effect]) -> Iterator[Fetches]:
    for each in effects:
        if isinstance(each, Fetches):
            yield each
        elif isinstance(each, RunsElsewhere):
            yield from _downloads(each.does)


def _reaches(name: str, behind: str, said: str) -> bool:
    """What runs the script is given it, too, or everything that the script starts is."""
    return _is_behind(name, behind) or _ALL_EXPORTED.search(said) is not None or _is_exported(name, said)


def _is_behind(name: str, behind: str) -> bool:
    """Whether what runs the script is told it there: by its name, by an option, by its value."""
    told = (f"{name}=", f"${name}", f"${{{name}", " env ", *((_OPTIONS[name],) if name in _OPTIONS else ()))
    return any(each in behind for each in told)


def _with_variables(behind: str, said: str) -> str:
    """What runs the script, and behind it what the variables in it are set to: `INSTALL_K3S_EXEC="$ARGUMENTS"`."""
    named = {each[1] for each in _VARIABLE.finditer(behind)}
    values = (each[2] for each in _ASSIGNED.finditer(said) if each[1] in named)
    return " ".join((behind, *values))


def _is_exported(name: str, said: str) -> bool:
    return re.search(rf"\b(?:export|declare\s+-x|typeset\s+-x)\s[^\n]*\b{name}\b", said) is not None
