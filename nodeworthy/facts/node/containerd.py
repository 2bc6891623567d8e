"""What a containerd says of itself beside the dump of its files: while it runs, and where it does not start."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.node.units import UnitState
from nodeworthy.known.containerd import containerd_of, distributions, same_file
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

# What stands for a program of a runtime that can be run.
RUNS = ""
# What can only be meant as a drop-in, whatever is imported; what somebody has put aside (.bak, .rpmsave) is not.
DROP_IN_ENDINGS = (".toml", "", ".conf", ".cfg", ".tml")


@dataclass(frozen=True)
class SaidByContainerd:
    """None, or empty, is what a recording does not have because it was made before that was asked."""

    # Why the process has no CRI plugin, in its own words; None within where it has one.
    cri: Located[str | None] | None = None
    # The runtimes with which its CRI plugin started, by its log; None where that is not kept.
    started_with: tuple[str, ...] | None = None
    # Why its own program can't read its files, which ends the next start; None where it reads them.
    refuses: str | None = None
    # Its root file, what that imports, and what lies where drop-ins do.
    files: tuple[ConfigFile, ...] = ()
    # Of each runtime that names a program: which, and what is wrong with it.
    programs: Mapping[str, tuple[str, Located[str]]] | None = None


@dataclass(frozen=True)
class IdleContainerd:
    """A unit that is there to run a containerd, and does not."""

    place: Place
    unit: UnitState
    config: str
    # Where it would listen; None where its files can't be read.
    address: str | None
    version: str | None
    said: SaidByContainerd
    # The last word of its journal at this boot.
    last: str | None

    @property
    def has_tried(self) -> bool:
        """systemd has started it, and it has ended."""
        return self.unit.active == "failed" or self.unit.result not in ("", "success")

    def would_listen_on(self, path: str) -> bool:
        if self.address is not None:
            return same_file(self.address, path)
        rows = (containerd_of(each) for each in distributions())
        return any(
            self.unit.name == f"{unit}.service" and row.accepts_socket(path) for row in rows for unit in row.units
        )
