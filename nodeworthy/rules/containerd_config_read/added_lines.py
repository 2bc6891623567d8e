"""Lines that a boot adds at the end of a containerd config of which only they are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left
from nodeworthy.facts.boot.written_text import toml_in
from nodeworthy.facts.containerd.config import ConfigFile, Makers, Role, is_nodeadms
from nodeworthy.facts.registry.config_path import configs, is_default_config
from nodeworthy.known.containerd import Containerd, containerd_of


def added_lines(timeline: Timeline, runtime: Containerd | None) -> Iterator[ConfigFile]:
    makers = {path: Makers(timeline, path) for path in configs(runtime or containerd_of("kubeadm"))}
    for write in timeline.of(Writes):
        content = write.content if write.how is How.APPEND and write.whole is None else None
        path = write.path.known or ""
        if content is None or path not in makers or is_nodeadms(write):
            continue
        above = file_left(timeline, path, write.conditions, until=write).last
        role = Role.BEHIND_DEFAULT if _is_default(list(makers[path].of(above))) else Role.BEHIND_OTHERS
        yield ConfigFile(path, role, toml_in(content, write.place, write.path.shown()), write)


def _is_default(above: Sequence[Writes]) -> bool:
    """Whether what stands above them is what `containerd config default` prints, edited or not."""
    return bool(above) and all(map(is_default_config, above))
