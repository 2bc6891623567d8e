"""What a node is told of registries, and the caches of its fleet as it knows them: by trust, and by name."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.boot.content import Content
from nodeworthy.facts.boot.written_text import Reading
from nodeworthy.facts.node.containerd import lost_config_path
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, RuntimeProcess
from nodeworthy.facts.registry.docker_trust import FILE, KEY, NOT_TOLD, content_flaw, wrong_kind
from nodeworthy.facts.registry.hosts_file import without_port
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, NAME, HostsToml
from nodeworthy.facts.registry.mirrors import NO_MIRROR, content_flaws
from nodeworthy.facts.registry.trust import folders_of
from nodeworthy.fleet.model import Registry
from nodeworthy.known.containerd import registries as known_registries
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import (
    Draft,
    Findings,
    Located,
    Place,
    Related,
    ToGive,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)


@dataclass(frozen=True)
class Docker:
    """A Docker that runs on the node."""

    place: Place
    # What it says itself: the registries that it trusts without TLS, by name, and every range of addresses.
    trusts: Located[frozenset[str]]
    # Its daemon.json as it is now; None where there is none.
    file: Reading | None


@dataclass(frozen=True)
class NodeRegistries:
    called: ClassVar[str] = "what a node is told of registries"

    place: Place
    # By the folder that holds them all, then by the one that they lie in: a registry's name, or _default.
    files: Mapping[str, Mapping[str, HostsToml]]
    # By name, without a port; None where the node has no address for it.
    addresses: Mapping[str, Located[str | None]]
    # registries.yaml of k3s and RKE2, by path.
    lists: Mapping[str, Located[Content]]
    # None where none runs.
    docker: Docker | None
    # Whether anybody asked for the lists and for Docker.
    is_all: bool

    def file_for(self, folders: Sequence[str], *names: str) -> HostsToml | None:
        """The first in these folders: of the registry, of the one that it mirrors, else of all."""
        wanted = (*names, "_default")
        found = (self.files.get(folder.rstrip("/"), {}).get(name) for name in wanted for folder in folders)
        return next((each for each in found if each is not None), None)

    def names_in(self, folders: Sequence[str]) -> str:
        return ", ".join(name for folder in folders for name in self.files.get(folder.rstrip("/"), {}))


def _docker_flaws(seen: NodeRegistries, host: str) -> Iterator[Draft]:
    """What keeps it from pulling over plain HTTP; nothing where no Docker runs."""
    docker = seen.docker
    if docker is None or host in need(docker.trusts) or _is_in_a_range(seen, docker, host):
        return
    file = docker.file
    if file is None:
        remedy = f'write {{"{KEY}": ["{host}"]}} to {FILE}, and restart Docker'
        says = f"Docker is not told that {host} speaks plain HTTP"
        yield fail(
            docker.place,
            says,
            should=f"{host} among the {KEY} of {FILE}",
            cause=NOT_TOLD,
            is_="no daemon.json",
            remedy=remedy,
        )
        return
    flaw = wrong_kind(file) or content_flaw(file, host)
    if flaw is not None:
        yield flaw
        return
    says = f"{FILE} names {host}, and the Docker that runs has not read it"
    yield fail(docker.place, says, should=f"{host} among its {KEY}", cause=NOT_TOLD, remedy="systemctl restart docker")


def _is_in_a_range(seen: NodeRegistries, docker: Docker, host: str) -> bool:
    """Whether the address that the name has here is in a range that it trusts: its own machine's always is."""
    found = seen.addresses.get(without_port(host))
    address = value_if_known(found)
    try:
        ip = ipaddress.ip_address(address or without_port(host))
    except ValueError:
        return False
    ranges = (each for each in need(docker.trusts) if "/" in each and ":" not in each)
    return any(ip in ipaddress.ip_network(each, strict=False) for each in ranges if _is_a_range(each))


def _is_a_range(written: str) -> bool:
    try:
        ipaddress.ip_network(written, strict=False)
    except ValueError:
        return False
    return True


def trust_of(seen: NodeRegistries, runtimes: NodeRuntimes, identity: NodeIdentity) -> Findings:
    """Every cache that speaks plain HTTP is told to containerd, where it looks, and to Docker, where that runs."""
    caches = _caches(seen, identity)
    plain = [each for each in caches if each.plain_http]
    if not plain:
        skip("the fleet has no registry that speaks plain HTTP")
    # It reads config_path when it starts, and never again.
    used = runtimes.kubelets_containerd()
    used.only_as_it_read_them()
    for cache in plain:
        host = need(cache.host)
        says = Related(cache.host.place, "the fleet says that every node must trust it")
        for flaw in (*_of_containerd(used, seen, cache, host, _list(identity)), *_docker_flaws(seen, host)):
            yield flaw.with_more(related=(says,))


def _of_containerd(
    used: RuntimeProcess, seen: NodeRegistries, cache: Registry, host: str, path: str | None
) -> Iterator[Draft]:
    # What it goes by where an image is named after the cache itself.
    file = seen.file_for(need(used.registry_folders), *folders_of(host))
    flaw = file.speaks_plainly(host) if file is not None else None
    yield from _as_a_mirror(used, seen, cache, host)
    if file is not None and flaw is None:
        return
    if path is not None:
        yield from _of_a_list(seen, path, host, cache.mirrors)
    elif flaw is not None:
        yield flaw
    else:
        yield _not_told(used, seen, cache, host)


def _as_a_mirror(used: RuntimeProcess, seen: NodeRegistries, cache: Registry, host: str) -> Iterator[Draft]:
    """What it goes by for images of the registry that the cache mirrors: by TLS it goes past the cache."""
    folders = need(used.registry_folders)
    named = folders_of(cache.mirrors) if cache.mirrors else ()
    found = (seen.files.get(folder.rstrip("/"), {}).get(name) for name in named for folder in folders)
    file = next((each for each in found if each is not None), None)
    flaw = file.asks_over_https(host) if file is not None and not file.reading.unknown else None
    if flaw is not None:
        yield flaw


def _file(used: RuntimeProcess, seen: NodeRegistries, cache: Registry, host: str) -> HostsToml | None:
    names = [*folders_of(host), *(folders_of(cache.mirrors) if cache.mirrors else ())]
    return seen.file_for(need(used.registry_folders), *names)


def _not_told(used: RuntimeProcess, seen: NodeRegistries, cache: Registry, host: str) -> Draft:
    folders = need(used.registry_folders)
    lost = lost_config_path(used) if not folders else None
    if lost is not None:
        skip(f"config_path is set in {lost.path}, which containerd does not read so: containerd-config-read says why")
    as_mirror = bool(folders) and _file(used, seen, cache, host) is not None
    return fail(
        seen.place.about(host),
        f"containerd is told of {host} for images of {cache.mirrors} alone, and not by its own name"
        if as_mirror
        else f"containerd is not told of {host}",
        should=f"{(folders or known_registries().hosts)[0]}/{host}/{NAME}, with http://, and config_path set",
        cause=BY_HTTPS,
        is_=seen.names_in(folders) or (f"no {NAME} in {folders[0]}" if folders else "no config_path"),
    )


def _of_a_list(seen: NodeRegistries, path: str, host: str, mirrors: str | None) -> Iterator[Draft]:
    """k3s and RKE2 make containerd's files out of their list whenever they start."""
    wanted = f'mirrors: {{"{host}": {{endpoint: ["http://{host}"]}}}} in {path}'
    remedy = f"write {path}, and restart k3s or RKE2"
    written = seen.lists.get(path)
    if written is None:
        says = f"nothing tells containerd of {host}"
        yield fail(seen.place.about(path), says, should=wanted, cause=NO_MIRROR, is_="no such file", remedy=remedy)
        return
    flaws = list(content_flaws(need(written), written.place, path, host, mirrors))
    for flaw in flaws:
        yield replace(flaw, remedy=f"{flaw.remedy}, and restart k3s or RKE2" if flaw.remedy else remedy)
    if flaws:
        return
    says = f"{path} names {host}, and containerd's own files were made before it did"
    yield fail(
        written.place, says, should="made of it", cause=NO_MIRROR, remedy="restart k3s or RKE2, which makes them anew"
    )


def names_of(seen: NodeRegistries, runtimes: NodeRuntimes, identity: NodeIdentity, cause: str) -> Findings:
    """Every address that containerd is sent to for them is one that this node can resolve."""
    asked = False
    for cache in _caches(seen, identity):
        host = need(cache.host)
        file = _file(runtimes.kubelets_containerd(), seen, cache, host)
        leads = [each.authority for each in file.endpoints if each.serves("pull")][:1] if file is not None else []
        for name in map(without_port, leads):
            asked = True
            address = seen.addresses.get(name)
            if address is None:
                yield unknown(seen, f"whether {name} has an address on this node was not asked")
            elif need(address) is None:
                yield fail(
                    address,
                    f"{name} has no address on this node",
                    is_="not found",
                    should="an address of the cache",
                    related=[Related(cache.host.place, "the fleet says that every node pulls from it")],
                    cause=cause,
                )
    if not asked:
        skip("containerd is told of none of the fleet's registries: registry-trusted judges that")


def _list(identity: NodeIdentity) -> str | None:
    """The file that k3s and RKE2 are told of registries in; None for others."""
    pool = identity.known_pool
    runtime = value_if_known(pool.runtime) if pool is not None else None
    return runtime.registries if runtime is not None else None


def _caches(seen: NodeRegistries, identity: NodeIdentity) -> tuple[Registry, ...]:
    if identity.fleet is None or not identity.fleet.registries:
        skip("no fleet with registries was given")
    need(identity.pool)
    if not seen.is_all and (_list(identity) is not None or seen.docker is not None):
        what = _list(identity) or "what Docker is told of registries"
        skip(ToGive(f"this recording was made before {what} was read", "record the node anew"))
    return identity.fleet.registries
