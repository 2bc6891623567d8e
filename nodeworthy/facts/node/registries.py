"""What a node's runtimes are told of registries, and which of their names have an address on the node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.boot.content import Content
from nodeworthy.facts.boot.written_text import Reading
from nodeworthy.facts.registry.hosts_toml import HostsToml
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


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
