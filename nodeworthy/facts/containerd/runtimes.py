"""The runtimes that files of containerd's configuration give it, and the one that they make the default."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from nodeworthy.derive import derive
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile, Role, config_files, is_imported_by
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, NotKnown, Place

# What an effective configuration of containerd's says of its runtimes.

# Where the CRI plugin keeps its runtimes: containerd 2.x, then 1.x. A dump shows only what is in effect, so a section
# under the other's name is not there.
_CRI_PLUGINS = ("io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri")


# Where it keeps its own address: the fourth version of its files, which 2.3 writes, makes servers plugins.
_SERVERS = (("plugins", "io.containerd.server.v1.grpc"), ("grpc",))


def address(dump: Tree) -> str | None:
    """Where an effective configuration lets it listen."""
    return next((told for each in _SERVERS if (told := dump.get(*each, "address").text)), None)


def default_runtime(dump: Tree) -> Located[str | None]:
    """What pods get that name no RuntimeClass, in an effective configuration."""
    for plugin in _CRI_PLUGINS:
        named = dump.get("plugins", plugin, "containerd", "default_runtime_name")
        if named.text:
            return Located(Known(named.text), named.place)
    if dump.is_unknown:
        return dump.located()
    return Located(Known(None), dump.place, written=False)


def registry_folders(dump: Tree) -> Located[tuple[str, ...]]:
    """Where it looks for what it is told of registries; none where nobody has said it."""
    for plugin in ("io.containerd.cri.v1.images", "io.containerd.grpc.v1.cri"):
        path = dump.get("plugins", plugin, "registry", "config_path")
        if path.text:
            return Located.known(tuple(each for each in path.text.split(":") if each), path.place)
    if dump.is_unknown:
        return dump.located()
    return Located(Known(()), dump.place, written=False)


def handlers(dump: Tree) -> Located[tuple[str, ...]]:
    """The runtimes in an effective configuration. What a file says of a plugin that is disabled stands there, too."""
    disabled = {each.text for each in dump.get("disabled_plugins").sequence}
    if disabled & {"cri", *_CRI_PLUGINS}:
        return Located.known((), dump.get("disabled_plugins").place)
    for plugin in _CRI_PLUGINS:
        runtimes = dump.get("plugins", plugin, "containerd", "runtimes")
        if runtimes.is_mapping:
            return Located.known(tuple(sorted(runtimes.mapping)), runtimes.place)
    if dump.is_unknown:
        return dump.located()
    return Located.unknown("its configuration has no CRI plugin that we know", dump.place)


def programs(dump: Tree) -> Mapping[str, str]:
    """The program that each runtime names in the place of runc."""
    tables = [dump.get("plugins", plugin, "containerd", "runtimes") for plugin in _CRI_PLUGINS]
    named = {name: each.get("options", "BinaryName").text for table in tables for name, each in table.mapping.items()}
    return {name: path for name, path in named.items() if path}


DEFAULT = "default_runtime_name"


@dataclass(frozen=True)
class Runtimes:
    files: tuple[ConfigFile, ...]

    @cached_property
    def default(self) -> tuple[str, Place] | None:
        """The last one that is named, and where; None where none is, or only a template knows it."""
        named = [(table[DEFAULT], file) for file, table in self._tables() if isinstance(table.get(DEFAULT), str)]
        if not named or has_hole(named[-1][0]):
            return None
        return named[-1][0], named[-1][1].reading.line_of(DEFAULT)

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, Any]]:
        """Each runtime, with what all files say of it."""
        found: dict[str, dict[str, Any]] = {}
        for _, table in self._tables():
            runtimes = table.get("runtimes")
            for name, said in runtimes.items() if isinstance(runtimes, Mapping) else ():
                found.setdefault(name, {}).update(said if isinstance(said, Mapping) else {})
        return found

    @property
    def dark(self) -> str:
        """Why a file is not known whole; empty where each is."""
        return next((each.reading.unknown for each in self.files if each.reading.unknown), "")

    @property
    def unseen(self) -> str:
        """What else may give it one: a file that is not known whole, or an import that is not here."""
        if self.dark:
            return self.dark
        if any(has_hole(name) for name in self.tables):
            return "a template fills in the names of the runtimes"
        if any(each.adds_lines for each in self.files):
            return "a template adds lines to it"
        missing = next(iter(self._imports_not_here()), None)
        return f"{missing}, which is imported, is not here" if missing is not None else ""

    def _imports_not_here(self) -> Iterator[str]:
        dropped = [each for each in self.files if each.role is Role.DROP_IN]
        for root in (each for each in self.files if each.role is Role.ROOT):
            for glob in root.imports:
                if not any(is_imported_by(each, root, glob) for each in dropped):
                    yield glob

    def _tables(self) -> Iterator[tuple[ConfigFile, Mapping[str, Any]]]:
        for file in self.files:
            for section in file.sections.values():
                table = section.get("containerd")
                if isinstance(table, Mapping):
                    yield file, table


def runtimes_of(files: Sequence[ConfigFile]) -> Runtimes:
    return Runtimes(tuple(each for each in files if not each.reading.fault))


# The runtimes that a file of containerd's configuration gives it, for the classes that stand beside it.


@dataclass(frozen=True)
class ConfiguredHandlers:
    place: Place
    names: tuple[str, ...]
    # Why there may be more of them; empty where these are all.
    unseen: str = ""

    def is_beside(self, place: Place) -> bool:
        """Whether a place is in the same folder, or in one below it."""
        if place.path is None or self.place.path is None:
            return False
        folder = posixpath.dirname(place.path)
        return not posixpath.relpath(self.place.path, folder or ".").startswith("../")


@derive
def configured_handlers(files: NodeFiles) -> Iterator[ConfiguredHandlers]:
    """The handlers of nodes whose whole configuration is there. A drop-in alone says nothing of the others."""
    if not files.has_config:
        return
    try:
        runtime = files.runtime(None)
    except NotKnown as unknown:
        yield ConfiguredHandlers(files.place, (), unknown.why)
        return
    yield _of_all([_handlers(each, runtime) for each in files.as_filled_in])


def _handlers(files: NodeFiles, runtime: Containerd | None) -> ConfiguredHandlers:
    configs = config_files(files.timeline_on(runtime), runtime)
    found = runtimes_of(configs)
    based = any(each.is_template for each in configs) or not configs or len(found.files) < len(configs)
    unseen = found.unseen or ("its template or a part of it could not be read" if based else "")
    return ConfiguredHandlers(configs[0].place if configs else files.place, tuple(found.tables), unseen)


def _of_all(branches: Sequence[ConfiguredHandlers]) -> ConfiguredHandlers:
    """The handlers of a template each of whose branches has its own runtimes."""
    names = tuple(dict.fromkeys(name for each in branches for name in each.names))
    alike = all(set(each.names) == set(names) for each in branches)
    unseen = next((each.unseen for each in branches if each.unseen), "")
    return ConfiguredHandlers(
        branches[0].place, names, unseen or ("" if alike else "a template decides which of them are there")
    )
