"""What a run measured, beside what its fleet measured of itself when it was well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from nodeworthy.facts.accept.baseline import IMPROVED
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class SeriesComparison:
    """One series of measurements: the middle of all who measured it now, and that of the baseline."""

    test: str
    series: str
    unit: str
    usual: float
    values: tuple[float, ...]

    @property
    def now(self) -> float:
        return median(self.values)

    @property
    def change(self) -> float:
        """As a share: above zero is better, of a time too."""
        better = self.usual - self.now if self.unit == "ms" else self.now - self.usual
        return better / self.usual

    @property
    def is_old(self) -> bool:
        return self.change > IMPROVED


def beside_baseline(measured: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[SeriesComparison]:
    """Of tests and what they measured; nothing of what has no baseline."""
    found: dict[tuple[str, str, str, float], list[float]] = {}
    for test, some in measured:
        for each in some:
            if each["baseline"]:
                of = (test, _series(each), each["unit"], float(each["baseline"]))
                found.setdefault(of, []).append(float(each["value"]))
    return [SeriesComparison(*of, tuple(values)) for of, values in found.items()]


def _series(measure: Mapping[str, Any]) -> str:
    at = [f"{name}={value}" for name, value in measure["at"].items() if name != "round"]
    return " ".join([measure["name"], *at])
