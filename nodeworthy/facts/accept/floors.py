"""How fast is fast enough: the fleet's own baseline, else the floor that the fleet names, else the table's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.accept.baseline import Baseline, Learnt, is_speed, key_of, major
from nodeworthy.facts.accept.measure import Measure, RanTest, place_of
from nodeworthy.known.acceptance import Provenance, table_floors
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Severity, Unknown


@dataclass(frozen=True)
class FleetFloors:
    """What the fleet's `accept:` names, by GPU and key; under the empty name what holds for all."""

    called: ClassVar[str] = "the fleet's floors"

    place: Place
    rows: Mapping[tuple[str, str], tuple[float, Place]]


@dataclass(frozen=True)
class Floor:
    # Of a time, the most that it may take.
    value: float
    source: str
    place: Place | None = None
    severity: Severity = Severity.ERROR


@dataclass(frozen=True)
class Speed:
    """One series of measurements of one GPU (or process): its best round, and what it is judged by."""

    measure: Measure
    rounds: tuple[float, ...]
    floor: Floor | Unknown

    @property
    def best(self) -> float:
        return min(self.rounds) if self.measure.is_time else max(self.rounds)

    @property
    def in_words(self) -> str:
        return f"{self.best:g} {self.measure.unit}, the best of {len(self.rounds)}"

    @property
    def is_short(self) -> bool:
        if isinstance(self.floor, Unknown):
            return False
        return self.best > self.floor.value if self.measure.is_time else self.best < self.floor.value


@dataclass(frozen=True)
class Floors:
    baseline: Baseline | None
    declared: FleetFloors | None

    def of(self, measure: Measure, run: RanTest) -> Floor | Unknown:
        return self._learnt(measure, run) or self._named(measure, run) or self._tabled(measure, run) or _nobody(measure)

    def usual(self, measure: Measure, run: RanTest) -> Learnt | None:
        """What this fleet measured of it when it was well, where the two can be compared."""
        learnt = self.baseline.of(key_of(measure, run)) if self.baseline is not None else None
        here = major(run.text("driver", measure.node)), run.text("torch", measure.node)
        return learnt if learnt is not None and here == (learnt.driver, learnt.torch) else None

    def _learnt(self, measure: Measure, run: RanTest) -> Floor | Unknown | None:
        if self.baseline is None:
            return None
        learnt = self.baseline.of(key_of(measure, run))
        if learnt is None:
            return None
        here = major(run.text("driver", measure.node)), run.text("torch", measure.node)
        if here != (learnt.driver, learnt.torch):
            return Unknown(
                f"the baseline is of driver {learnt.driver or '?'} and torch {learnt.torch or '?'}, and here are "
                f"{here[0] or '?'} and {here[1] or '?'}"
            )
        source = f"the baseline of {learnt.date}: {learnt.median:g} in the middle of {learnt.samples}"
        return Floor(learnt.least(is_time=measure.is_time), source, self.baseline.place)

    def _named(self, measure: Measure, run: RanTest) -> Floor | None:
        if self.declared is None or measure.key is None:
            return None
        model = measure.gpu.model if measure.gpu is not None else run.shape_of(measure.node).gpu or ""
        found = self.declared.rows.get((model, measure.key)) or self.declared.rows.get(("", measure.key))
        return Floor(found[0], "the fleet's accept", found[1]) if found is not None else None

    def _tabled(self, measure: Measure, run: RanTest) -> Floor | None:
        gpu, key = measure.gpu, measure.key
        if key is None or (gpu is not None and not gpu.is_usual):
            return None
        by = (run.shape_of(measure.node).instance, gpu.model if gpu is not None else "")
        row = next((found for each in by if (found := table_floors().get((key, each))) is not None), None)
        if row is None:
            return None
        severity = Severity.WARNING if row.kind is Provenance.DERIVED else Severity.ERROR
        return Floor(row.value, f"{row.kind}: {row.source.partition(';')[0]}", severity=severity)


def _nobody(measure: Measure) -> Unknown:
    if measure.key is None:
        return Unknown("there is no baseline of it, and no floor holds for every model of work")
    return Unknown("neither a baseline, nor the fleet's accept.floors, nor the table says how fast it must be")


def _speeds(run: RanTest, floors: Floors, some: Iterator[Measure]) -> tuple[Speed, ...]:
    rounds: dict[tuple[str, str, str], list[Measure]] = {}
    for each in some:
        owner = each.gpu.uuid if each.gpu is not None else str(each.rank)
        rounds.setdefault((each.node, owner, each.series), []).append(each)
    return tuple(
        Speed(same[0], tuple(each.number for each in same), floors.of(same[0], run)) for same in rounds.values()
    )


@dataclass(frozen=True)
class GpuSpeeds:
    """How fast the GPUs of one node were in one test, and whether their links are as wide as they can be."""

    called: ClassVar[str] = "how fast a node's GPUs are"

    place: Place
    test: str
    nodes: tuple[str, ...]
    speeds: tuple[Speed, ...]
    links: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class CollectiveSpeeds:
    called: ClassVar[str] = "how fast collectives are"

    place: Place
    test: str
    nodes: tuple[str, ...]
    speeds: tuple[Speed, ...]
    is_sum_right: bool


@dataclass(frozen=True)
class Promise:
    """What the fleet says of storage or network, and where."""

    key: str
    value: float
    place: Place


@dataclass(frozen=True)
class StorageSpeeds:
    called: ClassVar[str] = "how fast storage and network are"

    place: Place
    test: str
    nodes: tuple[str, ...]
    speeds: tuple[Speed, ...]
    # What was promised, and this run did not measure.
    unmeasured: tuple[Promise, ...] = ()


_OF_GPUS = (
    "gemm_tflops",
    "copy_gbps",
    "h2d_gbps",
    "d2h_gbps",
    "nvlink_gbps",
    "tokens_per_s",
    "first_token_ms",
    "step_ms",
)
_OF_STORAGE = ("write_gbps", "read_gbps", "network_gbps", "download_gbps")
# By the test that measures it.
_PROMISED = {"disk-and-network": ("write", "read", "download"), "multi-node": ("node",)}
_OF_COLLECTIVES = ("busbw_gbps",)
_LINK = ("link_width", "link_width_max", "link_gen", "link_gen_max")


@derive
def gpu_speeds(run: RanTest, baseline: Baseline | None, declared: FleetFloors | None) -> Iterator[GpuSpeeds]:
    floors = Floors(baseline, declared)
    for node in run.nodes:
        some = (each for each in run.of(*_OF_GPUS) if each.node == node and is_speed(each))
        speeds = _speeds(run, floors, some)
        links = tuple(each for each in run.of(*_LINK) if each.node == node)
        if speeds or links:
            yield GpuSpeeds(place_of(run.test, (node,)), run.test, (node,), speeds, links)


@derive
def collective_speeds(
    run: RanTest, baseline: Baseline | None, declared: FleetFloors | None
) -> Iterator[CollectiveSpeeds]:
    speeds = _speeds(run, Floors(baseline, declared), run.of(*_OF_COLLECTIVES))
    sums = [each.value for each in run.of("sum_right") if "op" in each.where]
    if speeds or sums:
        yield CollectiveSpeeds(run.place, run.test, run.nodes, speeds, all(each == 1 for each in sums))


@derive
def storage_speeds(run: RanTest, baseline: Baseline | None, declared: FleetFloors | None) -> Iterator[StorageSpeeds]:
    speeds = _speeds(run, Floors(baseline, declared), run.of(*_OF_STORAGE))
    seen = {each.measure.key for each in speeds}
    promised = declared.rows if declared is not None else {}
    unmeasured = tuple(
        Promise(key, *promised["", key])
        for key in _PROMISED.get(run.test, ())
        if ("", key) in promised and key not in seen
    )
    if speeds or unmeasured:
        yield StorageSpeeds(run.place, run.test, run.nodes, speeds, unmeasured)


def short(speeds: Sequence[Speed]) -> list[Speed]:
    return [each for each in speeds if each.is_short]


def without_floor(speeds: Sequence[Speed]) -> dict[str, list[Speed]]:
    """The speeds of which nobody knows how fast they must be, by the reason."""
    found: dict[str, list[Speed]] = {}
    for each in speeds:
        if isinstance(each.floor, Unknown):
            found.setdefault(each.floor.why, []).append(each)
    return found
