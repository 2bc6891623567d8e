"""What a node's containerds are told of registries, and which of their names have an address on the node."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.facts.registry.hosts_toml import HostsToml
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class NodeRegistries:
    place: Place
    # By the folder that they lie in: a registry's name, or _default.
    files: Mapping[str, HostsToml]
    # By name, without a port; None where the node has no address for it.
    addresses: Mapping[str, Located[str | None]]

    def file_for(self, *names: str) -> HostsToml | None:
        """The first that is there: of the registry, of the one that it mirrors, else of all."""
        return next((self.files[each] for each in (*names, "_default") if each in self.files), None)
