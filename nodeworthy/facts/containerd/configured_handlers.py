"""The runtimes that a file of containerd's configuration gives it, for the classes that stand beside it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from nodeworthy.derive import derive
from nodeworthy.facts.containerd.config import config_files
from nodeworthy.facts.containerd.runtimes import runtimes_of
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place


@dataclass(frozen=True)
class ConfiguredHandlers:
    place: Place
    names: tuple[str, ...]
    # Why there may be more of them; empty where these are all.
    unseen: str = ""

    def is_beside(self, place: Place) -> bool:
        """In the same folder, or in one below it."""
        if place.path is None or self.place.path is None:
            return False
        folder = posixpath.dirname(place.path)
        return not posixpath.relpath(self.place.path, folder or ".").startswith("../")


@derive
def configured_handlers(files: NodeFiles) -> Iterator[ConfiguredHandlers]:
    """Of nodes whose whole configuration is there; a drop-in alone says nothing of the others."""
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
    """Of a template each of whose branches has its own runtimes."""
    names = tuple(dict.fromkeys(name for each in branches for name in each.names))
    alike = all(set(each.names) == set(names) for each in branches)
    unseen = next((each.unseen for each in branches if each.unseen), "")
    return ConfiguredHandlers(
        branches[0].place, names, unseen or ("" if alike else "a template decides which of them are there")
    )
