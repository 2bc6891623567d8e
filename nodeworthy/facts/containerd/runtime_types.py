"""Whether there is a program that runs the containers of each runtime: its `runtime_type` names it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.containerd.schema import possible_eras
from nodeworthy.known.containerd_schema import has_no_shim, release_without, right_runtime_type
from nodeworthy.known.releases import numbers
from nodeworthy.verdict import Draft, Place, fail

KEY = "runtime_type"


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


def _types(file: ConfigFile) -> Iterator[tuple[str, str]]:
    for section in file.sections.values():
        table = section.get("containerd")
        runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
        for name, said in runtimes.items() if isinstance(runtimes, Mapping) else ():
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
