"""The files of containerd's configuration that a boot writes: the root file, drop-ins, a NodeConfig's own part."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from nodeworthy.boot.effects import How, Stage, Writes
from nodeworthy.boot.text import Hole, Piece
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left
from nodeworthy.facts.boot.written_text import Reading, content_of, toml_in, toml_of
from nodeworthy.facts.registry.config_path import configs, is_default_config
from nodeworthy.known.containerd import Containerd, containerd_of, drop_in_folder
from nodeworthy.known.containerd_schema import NEW, SECTIONS
from nodeworthy.limits import MOST_EDITS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_CONDITION = pattern(r"[{%]\{?[{%]-?\s*(?:if|else|elif)\b")
_STEERS = pattern(r"[{%]\{?[{%]-?\s*(?:if|else|elif|end|endif|for|endfor|range|with|define|set|/\*|template\b|#)|\{#")
_BASE = pattern(r"\{\{-?\s*template\s+\"base\"")


def is_directive(shown: str) -> bool:
    return _STEERS.match(shown) is not None


def has_base(text: str) -> bool:
    """Whether a template goes on from that of the distribution."""
    return _BASE.search(text) is not None


class Role(Enum):
    ROOT = "the config"
    DROP_IN = "a drop-in"
    # nodeadm lays it over the config that it writes.
    MERGED = "the NodeConfig's part"
    # Lines behind what `containerd config default` prints, and behind what is not known here.
    BEHIND_DEFAULT = "lines behind the default"
    BEHIND_OTHERS = "lines behind others"


@dataclass(frozen=True)
class ConfigFile:
    path: str
    role: Role
    reading: Reading
    write: Writes | None = None
    # Every expression by which sed edits this file.
    edits: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.reading.place

    @property
    def is_default(self) -> bool:
        lines = self.reading.content.lines if self.reading.content is not None else ()
        printed = any("config default" in hole.shown for line in lines for hole in line.text.holes)
        return printed or (self.write is not None and is_default_config(self.write))

    @cached_property
    def says_version(self) -> bool:
        return isinstance(self.reading.mapping.get("version"), int)

    @property
    def version(self) -> int:
        """0 where it says none."""
        return int(self.reading.mapping["version"]) if self.says_version else self._version_of_base

    @property
    def _version_of_base(self) -> int:
        """A template that begins with the distribution's own (`{{ template "base" . }}`) goes on in its version."""
        content = self.reading.content
        if content is None or not has_base(content.text.shown()):
            return 0
        if self.is_template:
            return 3 if posixpath.basename(self.path).startswith("config-v3") else 2
        # Which of the two templates it will be, its names say.
        return 3 if any(name in self.sections for name in NEW) else 2

    @property
    def version_place(self) -> Place:
        return self.reading.line_of("version")

    @property
    def imports(self) -> tuple[str, ...]:
        given: Any = self.reading.mapping.get("imports")
        return tuple(str(each) for each in given) if isinstance(given, list) else ()

    @cached_property
    def sections(self) -> Mapping[str, Mapping[str, Any]]:
        """The sections of the SECTIONS, by the name that the file gives them."""
        plugins = self.reading.mapping.get("plugins")
        named = plugins.items() if isinstance(plugins, Mapping) else ()
        return {name: section for name, section in named if name in SECTIONS and isinstance(section, Mapping)}

    def section_place(self, name: str) -> Place:
        return self.reading.line_of(f'"{name}"', f"'{name}'", name)

    @property
    def is_conditional(self) -> bool:
        """A template decides whether some of its lines are there."""
        lines = self.reading.content.lines if self.reading.content is not None else ()
        return any(_CONDITION.match(hole.shown) for line in lines for hole in line.text.holes)

    @property
    def adds_lines(self) -> bool:
        """A template adds lines to it which nobody has seen."""
        lines = self.reading.content.lines if self.reading.content is not None else ()
        pieces = (line.text.pieces for line in lines if line.text.holes)
        return any(
            len(each) == 2 and _begins_a_line(each[0]) and isinstance(each[1], Hole) and not is_directive(each[1].shown)
            for each in pieces
        )

    @property
    def is_template(self) -> bool:
        """k3s and RKE2 fill in what stands in braces."""
        return self.path.endswith(".tmpl")


def _begins_a_line(piece: Piece) -> bool:
    """Such a line is read as a comment, indented as it may be."""
    return isinstance(piece, str) and piece.strip() == "#"


def config_files(timeline: Timeline, runtime: Containerd | None) -> list[ConfigFile]:
    """containerd's files as the boot leaves them. A file that may end in several ways is there once for each."""
    known = runtime or containerd_of("kubeadm")
    merged = list(_merged(timeline, known))
    timeline = Timeline(
        tuple(each for each in timeline.effects if not isinstance(each, Writes) or not is_nodeadms(each))
    )
    roots = [file for path in configs(known) for file in _config_files_left(timeline, path, Role.ROOT)]
    folders = (drop_in_folder(), *(known.drop_ins or containerd_of("eks-al2").drop_ins))
    globs = [f"{folder}/*.toml" for folder in folders]
    globs += [_beside(glob, root.path) for root in roots for glob in root.imports]
    written = {each.path.string for each in timeline.of(Writes) if each.how is not How.DELETE}
    files_of_toml = (path for path in written if path.endswith(".toml"))
    dropped = sorted(path for path in files_of_toml if any(fnmatch.fnmatch(path, glob) for glob in globs))
    files = [*roots, *(file for path in dropped for file in _config_files_left(timeline, path, Role.DROP_IN))]
    return [*files, *merged]


def _beside(glob: str, root: str) -> str:
    return posixpath.join(posixpath.dirname(root), glob)


def _config_files_left(timeline: Timeline, path: str, role: Role) -> Iterator[ConfigFile]:
    edits = tuple(each.shown() for write in timeline.writes(path) for each in write.expressions)
    for write in Makers(timeline, path).of(file_left(timeline, path).last):
        yield ConfigFile(path, role, toml_of(write) if content_of(write) is not None else _unknown(write), write, edits)


class Makers:
    """The steps that made a file, behind those that edit what nobody can tell. Each step is looked behind once: of
    conditions there are as many combinations as of anything that doubles."""

    def __init__(self, timeline: Timeline, path: str) -> None:
        self._timeline = timeline
        self._path = path
        self._above: dict[int, tuple[Writes, ...]] = {}

    def of(self, last: Sequence[Writes]) -> Iterator[Writes]:
        waiting, seen = [*reversed(last)], set[int]()
        while waiting:
            write = waiting.pop()
            if write.how is How.DELETE or id(write) in seen:
                continue
            seen.add(id(write))
            # Behind too many of them, nobody knows what it began as: the last one that was looked at says so.
            if write.how is not How.WRITE and write.whole is None and len(seen) <= MOST_EDITS:
                waiting += reversed(self._before(write))
            else:
                yield write

    def _before(self, write: Writes) -> tuple[Writes, ...]:
        if id(write) not in self._above:
            self._above[id(write)] = file_left(self._timeline, self._path, until=write).last
        return self._above[id(write)]


def _unknown(write: Writes) -> Reading:
    return Reading(write.place, unknown=f"what {write.command or 'this step'} writes is not known")


def is_nodeadms(write: Writes) -> bool:
    """Whether nodeadm itself writes it, out of a NodeConfig."""
    return write.stage in (Stage.NODEADM_CONFIG, Stage.NODEADM_RUN)


def _merged(timeline: Timeline, runtime: Containerd) -> Iterator[ConfigFile]:
    """`spec.containerd.config` of each NodeConfig."""
    for write in timeline.of(Writes):
        if is_nodeadms(write) and write.path.known == runtime.config and write.content is not None:
            reading = toml_in(write.content, write.place, "the NodeConfig's containerd.config")
            yield ConfigFile("NodeConfig", Role.MERGED, reading, write)


def is_imported(file: ConfigFile, roots: list[ConfigFile]) -> bool | None:
    """Whether a root file that the boot writes reads this drop-in; None where there is none that says it."""
    told = [root for root in roots if not root.is_default and not root.reading.unknown]
    if not told:
        return None
    return any(is_imported_by(file, root, glob) for root in told for glob in root.imports)


def is_imported_by(file: ConfigFile, root: ConfigFile, glob: str) -> bool:
    return fnmatch.fnmatch(file.path, _beside(glob, root.path))
