"""GPUs of one model, side by side: who is slower than its peers, and between which nodes the network is.

Nothing here knows how fast anything should be. That most are well is assumed, and of too few nobody can tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, median_high
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.accept.measure import BY_LINK, Measure, RanTest, narrow_links, place_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Below, nobody can say who of them is the odd one.
LEAST = 4
# An outlier lacks the wider of these: a share of the middle, and so many deviations of the others.
SHARE = 0.10
# By how many there are at most: of many, one is far out by chance.
_DEVIATIONS = ((16, 4.0), (64, 4.5), (math.inf, 5.0))
# Of so many, one more or less moves no middle.
_MANY = 32
# Of a normal distribution: what a median of absolute deviations is of its standard deviation.
_SIGMA = 1.4826
# What is measured of every GPU by itself.
_ALONE = ("gemm_tflops", "copy_gbps", "h2d_gbps", "d2h_gbps")


def outliers(samples: Mapping[str, float]) -> dict[str, float]:
    """The outliers, each with how far it lies below the middle of all others, as a share; none where there are too
    few."""
    if len(samples) < LEAST:
        return {}
    deviations = next(times for most, times in _DEVIATIONS if len(samples) <= most)
    whole = _middle_and_spread(list(samples.values()))
    found = {}
    for name, value in samples.items():
        others = [each for other, each in samples.items() if other != name] if len(samples) <= _MANY else None
        middle, spread = whole if others is None else _middle_and_spread(others)
        if value < middle - max(SHARE * middle, deviations * spread):
            found[name] = 1 - value / middle
    return found


def _middle_and_spread(values: Sequence[float]) -> tuple[float, float]:
    middle = median(values)
    return middle, _SIGMA * median(abs(each - middle) for each in values)


@dataclass(frozen=True)
class Series:
    """One kind of measurement, by GPU: a value for each round."""

    name: str
    unit: str
    samples: Mapping[str, tuple[float, ...]]
    first: Mapping[str, Measure]

    def suspects(self) -> dict[str, float]:
        """The outliers of every round: one that is measured only once is merely a suspect."""
        rounds = min((len(each) for each in self.samples.values()), default=0)
        by_round = [outliers({name: each[at] for name, each in self.samples.items()}) for at in range(rounds)]
        if not by_round:
            return {}
        return {name: lack for name, lack in by_round[0].items() if all(name in each for each in by_round)}

    @property
    def rounds(self) -> int:
        return min((len(each) for each in self.samples.values()), default=0)

    @property
    def middle(self) -> float:
        return median(each[-1] for each in self.samples.values())


@dataclass(frozen=True)
class Peers:
    """All GPUs of one model that were measured alike."""

    called: ClassVar[str] = "GPUs of one model"

    place: Place
    test: str
    nodes: tuple[str, ...]
    model: str
    series: tuple[Series, ...]

    @property
    def count(self) -> int:
        return max((len(each.samples) for each in self.series), default=0)


@derive
def peers(runs: Sequence[RanTest]) -> Iterator[Peers]:
    models: dict[tuple[str, str], list[Measure]] = {}
    for run in runs:
        narrow = narrow_links(run.measures)
        for each in run.of(*_ALONE):
            # What a narrow link slows down is told as that.
            if each.gpu is not None and not (each.name in BY_LINK and each.gpu in narrow):
                models.setdefault((each.test, each.gpu.name), []).append(each)
    for (test, model), some in models.items():
        nodes = tuple(dict.fromkeys(each.node for each in some))
        yield Peers(place_of(test, nodes, model), test, nodes, model, tuple(_series(some)))


def _series(some: Sequence[Measure]) -> Iterator[Series]:
    by_name: dict[str, dict[str, list[Measure]]] = {}
    for each in some:
        assert each.gpu is not None
        by_name.setdefault(each.series, {}).setdefault(each.gpu.uuid, []).append(each)
    for name, by_gpu in by_name.items():
        rounds = {gpu: tuple(each.number for each in same) for gpu, same in by_gpu.items()}
        first = {gpu: same[0] for gpu, same in by_gpu.items()}
        yield Series(name, next(iter(first.values())).unit, rounds, first)


# Between nodes. A row or a column is low by this much against those of the others; one pair needs more, for single
# pairs of a healthy network may be three times apart.
LOW, PAIR_LOW = 0.75, 0.6
# One node more than it takes to tell which of two is slow.
LEAST_NODES = 3
# Both of a pair need two other partners, or what is slow may be either.
LEAST_FOR_PATH = 4

Cells = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Slow:
    """A node, one of its directions or a path between two nodes that is slower than its peers."""

    what: str
    names: tuple[str, ...]
    value: float
    usual: float


def slow_parts(rounds: Sequence[Cells]) -> list[Slow]:
    """Which parts of a matrix from node to node are slow, by the medians of its rows and columns. It may have been
    measured more than once."""
    nodes = sorted({name for cells in rounds for pair in cells for name in pair})
    if len(nodes) < LEAST_NODES or not rounds:
        return []
    sends = [_medians(cells, nodes, 0) for cells in rounds]
    receives = [_medians(cells, nodes, 1) for cells in rounds]
    found = list(_slow_nodes(nodes, sends, receives))
    named = {each.names[0] for each in found}
    return found + (list(_slow_paths(rounds, nodes, named)) if len(nodes) >= LEAST_FOR_PATH else [])


def _medians(cells: Cells, nodes: Sequence[str], side: int) -> dict[str, float]:
    """The higher one, so that of two partners a slow one blames nobody else."""
    rows = {name: [value for pair, value in cells.items() if pair[side] == name] for name in nodes}
    return {name: median_high(values) for name, values in rows.items() if values}


def _slow_nodes(
    nodes: Sequence[str], sends: Sequence[Mapping[str, float]], receives: Sequence[Mapping[str, float]]
) -> Iterator[Slow]:
    for name in nodes:
        out, into = _is_low(name, sends), _is_low(name, receives)
        if out and into:
            yield Slow("node", (name,), min(sends[-1][name], receives[-1][name]), _usual(name, sends[-1]))
        elif out:
            yield Slow("sends", (name,), sends[-1][name], _usual(name, sends[-1]))
        elif into:
            yield Slow("receives", (name,), receives[-1][name], _usual(name, receives[-1]))


def _usual(name: str, medians: Mapping[str, float]) -> float:
    return median([each for other, each in medians.items() if other != name])


def _is_low(name: str, rounds: Sequence[Mapping[str, float]]) -> bool:
    """Whether it is low in every round."""
    return all(name in each and each[name] < LOW * _usual(name, each) for each in rounds)


def _slow_paths(rounds: Sequence[Cells], nodes: Sequence[str], named: set[str]) -> Iterator[Slow]:
    """A pair that is slow each time it is measured, while both have other, good partners. Once is no proof."""
    if len(rounds) < 2:
        return
    for one in nodes:
        for other in nodes:
            if one < other and not {one, other} & named:
                low = [found for pair in ((one, other), (other, one)) if (found := _low_pair(pair, rounds))]
                if low:
                    yield Slow("path", (one, other), *min(low))


def _low_pair(pair: tuple[str, str], rounds: Sequence[Cells]) -> tuple[float, float] | None:
    """What it is and what it would be, where it is low in every round."""
    worst = (math.inf, math.inf)
    for cells in rounds:
        partners = [value for each, value in cells.items() if (each[0] == pair[0]) != (each[1] == pair[1])]
        if pair not in cells or not partners or cells[pair] >= PAIR_LOW * median(partners):
            return None
        worst = min(worst, (cells[pair], median(partners)))
    return worst


@dataclass(frozen=True)
class PairMatrix:
    called: ClassVar[str] = "who sends how fast to whom"

    place: Place
    test: str
    nodes: tuple[str, ...]
    rounds: tuple[Cells, ...]
    racks: Mapping[str, str]


@derive
def pair_matrices(run: RanTest) -> Iterator[PairMatrix]:
    rounds: dict[int, dict[tuple[str, str], float]] = {}
    for each in run.of("pair_gbps"):
        pair = (str(each.where.get("from", "")), str(each.where.get("to", "")))
        rounds.setdefault(int(each.where.get("round", 1)), {})[pair] = each.number
    if rounds:
        racks = {each.node: each.rack for each in run.shapes if each.rack}
        in_order = tuple(cells for _, cells in sorted(rounds.items()))
        yield PairMatrix(run.place, run.test, run.nodes, in_order, racks)
