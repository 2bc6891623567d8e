"""Our dataclasses behave as the standard library's: each check runs on both."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from nodeworthy import records


@dataclass(frozen=True)
class TheirPoint:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)


@records.dataclass(frozen=True)
class OurPoint:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)


@records.dataclass(frozen=True, slots=True)
class SlotPoint:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)


@records.dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Base:
    line: int
    counted: int = field(default=0, init=False)


@records.dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Derived(Base):
    path: str
    mode: str | None = field(default=None, repr=False)


POINTS = pytest.mark.parametrize("point", [TheirPoint, OurPoint, SlotPoint])


@POINTS
def test_it_is_made_compared_and_shown(point: Any) -> None:
    one = point(1)
    assert (one.x, one.y, one.names) == (1, 2, [])
    assert one == point(1, names=["other"])
    assert one != point(2)
    assert one != (1, 2, [])
    assert hash(one) == hash(point(1, 2))
    assert point(1).names is not one.names
    assert repr(point(1, y=3)) == f"{point.__name__}(x=1, y=3, names=[])"


@POINTS
def test_it_takes_no_other_arguments(point: Any) -> None:
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'x'"):
        point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        point(1, z=2)


@POINTS
def test_a_frozen_one_is_not_changed(point: Any) -> None:
    one = point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    assert one.x == 1


@POINTS
def test_it_is_replaced_copied_and_kept(point: Any) -> None:
    one = point(1, names=["a"])
    assert replace(one, y=5) == point(1, 5)
    assert [each.name for each in fields(one)] == ["x", "y", "names"]
    assert dataclasses.asdict(one) == {"x": 1, "y": 2, "names": ["a"]}
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (other, other.names) == (one, ["a"])


def test_one_inherits_the_fields_of_another() -> None:
    made = Derived(line=3, path="/etc")
    assert (made.line, made.counted, made.path, made.mode) == (3, 0, "/etc", None)
    assert repr(made) == "Derived(line=3, counted=0, path='/etc')"
    made.counted = 4
    assert made != Derived(line=3, path="/etc")
    assert hash(made) != hash(Derived(line=3, path="/etc"))
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        Derived(3, "/etc")  # type: ignore[call-arg]


def test_what_a_class_writes_itself_stays() -> None:
    @records.dataclass(frozen=True)
    class Named:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and other.name.lower() == self.name.lower()

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "named"

    assert Named("a") == Named("A")
    assert (hash(Named("a")), repr(Named("a"))) == (7, "named")


def test_what_is_done_after_is_done() -> None:
    @records.dataclass
    class Counted:
        words: list[str]
        many: int = field(init=False)

        def __post_init__(self) -> None:
            self.many = len(self.words)

    assert Counted(["a", "b"]).many == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counted([]))


def test_without_eq_each_is_itself() -> None:
    @records.dataclass(frozen=True, eq=False)
    class Each:
        x: int

    one = Each(1)
    assert one == one  # noqa: PLR0124 - that is the question
    assert one != Each(1)
    assert len({one, Each(1)}) == 2


def test_one_that_holds_itself_is_shown() -> None:
    @records.dataclass
    class Ring:
        inside: Any = None

    ring = Ring()
    ring.inside = ring
    assert repr(ring).endswith("Ring(inside=...)")
