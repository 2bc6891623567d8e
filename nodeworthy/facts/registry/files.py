"""What files of a node tell its runtimes of a registry, each by itself and beside the config that leads to it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.runtime import ready
from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.boot.written_text import json_of, toml_of
from nodeworthy.facts.node.files import NodeFiles, path_on
from nodeworthy.facts.node.paths import NO_HOST, NodeFileKind
from nodeworthy.facts.registry.config_path import KEY
from nodeworthy.facts.registry.docker_trust import content_flaw as docker_flaw
from nodeworthy.facts.registry.docker_trust import wrong_kind
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, HostsToml
from nodeworthy.facts.registry.k3s_lists import drafts_without_scheme
from nodeworthy.facts.registry.list_shape import shape_flaws
from nodeworthy.facts.registry.mirrors import content_flaws as registries_flaws
from nodeworthy.facts.registry.mirrors import read_list
from nodeworthy.facts.registry.trust import Trust, folders_of, host_of
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.records import replace
from nodeworthy.verdict import Draft, fail


def own_flaws(files: NodeFiles, runtime: Containerd | None, version: str | None) -> Iterator[Draft]:
    """What can't work, whatever the fleet says."""
    timeline = files.timeline_on(runtime)
    for file in hosts_files(timeline):
        flaw = file.own_flaw()
        if flaw is not None:
            yield flaw
        elif file.says_plain_http and files.has_config:
            yield from _looked_for_elsewhere(files, file, runtime, version)
    for each in files.of(NodeFileKind.DOCKER):
        reading = json_of(_write(timeline, each.spot.path))
        if reading.fault or wrong_kind(reading) is not None:
            yield from filter(None, [docker_flaw(reading, "")])
    for each in files.of(NodeFileKind.REGISTRIES):
        reading = read_list(each.content, each.place, each.spot.path)
        yield from shape_flaws(reading)
        yield from drafts_without_scheme(reading, ())


def hosts_files(timeline: Timeline) -> list[HostsToml]:
    named = [(each.path.shown().rsplit("/", 2)[1], each) for each in timeline.of(Writes) if _is_hosts(each)]
    return [_with_its_registry(HostsToml(host_of(folder), each)) for folder, each in named]


def cache_flaws(files: NodeFiles, pool: BootPool | None, host: str, mirrors: str | None) -> Iterator[Draft]:
    """What keeps a cache of the fleet from being trusted, in files that speak of it or are alone in their kind."""
    runtime = files.runtime(pool) or containerd_of("kubeadm")
    timeline = files.timeline_on(runtime)
    told = [each for each in hosts_files(timeline) if each.folder in (host, mirrors)]
    for file in told:
        # What is wrong with it whatever the fleet says is said by itself.
        flaw = (file.speaks_plainly(host) or file.asks_over_https(host)) if file.own_flaw() is None else None
        if flaw is not None:
            yield flaw
    if not told:
        yield from _misnamed(timeline, runtime, host, mirrors)
    for each in files.of(NodeFileKind.DOCKER):
        reading = json_of(_write(timeline, each.spot.path))
        flaw = docker_flaw(reading, host) if not reading.fault and wrong_kind(reading) is None else None
        if flaw is not None:
            yield flaw
    for each in files.of(NodeFileKind.REGISTRIES):
        yield from registries_flaws(each.content, each.place, path_on(each, runtime), host, mirrors)


def _is_hosts(write: Writes) -> bool:
    return write.path.shown().endswith("/hosts.toml")


def _write(timeline: Timeline, path: str) -> Writes:
    return next(each for each in timeline.of(Writes) if each.path.known == path)


def _with_its_registry(file: HostsToml) -> HostsToml:
    """The file with its registry; in a folder that names none, it is taken for the one that the file leads to."""
    if file.folder != NO_HOST:
        return file
    host = next((each.authority for each in file.endpoints if each.scheme == "http" and each.authority), file.folder)
    return replace(file, folder=host)


def _looked_for_elsewhere(
    files: NodeFiles, file: HostsToml, runtime: Containerd | None, version: str | None
) -> Iterator[Draft]:
    known, timeline = runtime or containerd_of("kubeadm"), files.timeline_on(runtime)
    if known.registries is not None:
        return
    for moment in ready(timeline):
        trust = Trust(timeline, moment, known, version, file.folder)
        if any(_may_be(each, file, is_laid_out=files.is_laid_out) for each in trust.path.folders or ()):
            return
        flaw = trust.looks_elsewhere() if trust.left.is_there else _in_another_folder(file, trust)
        if flaw is not None:
            yield _at_its_line(flaw, timeline)


def _may_be(folder: str, file: HostsToml, *, is_laid_out: bool) -> bool:
    """Where the node's root is nobody says, so a longer path may be meant; in no layout only the name is known."""
    own = file.write.path.shown().rsplit("/", 2)[0]
    return folder.rstrip("/").endswith(own if is_laid_out else own[own.rindex("/") :])


def _at_its_line(flaw: Draft, timeline: Timeline) -> Draft:
    """The flaw of a configuration at the line that sets the path."""
    readings = [toml_of(each) for each in timeline.of(Writes) if each.place == flaw.where and not _is_hosts(each)]
    return next((replace(flaw, where=each.line_of(KEY)) for each in readings), flaw)


def _in_another_folder(file: HostsToml, trust: Trust) -> Draft | None:
    """containerd looks where this file is not."""
    place = trust.path.place
    if not trust.path.folders or place is None:
        return None
    wanted = f"{trust.path.folders[0]}/{file.folder}/hosts.toml"
    says = f"the hosts.toml for {file.folder} lies where this containerd does not look"
    return fail(
        file.write.place,
        says,
        should=wanted,
        cause=BY_HTTPS,
        is_=file.write.path.shown(),
        remedy=f"write it to {wanted}",
    )


def _misnamed(timeline: Timeline, runtime: Containerd, host: str, mirrors: str | None) -> Iterator[Draft]:
    trust = Trust(timeline, ready(timeline)[0], runtime, None, host, mirrors)
    write = trust.misnamed
    if write is not None:
        wanted = f"{write.path.shown().rsplit('/', 2)[0]}/{folders_of(host)[-1]}/hosts.toml"
        says = f"the hosts.toml for {host} lies in a folder of another name"
        yield fail(
            write.place, says, should=wanted, cause=BY_HTTPS, is_=write.path.shown(), remedy=f"write it to {wanted}"
        )
