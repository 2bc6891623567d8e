"""Our dataclasses behave as the standard library's: each check runs on both."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any, ClassVar

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


def test_what_goes_with_it_does_the_same_to_both() -> None:
    for made in (TheirPoint(1, names=["a"]), OurPoint(1, names=["a"])):
        assert records.replace(made, y=5) == replace(made, y=5)
        assert [each.name for each in records.fields(made)] == [each.name for each in fields(made)]
        assert [each.compare for each in fields(made)] == [True, True, False]
        assert dataclasses.is_dataclass(made)
        with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
            records.replace(made, z=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="dataclass"):
        records.fields(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="counted is declared with init=False"):
        records.replace(Derived(line=1, path="/"), counted=2)


def test_a_field_of_ours_is_one_of_the_standard_library() -> None:
    @records.dataclass(frozen=True)
    class Ours:
        x: int
        called: ClassVar[str] = "ours"
        names: list[str] = records.field(default_factory=list, repr=False)

    @records.dataclass(frozen=True)
    class Later(Ours):
        x: int = 4

    @dataclass(frozen=True)
    class Theirs(Later):
        z: int = 3

    assert repr(Later()) == "test_a_field_of_ours_is_one_of_the_standard_library.<locals>.Later(x=4)"
    assert [each.name for each in fields(Theirs)] == ["x", "names", "z"]
    assert (Theirs(1).names, Theirs(1).z, Ours.called) == ([], 3, "ours")
    assert fields(Ours)[1].default_factory is list
    assert not hasattr(Ours, "names")
    match Ours(1):
        case Ours(x, names):
            assert (x, names) == (1, [])


def test_a_default_that_all_would_share_is_refused() -> None:
    for make in (dataclass, records.dataclass):
        with pytest.raises(ValueError, match="mutable default <class 'list'>"):

            @make
            class Shared:
                names: list[str] = []  # noqa: RUF012 - that is the question


def test_an_answer_from_the_cache_does_without_the_standard_librarys() -> None:
    told = "import sys, nodeworthy.cli, nodeworthy.commands.check, nodeworthy.collect.source.cache, nodeworthy.report.text; "
    told += "print(sorted({'dataclasses', 'inspect', 'tempfile', 'hashlib'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]", "a module on its way imports one of them: nodeworthy.records has the first"
