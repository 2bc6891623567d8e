"""Keys that containerd passes over where they stand, in a section that it reads: those of the other section of the CRI,
those that were renamed, and those that belong one table deeper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.containerd.schema import IGNORED, possible_eras
from nodeworthy.known.containerd_schema import (
    FIRST,
    KEYS_OF,
    NEW,
    OF_CONTAINERD,
    OF_RUNTIME_V1,
    OLD,
    OPTIONS,
    PINNED,
    RUNTIME_V1,
    SANDBOX_IMAGE,
    SERVER,
    decides,
    is_default,
    is_default_image,
)
from nodeworthy.verdict import Draft, Place, Severity, fail

# The tables of registries: what containerd reads in a row of each, and where what is often written there belongs.
_TLS = {key: f"configs.HOST.tls.{key}" for key in ("insecure_skip_verify", "ca_file", "cert_file", "key_file")}
_AUTH = {key: f"configs.HOST.auth.{key}" for key in ("username", "password", "auth", "identitytoken")}
_REGISTRIES: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("mirrors", "endpoint", {**_TLS, **_AUTH, "tls": "configs.HOST.tls", "endpoints": "mirrors.HOST.endpoint"}),
    ("configs", "auth and tls", {**_TLS, "username": _AUTH["username"], "password": _AUTH["password"]}),
)
_NVIDIAS = "nvidia-container-runtime"
_IMAGES, _RUNTIME = "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"
_KIND = "io.containerd.cri"
_NO_CRI = (
    "containerd 1.x does not load its CRI with it: there is no runtime, and no node; containerd 2 passes over it, and "
    "cgroups stay as they were"
)
_NO_OPTION = "what stands beside runtime_type and is no key of it, containerd passes over: the runtime runs without it"
_NO_SUCH_OPTION = "containerd passes over an option that it does not know: the runtime runs without it"
# As the options of runc are called in its own interface, and not in a file.
_OF_PROTOBUF = {"systemd_cgroup": "SystemdCgroup", "binary_name": "BinaryName"}
_NOT_STARTED = "CRI starts the runtimes of its own tables: none of them is NVIDIA's, and no pod gets a GPU"
_NO_RUNTIME = "containerd passes over it: no handler of this name exists, and a pod that asks for it does not start"


def lost_key_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    for name, section in file.sections.items():
        if name == FIRST:
            continue
        yield from _beside_their_table(file, name, section)
        yield from _misspelt_options(file, name, section)
        yield from _of_registries(file, name, section)
        if name == OLD or all(each.newest is None for each in possible_eras(file, version)):
            continue
        yield from _in_the_wrong_section(file, name, section)
    yield from _given_to_runtime_v1(file)
    yield from _given_to_no_plugin(file)


def _given_to_no_plugin(file: ConfigFile) -> Iterator[Draft]:
    """`io.containerd.cri.v1` is the kind of two plugins, and the name of none."""
    plugins = file.reading.mapping.get("plugins")
    for name, section in plugins.items() if isinstance(plugins, Mapping) else ():
        if not name.startswith(_KIND) or name in NEW or not isinstance(section, Mapping):
            continue
        for key, value in section.items():
            right = next((found for each in NEW if (found := _in_one_of(each, key)) is not None), None)
            if right is not None and not is_default(key, value):
                yield _lost(file, (name, key), value, right)


def _in_one_of(section: str, key: str) -> tuple[str, str] | None:
    return (section, key) if key.lower() in KEYS_OF[section] else _right_place(section, key)


def _given_to_runtime_v1(file: ConfigFile) -> Iterator[Draft]:
    """NVIDIA's, where every runtime of the CRI says that it is of another type, and none is NVIDIA's."""
    plugins = file.reading.mapping.get("plugins")
    given = plugins.get(RUNTIME_V1) if isinstance(plugins, Mapping) else None
    program = given.get("runtime") if isinstance(given, Mapping) else None
    if not isinstance(program, str) or not program.endswith(_NVIDIAS):
        return
    for name, section in file.sections.items():
        table = section.get("containerd")
        runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
        own = [each for each in runtimes.values() if isinstance(each, Mapping)] if isinstance(runtimes, Mapping) else []
        types = [each.get("runtime_type") for each in own]
        if name != FIRST and types and all(types) and RUNTIME_V1 not in types and "nvidia" not in str(table):
            yield _of_nobody(file, name, program)


def _of_nobody(file: ConfigFile, name: str, program: str) -> Draft:
    return fail(
        place_in(file, "runtime", RUNTIME_V1, ""),
        f"NVIDIA's runtime is given to {RUNTIME_V1}, which runs nothing here",
        should=f'BinaryName = "{program}" in the options of a runtime of [plugins."{name}".containerd.runtimes]',
        cause=_NOT_STARTED,
        is_=f'runtime = "{program}"',
        remedy="nvidia-ctk runtime configure --runtime=containerd writes such a runtime; then restart containerd",
    )


def _in_the_wrong_section(file: ConfigFile, name: str, section: Mapping[str, Any]) -> Iterator[Draft]:
    for key, value in section.items():
        right = _right_place(name, key)
        if right is not None and not is_default(key, value):
            yield _lost(file, (name, key), value, right)
    table = section.get("containerd") if name == _RUNTIME else None
    for key, value in table.items() if isinstance(table, Mapping) else ():
        if key.lower() not in OF_CONTAINERD and key.lower() in KEYS_OF[_IMAGES] and not is_default(key, value):
            yield _lost(file, (name, "containerd", key), value, (_IMAGES, key))


def _right_place(name: str, key: str) -> tuple[str, str] | None:
    """The section, and the key in it, where containerd 2 reads what stands in this one and is not read there."""
    low = key.lower()
    if low in KEYS_OF[name]:
        return None
    if low == SANDBOX_IMAGE:
        return _IMAGES, PINNED
    if low in SERVER:
        return OLD, key
    if low in OF_CONTAINERD:
        return _RUNTIME, f"containerd.{key}"
    other = next(each for each in NEW if each != name)
    return (other, key) if low in KEYS_OF[other] else None


def _lost(file: ConfigFile, path: tuple[str, ...], value: object, right: tuple[str, str]) -> Draft:
    (name, *tables, key), (section, now) = path, right
    shown = ".".join((*tables, key))
    return fail(
        place_in(file, key, name, ".".join(tables)),
        f'containerd 2 knows no {shown} in [plugins."{name}"]',
        should=f'{now} in [plugins."{section}"]',
        cause=IGNORED,
        is_=shown,
        remedy=f'write it as {now} of [plugins."{section}"]',
        severity=_severity(key, value),
    )


def _severity(key: str, value: object) -> Severity:
    if key.lower() == SANDBOX_IMAGE:
        return Severity.WARNING if has_hole(value) or is_default_image(str(value)) else Severity.ERROR
    return Severity.ERROR if decides(key) else Severity.WARNING


def _beside_their_table(file: ConfigFile, name: str, section: Mapping[str, Any]) -> Iterator[Draft]:
    """What no release reads there."""
    table = section.get("containerd")
    for key in OF_RUNTIME_V1 & set(section):
        if section[key] is True and RUNTIME_V1 not in str(table):
            yield _of_runtime_v1(file, name, key)
    for key, said in table.items() if isinstance(table, Mapping) else ():
        if _is_a_runtime(key, said):
            yield _no_runtime(file, name, key)
    runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
    for runtime, said in runtimes.items() if isinstance(runtimes, Mapping) else ():
        options = said.get("options") if isinstance(said, Mapping) else None
        given = options if isinstance(options, Mapping) else {}
        for key in OPTIONS if isinstance(said, Mapping) else ():
            if said.get(key) and key not in given:
                yield _no_option(file, name, runtime, key)


def _misspelt_options(file: ConfigFile, name: str, section: Mapping[str, Any]) -> Iterator[Draft]:
    """Of each the first: who writes one so writes it so for every runtime."""
    table = section.get("containerd")
    runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
    rows = runtimes.items() if isinstance(runtimes, Mapping) else ()
    given: list[tuple[str, Mapping[str, Any]]] = [
        (runtime, said["options"]) for runtime, said in rows if _is_runc(said)
    ]
    for key, right in _OF_PROTOBUF.items():
        for runtime, options in given:
            if options.get(key) and right not in options:
                yield _misspelt(file, (name, runtime), key, right, options[key])
                break


def _is_runc(said: object) -> bool:
    """With options of its own."""
    if not isinstance(said, Mapping) or not isinstance(said.get("options"), Mapping):
        return False
    return str(said.get("runtime_type", "")).startswith("io.containerd.runc.v")


def _of_registries(file: ConfigFile, name: str, section: Mapping[str, Any]) -> Iterator[Draft]:
    """The first key of each table that is none of a mirror's, or of a registry's configuration."""
    said = section.get("registry")
    registry = said if isinstance(said, Mapping) else {}
    for table, read, instead in _REGISTRIES:
        hosts = registry.get(table)
        rows = hosts.items() if isinstance(hosts, Mapping) else ()
        found = ((str(host), key) for host, row in rows if isinstance(row, Mapping) for key in row if key in instead)
        for host, key in islice(found, 1):
            yield _of_no_registry(file, (name, f"registry.{table}"), (host, key), (read, instead[key]))


def _of_no_registry(file: ConfigFile, at: tuple[str, str], said: tuple[str, str], right: tuple[str, str]) -> Draft:
    (name, table), (host, key), (read, instead) = at, said, right
    shown = "its registry" if has_hole(host) else host
    return fail(
        place_in(file, key, name, table),
        f'containerd reads no {key} in [plugins."{name}".{table}], of {shown}',
        should=f'{instead} of [plugins."{name}".registry]',
        cause=f"{table.rpartition('.')[2]} have {read} and nothing else: what {key} says is passed over",
        is_=key,
        remedy=f"write {instead}, with the registry's name for HOST",
        severity=Severity.WARNING,
    )


def _is_a_runtime(key: str, said: object) -> bool:
    """`containerd.nvidia` instead of `containerd.runtimes.nvidia`; two of old had a table of their own."""
    known = (*OF_CONTAINERD, "default_runtime", "untrusted_workload_runtime")
    return key not in known and isinstance(said, Mapping) and bool({"runtime_type", "options"} & set(said))


def _of_runtime_v1(file: ConfigFile, name: str, key: str) -> Draft:
    return fail(
        place_in(file, key, name, ""),
        f"{key} = true is for the runtime {RUNTIME_V1}, which runs nothing here",
        should="SystemdCgroup = true in the runtime's options",
        cause=_NO_CRI,
        is_=f"{key} = true",
        remedy="take it away, and write SystemdCgroup = true below "
        f'[plugins."{name}".containerd.runtimes.runc.options]',
    )


def _no_option(file: ConfigFile, name: str, runtime: str, key: str) -> Draft:
    table = f'[plugins."{name}".containerd.runtimes.{runtime}.options]'
    return fail(
        place_in(file, key, name, f"runtimes.{runtime}"),
        f"{key} of the runtime {runtime} stands beside its options, where containerd does not read it",
        should=f"{key} in the runtime's options",
        cause=_NO_OPTION,
        is_=f"runtimes.{runtime}.{key}",
        remedy=f"write it below {table}",
        severity=Severity.ERROR if decides(key) else Severity.WARNING,
    )


def _misspelt(file: ConfigFile, at: tuple[str, str], key: str, right: str, value: object) -> Draft:
    name, runtime = at
    return fail(
        place_in(file, key, name, f"runtimes.{runtime}.options"),
        f"{key} is no option of the runtime {runtime}: it is called {right}",
        should=f"{right} in the runtime's options",
        cause=_NO_SUCH_OPTION,
        is_=key,
        remedy=f"write {right} instead",
        severity=Severity.ERROR if value is True or _NVIDIAS in str(value) else Severity.WARNING,
    )


def _no_runtime(file: ConfigFile, name: str, key: str) -> Draft:
    return fail(
        place_in(file, "", name, f"containerd.{key}"),
        f"the runtime {key} stands beside the runtimes of containerd, and is none",
        should=f"containerd.runtimes.{key}",
        cause=_NO_RUNTIME,
        is_=f"containerd.{key}",
        remedy=f'name its table [plugins."{name}".containerd.runtimes.{key}]',
    )


def place_in(file: ConfigFile, key: str, name: str, table: str) -> Place:
    """The line of a key below the header of its table, or that header itself."""
    lines = file.reading.content.lines if file.reading.content is not None else ()
    within = False
    for line in lines:
        shown = line.text.shown().strip()
        if shown.startswith("["):
            header = shown.replace('"', "").replace("'", "").rstrip("] ")
            within = name in header and (not table or f".{table}" in header)
            if within and (not key or header.endswith(f".{key}") or f".{key}." in header.partition(name)[2]):
                return line.place
        elif within and shown.startswith((key, f'"{key}"')):
            return line.place
    return file.reading.line_of(key or table)
