"""What one containerd of a host says of itself: its release, its files, its daemon, its log."""

from __future__ import annotations

import json
import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.text import Text
from nodeworthy.collect.node.recording import Recording
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.boot.written_text import toml_of
from nodeworthy.facts.containerd.config import ConfigFile, Role
from nodeworthy.facts.containerd.runtimes import address, handlers, programs
from nodeworthy.facts.node.runtimes import DROP_IN_ENDINGS, RUNS, IdleContainerd, SaidByContainerd
from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.known.containerd import defaults
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place, Unknown

# Seconds within which a file and a process count as made together.
SAME_MOMENT = 2
_AGE = pattern(r"(?P<what>process|file) (?P<seconds>-?[0-9]{1,12})(?: (?P<path>/.*))?")
# A block for each plugin, as `ctr plugins ls -d` prints them.
_ID = pattern(r"(?m)^ID:[ \t]+(?P<id>\S+)")
_MESSAGE = pattern(r"(?m)^[ \t]+Message:[ \t]+(?P<says>\S.*)")
_FAILED = pattern(r"failed to load plugin.*? error=\"(?P<says>(?:[^\"\\]|\\.)*)\"(?P<rest>.*)")
_STARTED = pattern(r"[sS]tart(?:ing)? cri plugin")
_CONFIG = pattern(r"starting cri plugin\" config=(?P<json>\"(?:[^\"\\]|\\.)*\")")
_FIRST_RUNTIME, _RUNTIMES = " Runtimes:map[", pattern(r"(?:^| )(?P<name>[\w.-]+):\{Type:")
_FIELD = pattern(r"\b(?P<name>error|file|row|column)=(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>\S+))")
_SAID_IT_ENDS = "containerd: "
_NOT_ITS_FILES = ("permission denied", "no such file")
_WRONG = {
    "missing": "is not there",
    "other": "is no file that can be executed",
}


def containerd_answers(recording: Recording, key: str, dump: Tree, config: str, place: Place) -> SaidByContainerd:
    """`key` is how the parts about it are called: a process by its number, else a unit by its name."""
    started = _started_with(_lines(recording, f"journal {key}"))
    return SaidByContainerd(
        cri=_cri(recording, key, place),
        started_with=started,
        refuses=_refuses(recording, key),
        files=tuple(_files(recording, key, config, dump, place)),
        programs=_programs(recording, key, dump, place),
    )


def dump_of(recording: Recording, key: str, name: str, place: Place) -> Tree:
    part = recording.part(f"dump {key}")
    if part is None:
        return Tree(Unknown(f"{name}'s configuration is not read"), place)
    if part.code != 0:
        return Tree(Unknown(f"its configuration could not be read: {part.why}"), place)
    try:
        return plant(_table(part.stdout), place)
    except (ValueError, RecursionError) as problem:
        return Tree(Unknown(f"its configuration can't be parsed: {problem}"), place)


@lru_cache(maxsize=8)
def _table(text: str) -> Mapping[str, Any]:
    """The nodes of a pool are set up alike, and of a thousand of them this took a third of the time."""
    return tomllib.loads(text)


def warnings_of(recording: Recording, key: str) -> tuple[str, ...]:
    part = recording.part(f"dump {key}")
    return tuple(line.strip() for line in part.stderr.splitlines() if "level=warn" in line) if part else ()


def version_of(recording: Recording, key: str, place: Place) -> Located[str]:
    part = recording.part(f"version {key}")
    if part is None or part.code != 0:
        return Located.unknown(part.why if part else "not asked", place)
    # "containerd github.com/containerd/containerd/v2 v2.2.9 <commit>"
    words = part.stdout.split()
    return Located.known(words[2], place) if len(words) > 2 else Located.unknown("it does not say its version", place)


def younger_file(recording: Recording, key: str, name: str, place: Place) -> Located[str | None]:
    """The first file that is younger than the process, by more than the two clocks may differ."""
    part = recording.part(f"ages {key}")
    told = [found for line in (part.stdout.splitlines() if part else ()) if (found := _AGE.fullmatch(line))]
    age = next((int(each["seconds"]) for each in told if each["what"] == "process"), None)
    files = [(int(each["seconds"]), each["path"]) for each in told if each["what"] == "file"]
    if part is None or part.code != 0 or age is None:
        why = f"whether the files of {name} (pid {key}) were changed after its start could not be seen"
        return Located.unknown(why, place)
    return Located.known(next((path for since, path in files if since + SAME_MOMENT < age), None), place)


def idle_containerds(recording: Recording, units: NodeUnits | None, host: Place) -> Iterator[IdleContainerd]:
    """Units that are there to run one, and do not."""
    by_name = units.by_name.state.value if units is not None and isinstance(units.by_name.state, Known) else {}
    for part in recording.parts:
        name = part.name.removeprefix("idle ")
        if name == part.name or f"{name}.service" not in by_name:
            continue
        place = host.about(f"{name}.service")
        config = _flag(part.stdout.split()) or defaults().config
        version = version_of(recording, name, place).state
        dump = dump_of(recording, name, "containerd", place)
        log = [line for line in _lines(recording, f"journal {name}") if _STARTED.search(line) is None]
        yield IdleContainerd(
            place=place,
            unit=by_name[f"{name}.service"],
            config=config,
            address=None if dump.is_unknown else address(dump) or defaults().socket,
            version=None if isinstance(version, Unknown) else version.value,
            said=containerd_answers(recording, name, dump, config, place),
            last=log[-1].strip().removeprefix(_SAID_IT_ENDS) if log else None,
        )


def _flag(arguments: Sequence[str]) -> str | None:
    for name, after in zip(arguments, (*arguments[1:], ""), strict=False):
        if name in ("--config", "-c"):
            return after
        if name.startswith("--config="):
            return name.partition("=")[2]
    return None


def _cri(recording: Recording, key: str, place: Place) -> Located[str | None] | None:
    part = recording.part(f"plugins {key}")
    if part is None:
        return None
    if part.code == 0:
        return Located.known(_fault_of(part.stdout), place)
    log = _lines(recording, f"journal {key}")
    failed = next((found for line in log if (found := _FAILED.search(line)) and "cri" in line), None)
    if failed is not None:
        return Located.known(_unquoted(failed["says"]), place)
    if any(map(_STARTED.search, log)):
        return Located.known(None, place)
    return Located.unknown(f"whether containerd's CRI plugin is loaded could not be asked: {part.why}", place)


def _fault_of(plugins: str) -> str | None:
    """The fault of the plugins that the CRI depends on comes first: the CRI only repeats it."""
    blocks = [block for block in plugins.split("\nType:") if _ID.search(block)]
    faults = [found["says"].strip() for block in blocks if (found := _MESSAGE.search(block))]
    if faults:
        return faults[0]
    served = any(found["id"] == "cri" for block in blocks if (found := _ID.search(block)))
    return None if served else "it is not among the plugins of the process"


def _started_with(log: Sequence[str]) -> tuple[str, ...] | None:
    for line in reversed(log):
        found = _CONFIG.search(line)
        if found is not None:
            return _runtimes_in_json(found["json"])
        if _STARTED.search(line) and _FIRST_RUNTIME in line:
            said = line.partition(_FIRST_RUNTIME)[2]
            return tuple(sorted(each["name"] for each in _RUNTIMES.finditer(said)))
    return None


def _runtimes_in_json(quoted: str) -> tuple[str, ...] | None:
    try:
        return tuple(sorted(json.loads(json.loads(quoted))["containerd"]["runtimes"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _refuses(recording: Recording, key: str) -> str | None:
    """The last words with which containerd refuses its configuration, with file, row and column where it logs them
    apart."""
    part = recording.part(f"dump {key}")
    if part is None or part.code == 0:
        return None
    said = [line.strip() for line in part.stderr.splitlines()]
    last = next((line for line in reversed(said) if line.startswith(_SAID_IT_ENDS)), None)
    if last is None or any(each in last for each in _NOT_ITS_FILES):
        return None
    for line in said:
        fields = {each["name"]: each["quoted"] or each["bare"] for each in _FIELD.finditer(line)}
        if {"file", "row", "error"} <= fields.keys():
            spot = ":".join(fields[each] for each in ("file", "row", "column") if each in fields)
            return f"{spot}: {_unquoted(fields['error'])}"
    return last.removeprefix(_SAID_IT_ENDS)


def _files(recording: Recording, key: str, config: str, dump: Tree, place: Place) -> Iterator[ConfigFile]:
    begins = f"config {key} "
    imported = {each.text for each in dump.get("imports").sequence}
    for part in recording.parts:
        path = part.name.removeprefix(begins)
        if path == part.name:
            continue
        where = Place(host=place.host, subject=path)
        content = Content(tuple(_line(text, where, row) for row, text in enumerate(part.stdout.split("\n"), start=1)))
        known = content if part.code == 0 else None
        write = Writes(place=where, stage=Stage.WRITE_FILES, path=Text.of(path), content=known, whole=known)
        is_root = posixpath.normpath(path) == posixpath.normpath(config)
        if is_root or path in imported or posixpath.splitext(path)[1] in DROP_IN_ENDINGS:
            yield ConfigFile(path, Role.ROOT if is_root else Role.DROP_IN, toml_of(write), write)


def _line(text: str, file: Place, row: int) -> Line:
    return Line(Text.of(text), Place(host=file.host, within=row, subject=f"{file.subject}:{row}"))


def _programs(
    recording: Recording, key: str, dump: Tree, place: Place
) -> Mapping[str, tuple[str, Located[str]]] | None:
    part = recording.part(f"programs {key}")
    if part is None or isinstance(handlers(dump).state, Unknown):
        return None
    seen = {path: state for line in part.stdout.splitlines() for state, _, path in [line.strip().partition(" ")]}
    return {name: (path, _program(path, seen.get(path, ""), place)) for name, path in programs(dump).items()}


def _program(path: str, state: str, place: Place) -> Located[str]:
    if state == "runs":
        return Located.known(RUNS, place)
    if state in _WRONG:
        return Located.known(_WRONG[state], place)
    return Located.unknown(f"whether {path} can be executed could not be seen", place)


def _lines(recording: Recording, name: str) -> list[str]:
    part = recording.part(name)
    return part.stdout.splitlines() if part else []


def _unquoted(said: str) -> str:
    return said.replace('\\"', '"').replace("\\\\", "\\")
