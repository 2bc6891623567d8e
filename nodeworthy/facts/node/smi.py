"""What NVIDIA's driver says of its GPUs, by nvidia-smi -q."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class LostGpu:
    address: str
    says: str


@dataclass(frozen=True)
class SaidGpu:
    address: str
    # Of the fabric between NVSwitches; empty where it is of none.
    fabric_state: str = ""
    fabric_status: str = ""
    # Errors since the driver was loaded that ECC could not mend, by kind.
    uncorrectable: tuple[tuple[str, int], ...] = ()
    remap_pending: bool = False
    remap_failed: bool = False


@dataclass(frozen=True)
class NodeSmi:
    place: Place
    gpus: Located[tuple[SaidGpu, ...]]
    lost: tuple[LostGpu, ...] = ()
    # For how many seconds fabric manager has run; None where that is not known.
    fabric_age: int | None = None


def same_gpu(one: str, other: str) -> bool:
    """00000000:CA:00.0 is 0000:ca:00.0, and 0000:ca:00 in the kernel's log."""
    return _short(one) == _short(other)


def _short(address: str) -> str:
    domain, _, rest = address.lower().strip().partition(":")
    return f"{domain[-4:]}:{rest.partition('.')[0]}"
