"""What a fleet measured of itself when it was well: the best floor that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import ClassVar

from nodeworthy.facts.accept.measure import Measure, RanTest
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A measurement is below its baseline from the wider of these on: a share, and so many deviations.
SHARE, DEVIATIONS = 0.07, 4.5
# From here on the baseline is old, and said to be.
IMPROVED = 0.15
# Fewer nodes tell more of themselves than of their kind.
LEAST_NODES = 3


@dataclass(frozen=True)
class Key:
    """What must be equal for two measurements to be compared."""

    gpu: str
    instance: str
    test: str
    series: str


@dataclass(frozen=True)
class Learnt:
    driver: str
    torch: str
    median: float
    mad: float
    samples: int
    nodes: int
    date: str
    unit: str = ""
    image: str = ""

    @property
    def width(self) -> float:
        """How much of it may be lacking, as a share."""
        return max(SHARE, DEVIATIONS * self.mad / self.median) if self.median else SHARE

    def least(self, *, is_time: bool) -> float:
        """The least that it may be; of a time, the most."""
        return self.median * (1 + self.width) if is_time else self.median * (1 - self.width)


@dataclass(frozen=True)
class Baseline:
    called: ClassVar[str] = "a baseline of measurements"

    place: Place
    rows: Mapping[Key, Learnt]

    def of(self, key: Key) -> Learnt | None:
        return self.rows.get(key)


def key_of(measure: Measure, run: RanTest) -> Key:
    shape = run.shape_of(measure.node)
    model = measure.gpu.model if measure.gpu is not None else shape.gpu or ""
    return Key(model, shape.instance, measure.test, measure.series)


def major(driver: str) -> str:
    return driver.partition(".")[0]


def learn(runs: Sequence[RanTest], date: str, image: str) -> dict[Key, Learnt]:
    """The median and the deviation of every speed that was measured, over all who measured it."""
    found: dict[Key, list[tuple[Measure, RanTest]]] = {}
    for run in runs:
        for each in run.measures:
            if is_speed(each):
                found.setdefault(key_of(each, run), []).append((each, run))
    return {key: _row(some, date, image) for key, some in found.items()}


def _row(some: Sequence[tuple[Measure, RanTest]], date: str, image: str) -> Learnt:
    values = [each.number for each, _ in some]
    middle = median(values)
    first, run = some[0]
    return Learnt(
        driver=major(run.text("driver", first.node)),
        torch=run.text("torch", first.node),
        median=middle,
        mad=median(abs(each - middle) for each in values),
        samples=len(values),
        nodes=len({each.node for each, _ in some}),
        date=date,
        unit=first.unit,
        image=image,
    )


def is_speed(measure: Measure) -> bool:
    return measure.unit in SPEEDS


# Units of what is judged as a speed.
SPEEDS = ("TFLOPS", "GB/s", "tokens/s", "items/s", "ms")
