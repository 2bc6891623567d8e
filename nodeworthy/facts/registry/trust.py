"""What a boot tells containerd of one registry: its hosts.toml, where containerd looks for it, and since when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.boot.conditions import always
from nodeworthy.boot.effects import Effect, How, PullsImage, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import FileLeft, file_left_by
from nodeworthy.facts.boot.runtime import Ready, restarts, runs_already
from nodeworthy.facts.boot.written_text import toml_in, toml_of
from nodeworthy.facts.registry.config_path import ConfigPath, config_path, configs, registry_tables
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, NAME, HostsToml
from nodeworthy.known.containerd import Containerd, registries
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Related, fail, unknown

UNIT = "containerd.service"
PACKAGES = ("containerd", "containerd.io")


@dataclass(frozen=True)
class Trust:
    """What is told of a registry before one moment at which images are pulled."""

    timeline: Timeline
    ready: Ready
    runtime: Containerd
    version: str | None
    host: str
    # The registry that this one is a cache of, if the fleet says so.
    mirrors: str | None = None

    @cached_property
    def path(self) -> ConfigPath:
        merged = [each for each in self.timeline.of(Writes) if each.stage is Stage.NODEADM_RUN]
        return config_path([*self.ready.before, *merged], self.runtime, self.version, self.ready.when)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Where hosts.toml may lie: what containerd is told, else where it usually is."""
        return self.path.folders or self.usual

    @property
    def usual(self) -> tuple[str, ...]:
        return self.runtime.registry_hosts or registries().hosts

    @cached_property
    def left(self) -> FileLeft:
        """The hosts.toml that containerd reads for this registry, as the moment finds it."""
        tried = [self._left(self.ready.before, folder, name) for folder in self.folders for name in self._names]
        return next((each for each in tried if each.is_there), None) or _likeliest(tried)

    def left_at_the_end(self) -> FileLeft:
        tried = [self._left(self.timeline.effects, folder, name) for folder in self.folders for name in self._names]
        return next((each for each in tried if each.is_there), None) or _likeliest(tried)

    @property
    def _names(self) -> tuple[str, ...]:
        return (*folders_of(self.host), "_default")

    @cached_property
    def as_mirror(self) -> Sequence[HostsToml]:
        """What it is told of this one as a mirror: for images that are named after the other."""
        names = folders_of(self.mirrors) if self.mirrors else ()
        tried = (self._left(self.ready.before, folder, name) for folder in self.folders for name in names)
        left = next((each for each in tried if each.is_there), None)
        written = [each for each in left.last if each.how is not How.DELETE] if left is not None else []
        return [HostsToml(_folder(each), each) for each in written]

    def _left(self, effects: Sequence[Effect], folder: str, name: str) -> FileLeft:
        return file_left_by(effects, f"{folder}/{name}/{NAME}", self.ready.when)

    def files(self) -> list[HostsToml]:
        return [HostsToml(_folder(each), each) for each in self.left.last if each.how is not How.DELETE]

    @cached_property
    def misnamed(self) -> Writes | None:
        """A hosts.toml in a folder that is almost the registry's name."""
        name, _, port = self.host.partition(":")
        for each in self.timeline.of(Writes):
            folder = _folder(each)
            is_one = each.path.shown().endswith(f"/{NAME}") and folder not in folders_of(self.host)
            if is_one and (folder or "?") in _near(name, port):
                return each
        return None

    @property
    def is_an_old_mirror(self) -> bool:
        """Whether the config itself sends containerd to it over HTTP, as one did before there was a hosts.toml."""
        written = (each for each in self.ready.before if isinstance(each, Writes) and each.path.known in self._configs)
        return any(self._mirrors(each) for each in written)

    @property
    def _configs(self) -> tuple[str, ...]:
        return configs(self.runtime)

    def _mirrors(self, write: Writes) -> bool:
        added = write.content if write.how is How.APPEND and write.whole is None else None
        reading = toml_of(write) if added is None else toml_in(added, write.place, write.path.shown())
        for registry in registry_tables(reading.mapping):
            mirrors = registry.get("mirrors")
            rows = [mirrors.get(name) for name in (self.host, "*")] if isinstance(mirrors, dict) else []
            urls = [str(url) for row in rows if isinstance(row, dict) for url in row.get("endpoint", ())]
            if any(url.startswith("http://") for url in urls):
                return True
        return False

    def looks_elsewhere(self) -> Draft | None:
        """Why containerd does not read the hosts.toml that is there."""
        write, path = self.left.last[0], self.path
        folder = write.path.shown().rsplit("/", 2)[0]
        if path.folders is None:
            return unknown(
                path.place or write.place, f"whether containerd looks into {folder} is not known: {path.why}"
            )
        if folder in path.folders:
            return None
        says = f"containerd does not look into {folder}: {path.why}"
        remedy = f'set config_path = "{folder}" in {self.runtime.config} and restart containerd, before the node joins'
        is_ = ":".join(path.folders) or "not set"
        related = (Related(write.place, f"the hosts.toml for {self.host}"),) if path.place is not None else ()
        return fail(
            path.place or write.place,
            says,
            should=f'config_path = "{folder}"',
            cause=BY_HTTPS,
            is_=is_,
            remedy=remedy,
            related=related,
        )

    def not_read(self) -> Iterator[Draft]:
        """Why containerd does not go by the hosts.toml that is there when images are pulled."""
        elsewhere = self.looks_elsewhere()
        stale = self.not_restarted() if elsewhere is None else None
        if elsewhere is not None:
            yield elsewhere
        if stale is None:
            return
        step, idle = stale
        says = "config_path is set, and containerd is not restarted before the node joins"
        if idle is not None:
            says = "config_path is set while containerd runs, and to start it then does nothing"
        related = (Related(idle.place, "this does nothing: it runs"),) if idle is not None else ()
        file = Related(self.left.last[0].place, f"the hosts.toml for {self.host}")
        remedy = "systemctl restart containerd behind this line"
        yield fail(
            step.place, says, should="a restart behind it", cause=BY_HTTPS, remedy=remedy, related=(*related, file)
        )

    def first_pull(self) -> PullsImage | None:
        """An image that the script itself pulls from this registry before containerd knows it."""
        made = self.left.last[-1] if self.left.last else None
        for each in self.timeline.of(PullsImage):
            asked = each.tool in ("crictl", "nerdctl", "kubeadm")
            if asked and each.image.shown().startswith(f"{self.host}/"):
                return each if made is None or self.timeline.precedes(each, made) else None
        return None

    def not_restarted(self) -> tuple[Writes, Effect | None] | None:
        """The step whose config_path containerd has not read when images are pulled, and a start that did nothing."""
        step = self.path.step
        by_nodeadm = step is not None and step.stage is Stage.NODEADM_RUN
        if step is None or by_nodeadm or not self.path.folders or self._copied_by_joining(step):
            return None
        before, behind = self.timeline.before(step), self._behind(step)
        unit = f"{self.runtime.units[0]}.service" if self.runtime.units else UNIT
        anew = restarts(behind, unit, PACKAGES, self.ready.when)
        runs = runs_already(before, unit, PACKAGES)
        idle = [each for each in anew if runs is not None and isinstance(each, Unit) and each.act.value == "start"]
        reading = [each for each in anew if each not in idle]
        if reading and always([each.conditions for each in reading], self.ready.when) is not False:
            return None
        return step, idle[0] if idle else None

    def _behind(self, step: Effect) -> Sequence[Effect]:
        index = next(i for i, each in enumerate(self.ready.before) if each is step)
        return self.ready.before[index + 1 :]

    def _copied_by_joining(self, step: Writes) -> bool:
        return step.path.known is not None and step.path.known == self.runtime.written_from


def folders_of(host: str) -> tuple[str, ...]:
    """The folders in which containerd looks for one registry, in their order: without a colon first."""
    name, colon, port = host.rpartition(":")
    return (f"{name}_{port}_", host) if name and colon else (host,)


def host_of(folder: str) -> str:
    """The registry that such a folder is for."""
    found = re.fullmatch(r"(?P<name>.+)_(?P<port>\d+)_", folder)
    return f"{found['name']}:{found['port']}" if found is not None else folder


def _folder(write: Writes) -> str:
    parts = write.path.shown().rsplit("/", 2)
    return parts[1] if len(parts) == 3 else ""


def _near(name: str, port: str) -> tuple[str, ...]:
    return (name, f"{name}_{port}", f"{name}-{port}", f"{name}:{port}:", f"http://{name}:{port}")


def _likeliest(tried: Sequence[FileLeft]) -> FileLeft:
    return next((each for each in tried if each.last or each.maybe), tried[0])
