"""What real work showed, as a table of tests and nodes, as data, and as gauges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from statistics import median
from typing import Any

from nodeworthy.facts.accept.baseline import IMPROVED
from nodeworthy.known.acceptance import TESTS
from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.table import align_columns
from nodeworthy.verdict import WORST_FIRST, Verdict

NOT_RUN = "not run"
_SHORT = {"disk-and-network": "disk", "checkpoint-restart": "checkpoint", "data-loading": "data"}
_WORDS = {Verdict.FAIL: "FAIL", Verdict.ERROR: "ERROR"}


@dataclass(frozen=True)
class Shown:
    """One test on one node, or on a group."""

    test: str
    nodes: tuple[str, ...]
    # A verdict, or `not run`.
    state: str
    why: str = ""
    # Why it did not run, in one word of the recording; None where it did.
    reason: str | None = None
    held: float = 0.0
    gpus: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[Mapping[str, Any], ...] = ()

    @property
    def word(self) -> str:
        return next((word for verdict, word in _WORDS.items() if verdict.value == self.state), self.state)


def worst_of(verdicts: Iterable[Verdict]) -> str:
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.UNKNOWN).value


def table(shown: Sequence[Shown]) -> str:
    """Nodes below each other, tests beside each other, and why what did not run did not."""
    tests = [each for each in TESTS if any(one.test == each for one in shown)]
    nodes = list(dict.fromkeys(name for each in shown for name in each.nodes))
    cells = {(name, each.test): each.word for each in shown for name in each.nodes}
    rows = [(name, *(cells.get((name, test), "–") for test in tests)) for name in nodes]
    heads = ("", *(_SHORT.get(each, each) for each in tests))
    drawn = align_columns(heads, [tuple(on_one_line(cell) for cell in row) for row in rows]) if rows else ""
    return "\n".join(filter(None, [drawn, *_reasons(shown), *_old(shown), _time_held(shown), _counted(shown)]))


def _reasons(shown: Sequence[Shown]) -> Iterator[str]:
    whys: dict[tuple[str, str], list[Shown]] = {}
    for each in shown:
        if each.state == NOT_RUN:
            whys.setdefault((each.why, ", ".join(each.nodes)), []).append(each)
    for (why, nodes), some in whys.items():
        yield on_one_line(f"{nodes or 'no node'}: not run: {', '.join(each.test for each in some)}: {why}")


def _old(shown: Sequence[Shown]) -> Iterator[str]:
    """A baseline that is far below what there is lets much go wrong before it says so."""
    old = [each for each in compare_with_baseline((one.test, one.measures) for one in shown) if each.is_old]
    if old:
        best = max(old, key=lambda each: each.change)
        others = f", and {len(old) - 1} more" if len(old) > 1 else ""
        told = f"{best.series} is {best.change:.0%} better than its {best.usual:g} {best.unit}{others}"
        yield on_one_line(f"the baseline is old: {told}; --save-baseline learns anew")


def _time_held(shown: Sequence[Shown]) -> str:
    """How long GPUs were held. Each job counts once."""
    jobs = {(each.nodes, each.held, each.gpus) for each in shown if each.held}
    hours = sum(held * gpus for _, held, gpus in jobs) / 3600
    return f"held {hours:.1f} GPU-hours" if hours >= 0.1 else f"held {hours * 60:.0f} GPU-minutes" if jobs else ""


def _counted(shown: Sequence[Shown]) -> str:
    counted = Counter(each.state for each in shown)
    order = [*(each.value for each in (Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN)), NOT_RUN]
    whys = Counter(each.why for each in shown if each.state == NOT_RUN)
    beside = f" ({'; '.join(f'{count} {why}' for why, count in whys.most_common())})" if whys else ""
    told = ", ".join(f"{counted[each]} {each}" for each in order if counted[each])
    return on_one_line(f"{told or 'nothing was run'}{beside}")


def as_data(shown: Iterable[Shown]) -> list[dict[str, Any]]:
    return [
        {
            "test": each.test,
            "nodes": list(each.nodes),
            "state": each.state,
            "why": each.why or None,
            "not_run": each.reason,
            "seconds_held": each.held,
            "gpus": each.gpus,
            **{name: each.versions.get(name) or None for name in ("image", "torch", "driver")},
            "measures": [dict(one) for one in each.measures],
        }
        for each in shown
    ]


# What a run measured, beside what its fleet measured of itself when it was well.


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
        """The change as a share: above zero is better, also of a time."""
        better = self.usual - self.now if self.unit == "ms" else self.now - self.usual
        return better / self.usual

    @property
    def is_old(self) -> bool:
        return self.change > IMPROVED


def compare_with_baseline(measured: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[SeriesComparison]:
    """Compares what tests measured with the baseline. What has no baseline is left out."""
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
