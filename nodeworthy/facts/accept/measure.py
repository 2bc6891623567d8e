"""One number, or one text, that a program measured, and the test whose programs all ran to their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar

from nodeworthy.known.acceptance import Limit, limit_of
from nodeworthy.known.gpus import gpu_named
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Scalar = str | int | float
# Those of which less is better.
_TIMES = ("_ms", "_s")
_GIB = 1 << 30
# Between a GPU's name and the profile of a slice of it, as the driver says both.
_SLICE_OF = " MIG "
_BY_NAME = {
    "copy_gbps": "copy",
    "h2d_gbps": "h2d",
    "d2h_gbps": "d2h",
    "nvlink_gbps": "nvlink",
    "write_gbps": "write",
    "read_gbps": "read",
    "network_gbps": "node",
    "download_gbps": "download",
}


@dataclass(frozen=True)
class Gpu:
    uuid: str
    name: str
    pci: str = ""

    @property
    def model(self) -> str:
        """The GPU's name in known/gpus.toml, else its own."""
        known = gpu_named(self.name)
        return known.name if known is not None else self.name

    @property
    def is_usual(self) -> bool:
        """Whether the table's figures are its own: they are those of SXM boards, where a model is sold as several."""
        return not any(form in self.name.upper() for form in ("PCIE", "NVL", "MIG"))

    @property
    def profile(self) -> str:
        """The profile of MIG as resources spell it (1g.10gb, 1g.10gb.me), where it is a slice of a GPU; else empty."""
        return self.name.partition(_SLICE_OF)[2].strip().replace("+", ".")

    @property
    def whole(self) -> str:
        """The name of the GPU of which it is a slice; its own, where it is none."""
        return self.name.partition(_SLICE_OF)[0]

    def __str__(self) -> str:
        return f"{self.uuid} ({self.pci})" if self.pci else self.uuid


@dataclass(frozen=True)
class Measure:
    test: str
    node: str
    rank: int
    name: str
    value: Scalar
    unit: str = ""
    gpu: Gpu | None = None
    # Under which circumstances: a batch, a payload, a round.
    at: tuple[tuple[str, Scalar], ...] = ()
    # Why the GPU ran slower than it can meanwhile, by its own words.
    throttle: tuple[str, ...] = ()

    @cached_property
    def where(self) -> dict[str, Scalar]:
        return dict(self.at)

    @property
    def number(self) -> float:
        return float(self.value) if isinstance(self.value, int | float) else float("nan")

    @property
    def is_time(self) -> bool:
        return self.name.endswith(_TIMES) and not self.name.endswith("_per_s")

    @property
    def series(self) -> str:
        """What it is one measurement of, whatever the round."""
        others = [f"{name}={value}" for name, value in self.at if name != "round"]
        return " ".join([self.name, *others])

    @property
    def key(self) -> str | None:
        """The name by which floors know it. None where floors have no name for it."""
        if self.name == "gemm_tflops":
            return f"gemm-{self.where.get('dtype', '?')}"
        if self.name == "busbw_gbps":
            return self._collective()
        if self.where.get("where") == "local":  # promised is what all nodes share
            return None
        return _BY_NAME.get(self.name)

    def _collective(self) -> str | None:
        """The key of a collective's floor. None for small payloads: what they show is latency."""
        size, ranks, nodes = (self.where.get(each) for each in ("bytes", "ranks", "nodes"))
        if not isinstance(size, int) or not isinstance(ranks, int) or not isinstance(nodes, int) or size < _GIB:
            return None
        return f"{self.where.get('op', '?')}-{ranks if nodes == 1 else f'{nodes}x{ranks // nodes}'}"

    def limit(self, instance: str) -> Limit | None:
        """What no GPU of this model can exceed; several GPUs may say more than one."""
        key = self.key
        return limit_of(key, instance, self.gpu.model if self.gpu else "") if key is not None else None


@dataclass(frozen=True)
class ProgramError:
    """A program's own last words: what kind of trouble, and the text that it had."""

    kind: str
    text: str
    node: str
    rank: int


@dataclass(frozen=True)
class Slices:
    """Parts of a node's GPUs, all of one profile of MIG. Each is asked for by itself: a process sees one."""

    profile: str
    count: int
    # As which the node offers them: nvidia.com/mig-1g.10gb, or as whole GPUs are where all are of one profile.
    resource: str


@dataclass(frozen=True)
class Shape:
    """What one node was asked to give, and what it is."""

    node: str
    gpu: str | None = None
    # Of whole GPUs.
    count: int | None = None
    instance: str = ""
    # By what somebody can tell switches and racks apart.
    rack: str = ""
    # What it has for work beside its GPUs; None where nobody said.
    cpus: float | None = None
    memory_gib: float | None = None
    slices: tuple[Slices, ...] = ()

    @property
    def has_whole_gpus(self) -> bool:
        """Whether the node has whole GPUs, also where nobody said how many: a node with slices says so."""
        return bool(self.count) or not self.slices


@dataclass(frozen=True)
class RanTest:
    """A test whose programs said all that they had to say: what they measured, and with what they ended."""

    called: ClassVar[str] = "a test that ran"

    place: Place
    test: str
    shapes: tuple[Shape, ...]
    measures: tuple[Measure, ...]
    errors: tuple[ProgramError, ...] = ()
    # Of how many processes it should have been.
    world: int = 1
    ranks: frozenset[int] = field(default_factory=frozenset)

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(each.node for each in self.shapes)

    @property
    def missing_ranks(self) -> list[int]:
        return sorted(set(range(self.world)) - self.ranks)

    def shape_of(self, node: str) -> Shape:
        return next((each for each in self.shapes if each.node == node), Shape(node))

    def of(self, *names: str) -> Iterator[Measure]:
        return (each for each in self.measures if each.name in names)

    def text(self, name: str, node: str = "") -> str:
        """What was said once, such as a version; empty where it was not."""
        found = (each for each in self.of(name) if not node or each.node == node)
        return str(next((each.value for each in found), ""))

    def error(self, *kinds: str) -> ProgramError | None:
        return next((each for each in self.errors if each.kind in kinds), None)


# What goes through a GPU's PCIe link, and takes longer where that is narrow.
BY_LINK = ("h2d_gbps", "d2h_gbps")


def narrow_links(measures: Iterable[Measure]) -> dict[Gpu, tuple[str, float, float]]:
    """The GPUs whose link is less than it can be. Of each: what of the link, how it is, and how it can be."""
    said = {(each.gpu, each.name): each.number for each in measures if each.name.startswith("link_")}
    found = {}
    for (gpu, name), value in said.items():
        can = said.get((gpu, f"{name}_max"), value)
        if gpu is not None and value < can:
            found[gpu] = (name, value, can)
    return found


def place_of(test: str, nodes: tuple[str, ...], about: str = "") -> Place:
    host = ", ".join(nodes) if len(nodes) <= 4 else f"{', '.join(nodes[:3])} and {len(nodes) - 3} more"
    return Place(host=host, subject=f"{test}: {about}" if about else test)
