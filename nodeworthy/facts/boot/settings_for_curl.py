"""Settings of an installer that are given to the program which downloads it: `K3S_URL=… curl … | sh -`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nodeworthy.boot.effects import Effect, Fetches, RunsElsewhere
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.source_line import Source
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# By the installer's address: what it is called, and which variables it reads.
_INSTALLERS = {"get.k3s.io": ("k3s", "K3S_"), "get.rke2.io": ("RKE2", "RKE2_")}
# What says the same to the program itself.
_OPTIONS = {"K3S_URL": "--server", "K3S_TOKEN": "--token"}
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|\$\([^()]*\)|[^\s\"'|&;<>()])*"
_SETTINGS = pattern(rf"(?:^|[\s;&(\"'])((?:[A-Z_][A-Z0-9_]*={_VALUE}\s+)+)(?:sudo\s+(?:-\w+\s+)*)?(?:curl|wget)\s")
_NAMED = pattern(r"([A-Z_][A-Z0-9_]*)=")
_ALL_EXPORTED = pattern(r"\bset\s+-(?:\w*a\b|o\s+allexport)")
_RUN_BY = pattern(r"\|\s*(?:[^|]*\s)?(?:ba|da)?sh\b")


@dataclass(frozen=True)
class LostSettings:
    place: Place
    names: tuple[str, ...]
    # k3s, RKE2
    installer: str
    program: str
    written: str


def settings_for_curl(script: BootScript) -> Iterator[LostSettings]:
    source = Source(script.userdata)
    said = "\n".join(part.text for part in script.userdata.parts)
    for fetched in _downloads(script.timeline.effects):
        known = next((each for url, each in _INSTALLERS.items() if url in fetched.url.shown()), None)
        command = source.whole_at(fetched.place)
        found = _SETTINGS.search(command) if known is not None else None
        if known is None or found is None:
            continue
        behind = command[found.end() :]
        ran = _RUN_BY.search(behind)
        if ran is None:
            continue
        called, prefix = known
        given = [name for name in _NAMED.findall(found[1]) if name.startswith((prefix, f"INSTALL_{prefix}"))]
        lost = tuple(name for name in given if not _reaches(name, behind[ran.start() :], said))
        if lost:
            program = "wget" if "wget" in found[0] else "curl"
            yield LostSettings(fetched.place, lost, called, program, command)


def _downloads(effects: Iterable[Effect]) -> Iterator[Fetches]:
    for each in effects:
        if isinstance(each, Fetches):
            yield each
        elif isinstance(each, RunsElsewhere):
            yield from _downloads(each.does)


def _reaches(name: str, behind: str, said: str) -> bool:
    """What runs the script is given it, too, or everything that the script starts is."""
    if f"{name}=" in behind or (name in _OPTIONS and _OPTIONS[name] in behind) or _ALL_EXPORTED.search(said):
        return True
    return re.search(rf"\b(?:export|declare\s+-x)\s[^\n]*\b{name}\b", said) is not None
