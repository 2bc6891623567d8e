"""NVIDIA's device plugin, where a command applies the manifest that lies at an address."""

from __future__ import annotations

from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class PluginByAddress:
    place: Place
    address: str

    @property
    def part(self) -> Part:
        return Part.DEVICE_PLUGIN

    @property
    def title(self) -> str:
        return f"a command applies {self.address}"
