"""Facts of facts: what is called, with what, how often; and that all of ours can be."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from nodeworthy import facts as every_fact
from nodeworthy.derive import Circular, Facts, bind, derive, derived_types, ways_to
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Stone:
    weight: int


@dataclass(frozen=True)
class Beam:
    weight: int


@dataclass(frozen=True)
class Architect:
    name: str


@dataclass(frozen=True)
class Wall:
    weights: tuple[int, ...]
    of: str | None


@dataclass(frozen=True)
class House:
    walls: tuple[Wall, ...]
    guests: int | None


@dataclass(frozen=True)
class Floor:
    stone: Stone
    architect: Architect


@dataclass(frozen=True)
class Egg:
    pass


@dataclass(frozen=True)
class Hen:
    pass


CALLS: list[str] = []


@derive
def walls(parts: Sequence[Stone | Beam], architect: Architect | None) -> Iterator[Wall]:
    CALLS.append("walls")
    yield Wall(tuple(each.weight for each in parts), architect.name if architect is not None else None)


@derive
def houses(of: Sequence[Wall], guests: Sequence[Beam] | None) -> Iterator[House]:
    if of:
        yield House(tuple(of), len(guests) if guests is not None else None)


@derive
def floors(stone: Stone, architect: Architect) -> Iterator[Floor]:
    yield Floor(stone, architect)


@derive
def of_eggs(_egg: Egg) -> Iterator[Hen]:
    yield Hen()


@derive
def of_hens(_hen: Hen) -> Iterator[Egg]:
    yield Egg()


def test_all_at_once_are_taken_in_the_order_of_the_scene() -> None:
    assert Facts([Stone(1), Beam(2), Stone(3)]).of(Wall) == [Wall((1, 2, 3), None)]
    assert Facts([Beam(2), Architect("A"), Stone(1)]).of(Wall) == [Wall((2, 1), "A")]


def test_what_may_be_missing_makes_nothing_alone() -> None:
    assert Facts([Architect("A")]).of(Wall) == []
    assert Facts([]).of(Wall) == []


def test_one_at_a_time_each_with_each() -> None:
    made = Facts([Stone(1), Architect("A"), Stone(2)]).of(Floor)
    assert made == [Floor(Stone(1), Architect("A")), Floor(Stone(2), Architect("A"))]
    assert Facts([Stone(1)]).of(Floor) == []


def test_facts_are_made_of_made_ones() -> None:
    assert Facts([Stone(1)]).of(House) == [House((Wall((1,), None),), None)]
    assert Facts([Stone(1), Beam(1)]).of(House) == [House((Wall((1, 1), None),), 1)]


def test_nobody_is_called_twice_or_unasked() -> None:
    CALLS.clear()
    facts = Facts([Stone(1)])
    assert facts.of(Floor) == []
    assert CALLS == []
    assert facts.of(House) == facts.of(House)
    assert facts.of(Wall)
    assert CALLS == ["walls"]


def test_what_is_given_or_told_otherwise_is_not_made() -> None:
    given = Wall((9,), "given")
    assert Facts([Stone(1), given]).of(Wall) == [given]
    assert Facts([Stone(1)], {Wall}).of(Wall) == []
    assert Facts([Stone(1)], {Wall}).of(House) == []


def test_what_would_be_made_of_itself_is_an_error() -> None:
    with pytest.raises(Circular, match="Egg of Hen of Egg"):
        Facts([Stone(1)]).of(Egg)
    with pytest.raises(Circular):
        ways_to(Hen)


def test_from_what_a_fact_can_come() -> None:
    assert ways_to(Floor) == {frozenset({Floor}), frozenset({Stone, Architect})}
    assert ways_to(House) == {frozenset({each}) for each in (House, Wall, Stone, Beam)}


def nothing(_stone: Stone) -> Iterator[int | str]:
    yield 1


def elsewhere(_stone: Stone) -> Iterator[Facts]:
    yield Facts([])


def no_fact(_stone: Stone | Beam) -> Iterator[Wall]:
    yield Wall((), None)


@pytest.mark.parametrize("function", [nothing, elsewhere, no_fact])
def test_one_that_nobody_could_ask_for_is_refused(function: Callable[..., Iterator[Any]]) -> None:
    with pytest.raises(TypeError):
        bind(function)


def test_all_of_ours_can_be_asked_for_and_none_is_made_of_itself() -> None:
    for module in pkgutil.walk_packages(every_fact.__path__, f"{every_fact.__name__}."):
        importlib.import_module(module.name)
    ours = {kind for kind in derived_types() if kind.__module__.startswith("nodeworthy.")}
    assert len(ours) >= 18
    for kind in ours:
        assert ways_to(kind) != {frozenset({kind})}, kind.__name__
