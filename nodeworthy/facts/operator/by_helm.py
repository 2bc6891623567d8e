"""The GPU operator as a script installs it with helm, and the machine that the script makes a cluster of."""

from __future__ import annotations

import posixpath
from typing import ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class OperatorByHelm:
    called: ClassVar[str] = "a GPU operator that a script installs with helm"

    # What the command and its values files say; where a variable may say more, that is `elsewhere`.
    values: OperatorValues
    # What the script itself makes of this machine; None where it shows none, or more than one.
    runtime: Containerd | None
    # Where it shows that.
    shown_at: Place

    @property
    def place(self) -> Place:
        return self.values.place

    @property
    def machine(self) -> GpuPool | None:
        """The nodes of the cluster that the script makes stand for a pool of a fleet."""
        if self.runtime is None:
            return None
        at, script = self.shown_at, posixpath.basename(self.place.file) or "this script"
        distribution, runtime = Located.known(self.runtime.distribution, at), Located.known(self.runtime, at)
        return GpuPool(script, at, distribution, runtime, noun="the node made by script")

    @property
    def speaks(self) -> bool:
        """Whether there is anything to judge it by, or anything that it says."""
        return self.runtime is not None or bool(self.values.toolkit.variables)
