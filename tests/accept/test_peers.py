"""Who is slow among peers, and what between nodes: found where it is, and not found where nothing is."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from nodeworthy.facts.accept.peers import Cells, outliers, slow_parts


def fleet(draw: random.Random, count: int, noise: float, slow: Mapping[int, float] | None = None) -> dict[str, float]:
    return {f"g{at}": 700 * (slow or {}).get(at, 1.0) * (1 + draw.gauss(0, noise)) for at in range(count)}


@pytest.mark.parametrize("count", [4, 8, 16, 64, 256])
@pytest.mark.parametrize("noise", [0.005, 0.015, 0.03])
def test_of_healthy_fleets_few_are_suspected_and_none_is_blamed(count: int, noise: float) -> None:
    """At most one run of a hundred at first look; after the second measure of 10,000 one."""
    draw, runs = random.Random(count * 1000 + int(noise * 1000)), 400
    suspected = blamed = 0
    for _ in range(runs):
        first = outliers(fleet(draw, count, noise))
        suspected += bool(first)
        if first:
            blamed += bool(first.keys() & outliers(fleet(draw, count, noise)).keys())
    assert suspected <= max(1, runs // 100)
    assert blamed == 0


@pytest.mark.parametrize("count", [4, 5, 8, 16, 64])
def test_who_is_15_percent_slow_is_found(count: int) -> None:
    draw = random.Random(count)
    found = sum(outliers(fleet(draw, count, 0.015, {1: 0.85})).keys() == {"g1"} for _ in range(500))
    assert found >= 490


def test_of_three_nobody_is_blamed() -> None:
    assert outliers({"a": 700, "b": 700, "c": 70}) == {}


@pytest.mark.parametrize(("value", "found"), [(89.9, ["d"]), (90, []), (90.1, [])])
def test_it_takes_a_tenth(value: float, found: list[str]) -> None:
    assert list(outliers({"a": 100, "b": 100, "c": 100, "d": value})) == found


def test_how_far_it_lies_below_the_others_is_said() -> None:
    assert outliers({"a": 100, "b": 100, "c": 100, "d": 75}) == {"d": 0.25}


@pytest.mark.parametrize(
    ("slow", "others", "is_found"),
    [
        # Up to 16 it takes four deviations, which are 17.8 here; up to 64 four and a half, 20.0; then five, 22.2.
        (81, {97: 7, 100: 1, 103: 7}, True),
        (81, {97: 8, 103: 8}, False),
        (79, {97: 31, 103: 32}, True),
        (79, {97: 31, 100: 1, 103: 32}, False),
        # Up to 32 each is compared with the others, which the slow one does not widen; of more with all.
        (80.5, {100: 16, 106: 15}, True),
        (80.5, {100: 16, 106: 16}, False),
    ],
)
def test_of_more_gpus_one_must_be_further_out(slow: float, others: Mapping[float, int], is_found: bool) -> None:
    alike = [value for value, times in others.items() for _ in range(times)]
    found = outliers({"slow": slow, **{f"g{at}": value for at, value in enumerate(alike)}})
    assert ("slow" in found) is is_found


def matrix(
    count: int, slow: Callable[[str, str], float], draw: random.Random, noise: float = 0.05, rounds: int = 2
) -> list[Cells]:
    names = [f"n{at:02}" for at in range(count)]
    return [
        {(a, b): 46 * slow(a, b) * (1 + draw.gauss(0, noise)) for a in names for b in names if a != b}
        for _ in range(rounds)
    ]


SLOW: dict[str, Callable[[str, str], float]] = {
    "node": lambda a, b: 0.2 if "n01" in (a, b) else 1,
    "sends": lambda a, b: 0.2 if a == "n01" else 1,
    "receives": lambda a, b: 0.2 if b == "n01" else 1,
}


@pytest.mark.parametrize("count", range(3, 17))
@pytest.mark.parametrize("what", SLOW)
def test_a_node_or_a_direction_is_named(count: int, what: str) -> None:
    found = slow_parts(matrix(count, SLOW[what], random.Random(count)))
    assert [(each.what, each.names) for each in found] == [(what, ("n01",))]


@pytest.mark.parametrize("count", range(4, 17))
def test_a_path_is_named(count: int) -> None:
    found = slow_parts(matrix(count, lambda a, b: 0.3 if {a, b} == {"n01", "n02"} else 1, random.Random(count)))
    assert [(each.what, each.names) for each in found] == [("path", ("n01", "n02"))]


@pytest.mark.parametrize("count", range(3, 17))
def test_nothing_is_named_of_a_healthy_network(count: int) -> None:
    """Nor where a single cell is three times apart, once."""
    draw = random.Random(count)
    for _ in range(50):
        rounds = matrix(count, lambda a, b: 1, draw)
        rounds[0] = {**rounds[0], ("n00", "n01"): 15.0}
        assert slow_parts(rounds) == []


def test_of_two_nodes_none_is_named() -> None:
    assert slow_parts(matrix(2, SLOW["sends"], random.Random(1))) == []


def test_a_path_that_was_slow_once_is_not_named() -> None:
    once = matrix(5, lambda a, b: 0.3 if {a, b} == {"n01", "n02"} else 1, random.Random(1), rounds=1)
    assert slow_parts(once) == []
