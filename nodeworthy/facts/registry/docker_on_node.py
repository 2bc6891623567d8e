"""A cache of the fleet as the Docker knows it that runs on a node."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from nodeworthy.facts.boot.flaw import Flaw
from nodeworthy.facts.node.registries import Docker, NodeRegistries
from nodeworthy.facts.registry.docker_settings import wrong_kind
from nodeworthy.facts.registry.docker_trust import CAUSE, FILE, KEY, content_flaw
from nodeworthy.facts.registry.name_resolution import without_port
from nodeworthy.verdict import Known, need


def docker_flaws(seen: NodeRegistries, host: str) -> Iterator[Flaw]:
    """What keeps it from pulling over plain HTTP; nothing where no Docker runs."""
    docker = seen.docker
    if docker is None or host in need(docker.trusts) or _is_in_a_range(seen, docker, host):
        return
    file = docker.file
    if file is None:
        remedy = f'write {{"{KEY}": ["{host}"]}} to {FILE}, and restart Docker'
        says = f"Docker is not told that {host} speaks plain HTTP"
        yield Flaw(docker.place, says, f"{host} among the {KEY} of {FILE}", CAUSE, "no daemon.json", remedy)
        return
    flaw = wrong_kind(file) or content_flaw(file, host)
    if flaw is not None:
        yield flaw
        return
    says = f"{FILE} names {host}, and the Docker that runs has not read it"
    yield Flaw(docker.place, says, f"{host} among its {KEY}", CAUSE, remedy="systemctl restart docker")


def _is_in_a_range(seen: NodeRegistries, docker: Docker, host: str) -> bool:
    """Whether the address that the name has here is in a range that it trusts: its own machine's always is."""
    found = seen.addresses.get(without_port(host))
    address = found.state.value if found is not None and isinstance(found.state, Known) else None
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
