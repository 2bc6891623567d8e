"""Where a file of a node lies on it, told from where it lies in a change."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import PurePosixPath

from nodeworthy.known.containerd import (
    containerd_of,
    defaults,
    distributions,
    drop_in_folder,
    every_registry_hosts,
    registries,
)
from nodeworthy.known.profiling import option
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


class NodeFileKind(Enum):
    CONFIG = "containerd's config"
    HOSTS = "hosts.toml"
    DOCKER = "Docker's daemon.json"
    REGISTRIES = "registries.yaml"
    MODPROBE = "a file of modprobe"


# Of a hosts.toml in a folder that names no registry.
NO_HOST = "HOST"
DOCKERS = "/etc/docker/daemon.json"
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".tpl", ".tftpl", ".tmpl", ".gotmpl", ".erb", ".template", ".in")
_DROP_INS = ("conf.d", "config.d")
_HOSTS = ("certs.d", "hosts.d")
_A_HOST = pattern(r"_default|localhost|[\w-]+(?:\.[\w-]+)*(?::\d+|_\d+_)|[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True)
class Spot:
    """A path on the node, and the folder of the change that stands for its root."""

    path: str
    root: str
    # The folders around it say so; else the path is where such a file usually lies.
    is_laid_out: bool = False

    @property
    def is_drop_in(self) -> bool:
        return self.path.split("/")[-2] in _DROP_INS


def spot_of(kind: NodeFileKind, shown: str) -> Spot:
    path = _bare(shown)
    usual = _ALONE.get(kind)
    if usual is not None:
        return _laid_out(kind, path) or Spot(usual(), shown)
    return _laid_out(kind, path) or _BY_KIND[kind](PurePosixPath(path.lstrip("/") or path), shown)


def _bare(shown: str) -> str:
    """The path from the root on, without the ending of a template that is not the node's own."""
    path = f"/{shown.lstrip('/')}"
    if posixpath.basename(path) in {posixpath.basename(each) for each in _templates()}:
        return path
    stem, ending = posixpath.splitext(path)
    return stem if ending in _TEMPLATES else path


def _laid_out(kind: NodeFileKind, path: str) -> Spot | None:
    for known in _patterns_of_kind(kind):
        found = re.search(f"{known}$", path)
        if found is not None:
            return Spot(path[found.start() :], path[: found.start()], is_laid_out=True)
    return None


@cache
def _patterns_of_kind(kind: NodeFileKind) -> tuple[str, ...]:
    """Patterns of the node's own paths, the longest first."""
    made: Mapping[NodeFileKind, Callable[[], list[str]]] = {
        NodeFileKind.CONFIG: lambda: [
            *map(re.escape, _configs()),
            *(f"/etc/containerd/{each}/[^/]+" for each in _DROP_INS),
        ],
        NodeFileKind.HOSTS: lambda: [f"{re.escape(each)}/[^/]+/hosts\\.toml" for each in every_registry_hosts()],
        NodeFileKind.DOCKER: lambda: [re.escape(DOCKERS)],
        NodeFileKind.REGISTRIES: lambda: [re.escape(each) for each in _registries()],
        NodeFileKind.MODPROBE: lambda: [f"{re.escape(each)}/[^/]+" for each in option().folders],
    }
    return tuple(sorted(made[kind](), key=len, reverse=True))


def _configs() -> set[str]:
    runtimes = [*map(containerd_of, distributions()), containerd_of("k8s-snap", strict=True)]
    of_containerd = [each for each in runtimes if each.is_containerd]
    named = [(each.config, each.written_from, *each.templates, *each.generated) for each in of_containerd]
    return {path for paths in named for path in paths if path}


@cache
def _templates() -> frozenset[str]:
    return frozenset(path for each in distributions() for path in containerd_of(each).templates)


def _registries() -> list[str]:
    named = (containerd_of(each).registries for each in distributions())
    return [each for each in named if each is not None]


def _config(path: PurePosixPath, shown: str) -> Spot:
    template = next((each for each in sorted(_templates()) if posixpath.basename(each) == path.name), None)
    if template is not None:
        return Spot(template, shown)
    if path.name == posixpath.basename(defaults().config):
        return Spot(defaults().config, str(path.parent))
    if path.parent.name in _DROP_INS:
        return Spot(f"{posixpath.dirname(drop_in_folder())}/{path.parent.name}/{path.name}", str(path.parent.parent))
    return Spot(defaults().config, shown)


def _hosts(path: PurePosixPath, shown: str) -> Spot:
    folder = posixpath.dirname(registries().hosts[0])
    host, around = path.parent.name, path.parent.parent
    if around.name in _HOSTS:
        return Spot(f"{folder}/{around.name}/{host}/hosts.toml", str(around.parent))
    named = host if _A_HOST.fullmatch(host) else NO_HOST
    return Spot(f"{registries().hosts[0]}/{named}/hosts.toml", shown)


def _modprobe(path: PurePosixPath, shown: str) -> Spot:
    if path.parent.name == "modprobe.d":
        return Spot(f"{option().folders[0]}/{path.name}", str(path.parent.parent))
    return Spot(f"{option().folders[0]}/{path.stem or 'stdin'}{option().suffix}", shown)


_BY_KIND: Mapping[NodeFileKind, Callable[[PurePosixPath, str], Spot]] = {
    NodeFileKind.CONFIG: _config,
    NodeFileKind.HOSTS: _hosts,
    NodeFileKind.MODPROBE: _modprobe,
}
# What lies in no folder with others.
_ALONE: Mapping[NodeFileKind, Callable[[], str]] = {
    NodeFileKind.DOCKER: lambda: DOCKERS,
    NodeFileKind.REGISTRIES: lambda: _registries()[0],
}
