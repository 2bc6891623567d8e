"""Whether there is a program that runs the containers of each runtime: its `runtime_type` names it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile, Role
from nodeworthy.facts.containerd.schema import possible_eras
from nodeworthy.known.containerd_schema import has_no_shim, release_without, right_runtime_type
from nodeworthy.known.releases import numbers
from nodeworthy.verdict import Draft, Place, Severity, fail

KEY = "runtime_type"
# The version of the files that containerd 2 writes.
_OF_CONTAINERD_2 = 3


def runtime_type_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    for name, given in _types(file):
        if has_hole(given):
            continue
        since = release_without(given)
        if has_no_shim(given):
            yield _flaw(file, name, given, _why(given))
        elif since is not None and _is_gone(file, since, version):
            who = f"containerd {version}" if version is not None else f"containerd {since}"
            yield _flaw(file, name, given, f"{who} no longer has it")


def without_a_type(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    """A table of a runtime's is its whole entry for containerd 1.x: runc's own default is gone with it."""
    is_whole = file.role is Role.ROOT and file.says_version and file.version < _OF_CONTAINERD_2
    if not is_whole or (version is not None and (numbers(version) or ()) >= (2,)):
        return
    for name, said in _runtimes(file):
        options = said.get("options") if isinstance(said, Mapping) else None
        if isinstance(said, Mapping) and KEY not in said and isinstance(options, Mapping) and set(said) == {"options"}:
            yield fail(
                _heading(file, name),
                f"the runtime {name} has options and no {KEY}",
                is_=f"no {KEY}",
                should=f'{KEY} = "{right_runtime_type()}"',
                cause="containerd 1.x takes this table for the whole of its entry, and makes no container without a "
                "type: container.Runtime.Name must be set; every pod of this runtime stays in ContainerCreating",
                remedy=f'write {KEY} = "{right_runtime_type()}" above its options',
                severity=Severity.WARNING if version is None else Severity.ERROR,
            )


def _runtimes(file: ConfigFile) -> Iterator[tuple[str, Any]]:
    for section in file.sections.values():
        table = section.get("containerd")
        runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
        yield from runtimes.items() if isinstance(runtimes, Mapping) else ()


def _heading(file: ConfigFile, name: str) -> Place:
    """The table's own line, else that of its options."""
    lines = file.reading.content.lines if file.reading.content is not None else ()
    headed = [each for each in lines if each.text.shown().strip().startswith("[")]
    ends = (f".{name}]", f'."{name}"]', f".{name}.options]", f'."{name}".options]')
    return next((each.place for each in headed if each.text.shown().strip().endswith(ends)), file.place)


def _types(file: ConfigFile) -> Iterator[tuple[str, str]]:
    for name, said in _runtimes(file):
        given = said.get(KEY) if isinstance(said, Mapping) else None
        if isinstance(given, str):
            yield name, given


def _is_gone(file: ConfigFile, since: str, version: str | None) -> bool:
    """Whether the runtime type is gone. Without a known release, only a file that no older containerd could read tells
    it."""
    asked, first = numbers(since) or (), possible_eras(file, version)[0].since
    return (numbers(version) or () if version is not None else first) >= asked


def _why(given: str) -> str:
    if not given:
        return "without a type containerd makes no container: container.Runtime.Name must be set"
    if "." not in given:
        return f"containerd takes a type like {right_runtime_type()}, or the full path of a program"
    name, _, version = given.rpartition(".")
    return f"containerd looks for containerd-shim-{name.rpartition('.')[2]}-{version}, which nobody ships"


def _flaw(file: ConfigFile, name: str, given: str, why: str) -> Draft:
    return fail(
        _place(file, name, given),
        f"no program runs the containers of the runtime {name}: its {KEY} is {given or 'empty'}",
        should=right_runtime_type(),
        cause=f"{why}; every pod of this runtime stays in ContainerCreating",
        is_=given or '""',
        remedy=f'write {KEY} = "{right_runtime_type()}"; '
        "another runtime, such as nvidia-container-runtime, is its BinaryName",
    )


def _place(file: ConfigFile, name: str, given: str) -> Place:
    """The line behind the table's own."""
    lines = file.reading.content.lines if file.reading.content is not None else ()
    inside = False
    for line in lines:
        text = line.text.shown().strip()
        if text.startswith("["):
            inside = text.rstrip("] ").endswith((f".{name}", f'."{name}"', f".'{name}'"))
        elif inside and text.startswith(KEY) and given in text:
            return line.place
    return file.reading.line_of(KEY)
