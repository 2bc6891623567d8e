"""What the work was given: the GPUs that it asked for, the fabric, processes that feed it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.accept.measure import Gpu, Measure, ProgramError, RanTest, Shape, place_of
from nodeworthy.known.acceptance import ALLOCATION, AS_ASKED
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class SeenGpus:
    """The GPUs that a job found on a node, beside those that it asked for."""

    called: ClassVar[str] = "the GPUs that a job was given"

    place: Place
    test: str
    nodes: tuple[str, ...]
    asked: Shape
    gpus: tuple[Gpu, ...]


@derive
def seen_gpus(run: RanTest) -> Iterator[SeenGpus]:
    if run.test != AS_ASKED:
        return
    for shape in run.shapes:
        there = {each.gpu.uuid: each.gpu for each in run.measures if each.gpu is not None and each.node == shape.node}
        place = place_of(run.test, (shape.node,))
        yield SeenGpus(place, run.test, (shape.node,), shape, tuple(there.values()))


@dataclass(frozen=True)
class Transport:
    """What the ranks communicated over, and what the node offers for it."""

    called: ClassVar[str] = "what collectives went by"

    place: Place
    test: str
    nodes: tuple[str, ...]
    # As NCCL names it: NET/Libfabric, NET/IB, NET/Socket. Empty where it did not say.
    seen: str
    # efa, infiniband, none; empty where nobody looked.
    fabric: str


@derive
def transports(run: RanTest) -> Iterator[Transport]:
    for node in run.nodes:
        seen, fabric = run.text("transport", node), run.text("fabric", node)
        if seen or fabric:
            yield Transport(place_of(run.test, (node,), "transport"), run.test, (node,), seen, fabric)


@dataclass(frozen=True)
class Asking:
    """One request for GPUs, and what came of it."""

    wanted: str
    count: float
    uuids: tuple[str, ...]
    # Seconds from the end of the work until its GPUs were free; None where nobody saw that they were.
    freed: float | None
    # From when to when it held them, by its node's clock: where it was made beside another.
    span: tuple[float, float] | None = None
    # Of MIG, where slices were asked for; and what came that is none of them.
    profile: str = ""
    others: tuple[str, ...] = ()
    # Whether another candidate for the same work began before it: then it had to go.
    has_lost: bool = False

    def is_beside(self, other: Asking) -> bool:
        """Whether both held GPUs at one time."""
        mine, its = self.span, other.span
        return mine is not None and its is not None and mine[0] < its[1] and its[0] < mine[1]


@dataclass(frozen=True)
class Allocation:
    called: ClassVar[str] = "what the scheduler gave"

    place: Place
    test: str
    nodes: tuple[str, ...]
    askings: tuple[Asking, ...]


@derive
def allocations(run: RanTest) -> Iterator[Allocation]:
    if run.test == ALLOCATION:
        asked = {_want(each): each.number for each in run.of("asked")}
        askings = [_asking(run, *each) for each in asked.items()]
        askings += [_lost(run, _want(each)) for each in run.of("lost")]
        yield Allocation(run.place, run.test, run.nodes, tuple(askings))


def _want(measure: Measure) -> str:
    return str(measure.where.get("want"))


def _lost(run: RanTest, want: str) -> Asking:
    gone = next((each.number for each in run.of("gone_s") if _want(each) == want), None)
    return Asking(want, 0, (), gone, has_lost=True)


def _asking(run: RanTest, want: str, count: float) -> Asking:
    own = [each for each in run.measures if _want(each) == want]
    numbers = {each.name: each.number for each in own}
    came = [uuid for each in own if each.name == "uuids" for uuid in str(each.value).split(",") if uuid]
    gpus = [each.gpu for each in own if each.name == "came" and each.gpu is not None]
    came += [each.uuid for each in gpus]
    span = (numbers["held_from"], numbers["held_to"]) if {"held_from", "held_to"} <= numbers.keys() else None
    profile = str(next((each.where["profile"] for each in own if "profile" in each.where), ""))
    others = tuple(dict.fromkeys(each.name for each in gpus if each.profile != profile))
    return Asking(want, count, tuple(came), numbers.get("freed_s"), span, profile, others)


@dataclass(frozen=True)
class Loading:
    """How fast workers hand data over, by how many they are."""

    called: ClassVar[str] = "how data is loaded"

    place: Place
    test: str
    nodes: tuple[str, ...]
    by_workers: dict[int, float]
    cpus: float | None
    threads: str
    is_sum_right: bool | None
    error: ProgramError | None


@derive
def loadings(run: RanTest) -> Iterator[Loading]:
    if run.test != "data-loading":
        return
    rates = {int(each.where.get("workers", 0)): each.number for each in run.of("items_per_s")}
    sums = [each.value for each in run.of("sum_right")]
    cpus = next((each.number for each in run.of("cpus")), None)
    right = all(each == 1 for each in sums) if sums else None
    error = run.error("worker-died", "shared-memory")
    yield Loading(run.place, run.test, run.nodes, rates, cpus, run.text("omp_num_threads"), right, error)
