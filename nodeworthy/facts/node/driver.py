"""NVIDIA's kernel module as a node has it loaded, and what modprobe is told of it."""

from __future__ import annotations

from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, skip


@dataclass(frozen=True)
class OptionLine:
    """A line of a file of modprobe, or an option of the kernel's command line."""

    place: Place
    path: str
    text: str

    def related(self) -> Related:
        return Related(self.place, f"{self.path} has: {self.text}")


@dataclass(frozen=True)
class NodeDriver:
    place: Place
    is_loaded: Located[bool]
    version: Located[str]
    # RmProfilingAdminOnly, as the loaded module has it.
    admin_only: Located[str]
    options: tuple[OptionLine, ...]
    # Why what modprobe is told was not read; None where it was.
    options_unread: str | None
    # Fabric manager's unit, and its version.
    fabric_unit: NodeUnits | None
    fabric_version: Located[str]
    # The cgroups of one that runs outside of its unit, as the operator's container brings it.
    fabric_in: tuple[str, ...] = ()

    def only_loaded(self) -> None:
        """Skips where it is not loaded: that is told once, by the count of GPUs that it has."""
        if self.is_loaded.state == Known(False):
            skip("the nvidia module is not loaded, which gpu-count-complete judges")
