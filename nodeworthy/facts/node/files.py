"""Files of a node that stand alone in a change: what containerd, Docker, k3s and modprobe read there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.node.paths import NodeFileKind, Spot, spot_of
from nodeworthy.known.containerd import Containerd, containerd_of, defaults, distributions, takes_base_dir
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place, need, skip, value_if_known

_IMPORTS = pattern(r"^imports\s*=\s*\[(.*?)\]", re.MULTILINE | re.DOTALL)
_PATH = pattern(r"[\"'](/[^\"']*)[\"']")
# Two distributions have templates of these names; where nothing says which, they are read alike.
_TEMPLATED = "k3s"


@dataclass(frozen=True, eq=False)
class NodeFile:
    """One of them, as it stands there."""

    called: ClassVar[str] = "a file of a node"

    place: Place
    kind: NodeFileKind
    content: Content
    spot: Spot
    # What a template may come to be, with each of its branches chosen in turn; empty where it has none.
    branches: tuple[Content, ...] = ()
    # Its absolute path, where it comes from a file.
    lies: str = ""


@dataclass(frozen=True, eq=False)
class NodeFiles:
    """The files of one node. Whoever lays them down, they are what a script would have written: a timeline."""

    called: ClassVar[str] = "files of a node"

    place: Place
    files: tuple[NodeFile, ...]
    pools: tuple[BootPool, ...] = ()
    no_pool: str = ""

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | str | None:
        """The engine asks: they are for the pools whose runtime reads them."""
        return (self.pools or self.no_pool) if kind is BootPool else None

    def of(self, *kinds: NodeFileKind) -> list[NodeFile]:
        return [each for each in self.files if each.kind in kinds]

    def only(self, *kinds: NodeFileKind) -> NodeFiles:
        """Skips nodes that have none of them."""
        found = self.of(*kinds)
        if not found:
            skip(f"{' or '.join(each.value for each in kinds)} is not among them")
        return replace(self, place=found[0].place, files=tuple(found))

    @property
    def as_filled_in(self) -> list[NodeFiles]:
        """These files with each branch of their templates chosen in turn."""
        most = max(len(each.branches) for each in self.files)
        return [replace(self, files=tuple(_branch(each, index) for each in self.files)) for index in range(most)] or [
            self
        ]

    @cached_property
    def timeline(self) -> Timeline:
        return self.timeline_on(None)

    def timeline_on(self, runtime: Containerd | None) -> Timeline:
        """The node's files as writes, in the order in which they count: drop-ins come behind their root, and of two
        files of modprobe the one whose name sorts later comes last."""
        ordered = sorted(self.files, key=lambda each: (each.spot.is_drop_in, each.spot.path.rpartition("/")[2]))
        return Timeline(tuple(_as_write(each, runtime, self._imports) for each in ordered))

    @cached_property
    def _imports(self) -> tuple[str, ...]:
        roots = [each.content.text.shown() for each in self.of(NodeFileKind.CONFIG) if not each.spot.is_drop_in]
        return tuple(path for text in roots for names in _IMPORTS.findall(text) for path in _PATH.findall(names))

    @property
    def has_config(self) -> bool:
        """Whether the file is there by which containerd goes."""
        return any(not each.spot.is_drop_in for each in self.of(NodeFileKind.CONFIG))

    def runtime(self, pool: BootPool | None) -> Containerd | None:
        """Which containerd reads these files: the pool's, else the one that has these paths. None where nothing says
        it."""
        if pool is not None:
            return need(pool.pool.runtime)
        paths = {each.spot.path for each in self.files if each.spot.is_laid_out}
        shown = [each for each in distributions() if paths & _own_paths(containerd_of(each))]
        if not shown and any(each.spot.path in containerd_of(_TEMPLATED).templates for each in self.files):
            return containerd_of(_TEMPLATED)
        return containerd_of(shown[0]) if len(shown) == 1 else None

    @property
    def is_laid_out(self) -> bool:
        return any(each.spot.is_laid_out for each in self.files)

    def version(self, pool: BootPool | None) -> str | None:
        """The minor of that containerd, if the fleet says it."""
        return value_if_known(pool.pool.containerd_version) if pool is not None else None


def _branch(file: NodeFile, index: int) -> NodeFile:
    if not file.branches:
        return file
    return replace(file, content=file.branches[min(index, len(file.branches) - 1)], branches=())


def _as_write(file: NodeFile, runtime: Containerd | None, imports: Sequence[str]) -> Writes:
    path = Text.of(_imported_from(file, imports) or path_on(file, runtime))
    return Writes(place=file.place, stage=Stage.WRITE_FILES, path=path, content=file.content, whole=file.content)


def _imported_from(file: NodeFile, imports: Sequence[str]) -> str | None:
    """The path of a drop-in of which only its folder's name is known: the root file imports a folder of that name."""
    folder, name = posixpath.split(file.spot.path)
    if file.spot.is_laid_out or not file.spot.is_drop_in:
        return None
    named = (each for each in map(posixpath.dirname, imports) if each.endswith(f"/{posixpath.basename(folder)}"))
    return next((f"{each}/{name}" for each in named), None)


def path_on(file: NodeFile, runtime: Containerd | None) -> str:
    """Where a file lies on this distribution: under its base dir, or beside its own templates."""
    path = file.spot.path
    if runtime is None:
        return path
    if file.kind is NodeFileKind.REGISTRIES:
        return path if file.spot.is_laid_out else runtime.registries or path
    if not file.spot.is_laid_out and posixpath.basename(path) in map(posixpath.basename, runtime.templates):
        return next(each for each in runtime.templates if posixpath.basename(each) == posixpath.basename(path))
    base = (runtime.config or "").removesuffix(defaults().config) if takes_base_dir(runtime.distribution) else ""
    moved = file.kind in (NodeFileKind.CONFIG, NodeFileKind.HOSTS) and not path.startswith(base)
    return f"{base}{path}" if moved else path


def _own_paths(runtime: Containerd) -> frozenset[str]:
    """The paths by which a distribution is known. Paths that every other has as well say nothing."""
    named = (runtime.config, runtime.written_from, runtime.registries, *runtime.templates, *runtime.generated)
    return frozenset(each for each in named if each and each != defaults().config)


def node_file(
    place: Place, kind: NodeFileKind, content: Content, branches: Sequence[Content] = (), lies: str = ""
) -> NodeFile:
    """The file that belongs at this path of a node, by its path in the repository, which is the same wherever the
    command runs."""
    return NodeFile(place, kind, content, spot_of(kind, lies or place.file), tuple(branches), lies)


def files_by_node(files: Sequence[NodeFile]) -> list[NodeFiles]:
    """The files of one root are one node's; of two that would be the same file each stands alone."""
    by_root: dict[object, list[NodeFile]] = {}
    for each in files:
        key: object = (each.spot.is_laid_out, each.spot.root)
        if any(other.spot.path == each.spot.path for other in by_root.get(key, ())):
            key = id(each)
        by_root.setdefault(key, []).append(each)
    return [NodeFiles(each[0].place, tuple(each)) for each in by_root.values()]
