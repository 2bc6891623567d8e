"""NVIDIA's module, by what the kernel shows of it."""

from __future__ import annotations

import re

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines, printed
from nodeworthy.collect.node.seen.units import units
from nodeworthy.facts.node.driver import NodeDriver, OptionLine
from nodeworthy.known.profiling import loaded_parameter
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place, Unknown

# `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024`, or the open one:
# `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.172.08  Release Build`.
_VERSION = pattern(r"^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", re.MULTILINE)
_FABRIC = pattern(r"(\d+\.\d+(?:\.\d+)?)")
NOT_LOADED = "the nvidia module is not loaded"


def driver(recording: Recording, host: Place) -> NodeDriver | None:
    params = recording.part("params")
    if params is None:
        return None
    is_loaded = _is_loaded(recording, host)
    return NodeDriver(
        place=host.about("NVIDIA's driver"),
        is_loaded=is_loaded,
        version=_found(recording, "driver", _VERSION, host.about("/proc/driver/nvidia/version"), is_loaded),
        admin_only=_found(
            recording, "params", _parameter(), host.about(f"/proc/driver/nvidia/params {loaded_parameter()}"), is_loaded
        ),
        options=tuple(_option(line, host) for line in lines(recording, "options") if ":" in line),
        options_unread=_unread(recording),
        fabric_unit=units(recording, "fabric", host),
        fabric_in=tuple(lines(recording, "fabric elsewhere")),
        fabric_version=_fabric(recording, host.about("nv-fabricmanager --version")),
    )


def _unread(recording: Recording) -> str | None:
    part = recording.part("options")
    if part is None:
        return "the recording has nothing of it"
    return f"reading it ended with {part.code}" if part.code != 0 else None


def _is_loaded(recording: Recording, host: Place) -> Located[bool]:
    place = host.about("/proc/modules")
    said = printed(recording, "modules", place, "which modules are loaded")
    if said is None or isinstance(said.state, Unknown):
        # A kernel without modules has the driver's own folder all the same.
        there = [part for name in ("params", "driver") if (part := recording.part(name)) and part.code == 0]
        why = said.state.why if said is not None and isinstance(said.state, Unknown) else "it was not read"
        return Located.known(True, place) if there else Located.unknown(why, place)
    names = {line.split()[0] for line in said.state.value.splitlines() if line.strip()}
    return Located.known(
        "nvidia" in names or bool(recording.part("driver") and recording.by_name["driver"].stdout), place
    )


def _parameter() -> re.Pattern[str]:
    return re.compile(rf"^{loaded_parameter()}:\s*(\d+)\s*$", re.MULTILINE)


def _found(
    recording: Recording, name: str, pattern: re.Pattern[str], place: Place, is_loaded: Located[bool]
) -> Located[str]:
    if is_loaded.state == Known(False):
        return Located.unknown(NOT_LOADED, place)
    said = printed(recording, name, place, str(place.subject))
    if said is None or isinstance(said.state, Unknown):
        return said if said is not None else Located.unknown("it was not read", place)
    found = pattern.search(said.state.value + "\n")
    return Located.known(found[1], place) if found else Located.unknown(f"{place.subject} does not say it", place)


def _option(line: str, host: Place) -> OptionLine:
    path, _, text = line.partition(":")
    return OptionLine(host.about(path), path, " ".join(text.split()))


def _fabric(recording: Recording, place: Place) -> Located[str]:
    said = printed(recording, "fabric version", place, "fabric manager's version")
    if said is None:
        return Located.unknown("fabric manager's version was not read: nv-fabricmanager is not on the PATH", place)
    if isinstance(said.state, Unknown):
        return said
    found = _FABRIC.search(said.state.value)
    return (
        Located.known(found[1], place) if found else Located.unknown("fabric manager does not say its version", place)
    )
