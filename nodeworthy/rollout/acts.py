"""The acts of a rollout, one thing at a time. Doing one that is done already changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Suspend:
    process: str

    @property
    def told(self) -> str:
        return f"suspend {self.process} of the group"


@dataclass(frozen=True)
class Resume:
    process: str

    @property
    def told(self) -> str:
        return f"resume {self.process} of the group"


@dataclass(frozen=True)
class Resize:
    desired: int
    largest: int

    @property
    def told(self) -> str:
        return f"set the group's size to {self.desired}, at most {self.largest}"


@dataclass(frozen=True)
class Bound:
    """The group's largest size alone."""

    largest: int

    @property
    def told(self) -> str:
        return f"set the group's largest size to {self.largest}"


@dataclass(frozen=True)
class Pin:
    version: str

    @property
    def told(self) -> str:
        return f"set the group's launch template to version {self.version}"


@dataclass(frozen=True)
class Cordon:
    node: str

    @property
    def told(self) -> str:
        return f"cordon {self.node}"


@dataclass(frozen=True)
class Uncordon:
    node: str

    @property
    def told(self) -> str:
        return f"uncordon {self.node}"


@dataclass(frozen=True)
class Evict:
    namespace: str
    pod: str
    uid: str
    node: str

    @property
    def told(self) -> str:
        return f"evict {self.namespace}/{self.pod} from {self.node}"


@dataclass(frozen=True)
class Protect:
    machine: str

    @property
    def told(self) -> str:
        return f"protect {self.machine} from scale-in, as its forerunner was"


@dataclass(frozen=True)
class Terminate:
    machine: str
    # Whether the group gets smaller by it; else it starts a successor.
    shrinks: bool

    @property
    def told(self) -> str:
        return f"terminate {self.machine}" + (", and let the group get smaller by it" if self.shrinks else "")


@dataclass(frozen=True)
class Shield:
    """Keeps machines from an instance refresh until it is their turn: it waits for those that are protected."""

    machines: tuple[str, ...]

    @property
    def told(self) -> str:
        return f"protect {', '.join(self.machines)} from the instance refresh until it is their turn"


@dataclass(frozen=True)
class Unshield:
    machines: tuple[str, ...]

    @property
    def told(self) -> str:
        return f"take off the protection that this rollout gave {', '.join(self.machines)}"


@dataclass(frozen=True)
class HandToRefresh:
    """Hands an empty machine to the instance refresh, which ends it and starts its successor."""

    machine: str

    @property
    def told(self) -> str:
        return f"let the instance refresh replace {self.machine}"


@dataclass(frozen=True)
class StartRefresh:
    version: str
    least_healthy: int
    rolls_back: bool

    @property
    def told(self) -> str:
        return f"start an instance refresh to version {self.version} of the launch template"


@dataclass(frozen=True)
class CancelRefresh:
    refresh: str

    @property
    def told(self) -> str:
        return f"cancel the instance refresh {self.refresh}"


@dataclass(frozen=True)
class Complete:
    """Lets a machine go that waits at hooks which nobody else completes; it is empty."""

    machine: str

    @property
    def told(self) -> str:
        return f"complete the hooks at which {self.machine} waits: nobody else does"


@dataclass(frozen=True)
class Label:
    """Sets again on the successor what people had set by hand."""

    node: str
    kept: Mapping[str, Mapping[str, str]]

    @property
    def told(self) -> str:
        named = [name for each in self.kept.values() for name in each]
        return f"set again on {self.node} what was set by hand: {', '.join(named)}"


@dataclass(frozen=True)
class Taint:
    """Keeps work off a node that is not proven."""

    node: str

    @property
    def told(self) -> str:
        return f"taint {self.node} until it is proven"


@dataclass(frozen=True)
class Prove:
    node: str

    @property
    def told(self) -> str:
        return f"look at {self.node} by the node suite"


@dataclass(frozen=True)
class Accept:
    node: str
    level: str

    @property
    def told(self) -> str:
        return f"let {self.node} prove itself by work ({self.level})"


@dataclass(frozen=True)
class Welcome:
    node: str

    @property
    def told(self) -> str:
        return f"take the taint off {self.node}"


Act = (
    Suspend
    | Resume
    | Resize
    | Bound
    | Pin
    | Cordon
    | Uncordon
    | Evict
    | Protect
    | Terminate
    | Shield
    | Unshield
    | HandToRefresh
    | StartRefresh
    | CancelRefresh
    | Complete
    | Label
    | Taint
    | Prove
    | Accept
    | Welcome
)


@dataclass(frozen=True)
class Outcome:
    """How an act went: done, or not and why. `later`: the world may let it be done in a while."""

    is_done: bool = True
    why: str = ""
    later: bool = False


DONE = Outcome()
