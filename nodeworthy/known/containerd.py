"""Which containerd does kubelet use? The table of `containerd.toml`, typed, its base-dir paths computed."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass, field, replace

STRICT = "strict"


# What kubelet may be told to talk to through cri-dockerd: no containerd of the distribution's is looked at then.
DOCKER = "docker"


@dataclass(frozen=True)
class Containerd:
    """The runtime that kubelet talks to, as the host sees it."""

    distribution: str
    config: str | None
    socket: str | None
    units: tuple[str, ...]
    source: str
    note: str = ""
    runtime: str = "containerd"
    older_sockets: tuple[str, ...] = ()
    # Where releases disagree: neither right nor wrong until somebody looks on a node.
    doubtful: tuple[str, ...] = ()
    # A file of one's own in one of these is as good as the config, which takes them in by itself.
    config_folders: tuple[str, ...] = ()
    config_optional: bool = False
    templates: tuple[str, ...] = ()
    toolkit: bool = True
    toolkit_in_image: bool = False
    handlers: tuple[str, ...] = ()
    plugin_in_image: bool = False
    # What brings the toolkit where the driver comes with the nodes, and what hands out GPUs whatever the image has.
    brings_toolkit: str = ""
    own_plugin: str = ""
    toolkit_env: Mapping[str, str] = field(default_factory=dict)
    # Folders of hosts.toml and of drop-ins that its config names without anybody's help.
    registry_hosts: tuple[str, ...] = ()
    drop_ins: tuple[str, ...] = ()
    registries: str | None = None
    # What leads to the cluster that it makes of its machine, and to no other.
    kubeconfig: str | None = None
    # Who writes the config anew, when, and from which file.
    written_by: str = ""
    written_when: str = ""
    written_from: str | None = None
    # What is written anew, where that is not `config` itself.
    generated: tuple[str, ...] = ()
    # Its owner chooses which release runs; elsewhere the distribution brings it, and none is older than `oldest`.
    chosen: bool = False
    oldest: str | None = None

    @property
    def is_containerd(self) -> bool:
        return self.runtime == "containerd"

    def kept_below(self, before: str, folder: str) -> Containerd:
        """The same, where what it keeps below one folder lies below another."""
        config = self.config and self.config.replace(before, folder)
        return replace(self, config=config, templates=tuple(each.replace(before, folder) for each in self.templates))

    def accepts_socket(self, path: str) -> bool:
        return same_file(path, self.socket) or any(same_file(path, older) for older in self.older_sockets)

    def accepts_config(self, path: str) -> bool:
        folder, name = posixpath.split(_normal(path))
        return same_file(path, self.config) or (folder in self.config_folders and name.endswith(".toml"))


@dataclass(frozen=True)
class Defaults:
    """What the operator takes where nothing is said."""

    config: str
    socket: str
    runtime_class: str
    drop_in: str


def same_file(one: str | None, other: str | None) -> bool:
    """Whether two host paths name one file: /var/run is a link to /run on every systemd distribution."""
    return one is not None and other is not None and _normal(one) == _normal(other)


def bare(path: object) -> str | None:
    """The path that was meant, whatever is wrong with its spelling; None where it is none."""
    if not isinstance(path, str):
        return None
    stripped = path.strip().removeprefix("unix://")
    return stripped if stripped.startswith("/") else None


@cache
def _normal(path: str) -> str:
    normal = posixpath.normpath("/" + path.lstrip("/"))
    return normal.removeprefix("/var") if normal.startswith("/var/run/") else normal


@cache
def _table() -> Mapping[str, Any]:
    return table_of("containerd")


@cache
def defaults() -> Defaults:
    row = _table()["defaults"]
    return Defaults(row["config"], row["socket"], row["runtime_class"], row["drop_in"])


@dataclass(frozen=True)
class Registries:
    """Where runtimes look for what they must know of a registry."""

    # Where containerd itself looks, from this minor release on.
    hosts: tuple[str, ...]
    hosts_since: str


@cache
def registries() -> Registries:
    row = _table()["registry"]
    return Registries(tuple(row["hosts"]), row["hosts_since"])


def drop_in_folder() -> str:
    """What the default config of containerd imports; a config of one's own imports what it says, and nothing else."""
    return posixpath.dirname(defaults().drop_in)


@cache
def every_registry_hosts() -> tuple[str, ...]:
    """Each folder of hosts.toml that some distribution uses, where it does not depend on a base dir."""
    rows = [row for each in _table()["distribution"].values() for row in (each, each.get(STRICT, {}))]
    named = [folder for row in rows for folder in row.get("registry_hosts", ())]
    return tuple(dict.fromkeys((*registries().hosts, *named)))


def distributions() -> tuple[str, ...]:
    return tuple(_table()["distribution"])


@cache
def containerd_of(distribution: str, base_dir: str | None = None, *, strict: bool = False) -> Containerd:
    """The runtime of a distribution. Raises KeyError for one that is not in the table."""
    row = _table()["distribution"][distribution]
    plain = _row(distribution, row)
    if strict and STRICT in row:
        return _strict(plain, row[STRICT])
    if base_dir is not None and "with_base_dir" in row:
        return _under(base_dir, plain, row["with_base_dir"])
    return plain


def _strict(plain: Containerd, row: Mapping[str, Any]) -> Containerd:
    older = tuple(row["older_sockets"])
    hosts = tuple(row["registry_hosts"])
    return replace(
        plain,
        config=row["config"],
        socket=row["socket"],
        older_sockets=older,
        registry_hosts=hosts,
        source=row["source"],
    )


def takes_base_dir(distribution: str) -> bool:
    return "with_base_dir" in _table()["distribution"].get(distribution, {})


def _row(distribution: str, row: Mapping[str, Any]) -> Containerd:
    return Containerd(
        distribution,
        config=row.get("config"),
        socket=row.get("socket"),
        units=tuple(row.get("units", ())),
        source=row["source"],
        note=row.get("note", ""),
        brings_toolkit=row.get("brings_toolkit", ""),
        own_plugin=row.get("own_plugin", ""),
        runtime=row.get("runtime", "containerd"),
        older_sockets=tuple(row.get("older_sockets", ())),
        config_folders=tuple(row.get("config_folders", ())),
        config_optional=row.get("config_optional", False),
        templates=tuple(row.get("templates", ())),
        toolkit=row.get("toolkit", True),
        toolkit_in_image=row.get("toolkit_in_image", False),
        handlers=tuple(row.get("handlers", ())),
        plugin_in_image=row.get("plugin_in_image", False),
        toolkit_env=row.get("toolkit_env", {}),
        registry_hosts=tuple(row.get("registry_hosts", ())),
        drop_ins=tuple(row.get("drop_ins", ())),
        registries=row.get("registries"),
        kubeconfig=row.get("kubeconfig"),
        written_by=row.get("written_by", ""),
        written_when=row.get("written_when", ""),
        written_from=row.get("written_from"),
        generated=tuple(row.get("generated", ())),
        chosen=row.get("chosen", False),
        oldest=row.get("oldest"),
    )


def _under(base_dir: str, plain: Containerd, computed: Mapping[str, Any]) -> Containerd:
    nested = posixpath.join(base_dir, computed["nested"])
    return replace(
        plain,
        config=posixpath.join(base_dir, computed["config"]),
        socket=posixpath.join(base_dir, computed["socket"]),
        registry_hosts=tuple(posixpath.join(base_dir, folder) for folder in computed["registry_hosts"]),
        doubtful=(posixpath.join(nested, computed["config"]), posixpath.join(nested, computed["socket"])),
        note=computed["note"],
        source=computed["source"],
    )


@cache
def every_socket() -> tuple[str, ...]:
    """Each socket that some distribution uses, where it does not depend on a base dir."""
    rows = [row for each in _table()["distribution"].values() for row in (each, each.get(STRICT, {}))]
    named = [socket for row in rows for socket in (row.get("socket"), *row.get("older_sockets", ())) if socket]
    return tuple(dict.fromkeys(named))


@cache
def every_unit() -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for row in _table()["distribution"].values() for unit in row.get("units", ())))


@cache
def every_registries_file() -> tuple[str, ...]:
    """The file of registries of k3s and RKE2, which make containerd's own files of it."""
    return tuple(row["registries"] for row in _table()["distribution"].values() if "registries" in row)


def fits_os(distribution: str, identifier: str, version: str) -> bool:
    """Whether a distribution can be what runs on this OS, by its os-release."""
    bound = _table()["distribution"][distribution].get("os")
    return bound is None or identifier in bound or f"{identifier} {version}" in bound
