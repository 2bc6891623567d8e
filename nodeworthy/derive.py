"""Facts of facts: functions that say by their types what they take and what they yield.

    @derive
    def device_plugins(values: Sequence[OperatorValues], fleet: Fleet | None) -> Iterator[DevicePlugins]: ...

Such a function stands in the module of the type that it yields, so whoever asks for that type has it. It is called once
for a scene, when somebody asks; what it takes may be derived, too. It takes its facts as a check does: one at a time
(`X`), which then must be there; the one that may be missing (`X | None`); all that there are (`Sequence[X]`, or of
several types in the scene's order, `Sequence[X | Y]`), also none of them where something else is there to be made of;
and all of them, or None, where they only add to it (`Sequence[X] | None`).
"""

from __future__ import annotations

import itertools
import types
import typing
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from nodeworthy.backstop import TookTooLong
from nodeworthy.records import dataclass

T = TypeVar("T")
Makes = TypeVar("Makes", bound=Callable[..., Iterator[Any]])
# By the module in which they stand. What their types are is looked at when somebody asks for one of that module.
_MAKERS: dict[str, list[Callable[..., Iterator[Any]]]] = defaultdict(list)


def derive(function: Makes) -> Makes:
    _MAKERS[function.__module__].append(function)
    return function


@dataclass(frozen=True, slots=True)
class Taken:
    """What one parameter takes."""

    types: tuple[type[Any], ...]
    all_at_once: bool = False
    may_be_none: bool = False


@dataclass(frozen=True, slots=True)
class Derivation:
    function: Callable[..., Iterator[Any]]
    yields: type[Any]
    takes: tuple[Taken, ...]

    @property
    def needs(self) -> tuple[Taken, ...]:
        """What must be there: each of these."""
        return tuple(each for each in self.takes if not (each.all_at_once or each.may_be_none))

    @property
    def made_of(self) -> tuple[Taken, ...]:
        """Where it needs nothing, the facts of which it is made. Any one of them is enough."""
        return tuple(each for each in self.takes if each.all_at_once and not each.may_be_none)


class Circular(TypeError):
    """Facts that would be made of themselves."""


def derivations(kind: type[Any]) -> tuple[Derivation, ...]:
    """The functions that yield facts of this type, in the order in which they are written."""
    return tuple(found for each in _MAKERS.get(kind.__module__, ()) if (found := bind(each)).yields is kind)


@cache
def bind(function: Callable[..., Iterator[Any]]) -> Derivation:
    hints = typing.get_type_hints(function)
    names = parameters(function)
    made = typing.get_args(hints.get("return"))
    if not names or len(made) != 1 or not isinstance(made[0], type):
        raise TypeError(f"{function.__name__} must take facts and yield facts of one type")
    if made[0].__module__ != function.__module__:
        raise TypeError(f"{function.__name__} stands in another module than {made[0].__name__}, so few will know of it")
    return Derivation(function, made[0], tuple(_taken_by_hint(hints[name]) for name in names))


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Their names, in order."""
    plain: Any = function
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    if isinstance(plain, types.FunctionType):
        return plain.__code__.co_varnames[: plain.__code__.co_argcount + plain.__code__.co_kwonlyargcount]
    # It reads Python's grammar when it is imported, which takes longer than what most runs do.
    import inspect

    return tuple(inspect.signature(function).parameters)


def _taken_by_hint(hint: Any) -> Taken:
    parts = [each for each in _parts(hint) if each is not type(None)]
    may_be_none = len(parts) < len(_parts(hint))
    origin = typing.get_origin(parts[0])
    if len(parts) == 1 and origin is not None and issubclass(origin, Sequence):
        return Taken(_parts(typing.get_args(parts[0])[0]), all_at_once=True, may_be_none=may_be_none)
    if len(parts) != 1:
        raise TypeError(f"{hint} is neither a fact, nor one that may be missing, nor a sequence of them")
    return Taken((parts[0],), may_be_none=may_be_none)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


class Facts:
    """The facts of one scene by their types. Given facts are there at once; derived facts are made when somebody asks
    for their type. A type that was given is not derived as well. Neither is a type in `otherwise`: it is missing for a
    reason, or another scene has it."""

    def __init__(self, given: Iterable[Any], otherwise: Collection[type[Any]] = ()) -> None:
        self._given: dict[type[Any], list[Any]] = defaultdict(list)
        self._order: dict[int, int] = {}
        for place, fact in enumerate(given):
            self._given[type(fact)].append(fact)
            self._order[id(fact)] = place
        self._otherwise = otherwise
        self._made: dict[type[Any], list[Any]] = {}
        self._being_made: list[type[Any]] = []
        self._given_up: dict[type[Any], TookTooLong] = {}

    @property
    def kinds(self) -> Collection[type[Any]]:
        """The types of the facts that were given."""
        return self._given.keys()

    def of(self, kind: type[T]) -> Sequence[T]:
        """All facts of this type. Raises TookTooLong; once making them was given up, everybody who asks again gets the
        same exception."""
        if kind in self._given:
            return self._given[kind]
        if kind not in self._made:
            if kind in self._given_up:
                raise self._given_up[kind]
            self._made[kind] = [] if kind in self._otherwise else self._make(kind)
        return self._made[kind]

    def _make(self, kind: type[Any]) -> list[Any]:
        if kind in self._being_made:
            way = " of ".join(each.__name__ for each in (*self._being_made, kind))
            raise Circular(f"a fact would be made of itself: {way}")
        self._being_made.append(kind)
        try:
            return [fact for each in derivations(kind) for fact in self._made_by(each)]
        except TookTooLong as problem:
            self._given_up[kind] = problem
            raise
        finally:
            self._being_made.pop()

    def _made_by(self, derivation: Derivation) -> Iterator[Any]:
        taken = [self._taken(each) for each in derivation.takes]
        if not all(taken):
            return
        if not derivation.needs and not any(self._there(each) for each in derivation.made_of):
            return
        for some in itertools.product(*taken):
            yield from derivation.function(*some)

    def _taken(self, asked: Taken) -> Sequence[Any]:
        """The arguments for one parameter, each for one call; none where there can't be a call."""
        there = self._there(asked)
        if asked.all_at_once:
            return [None] if asked.may_be_none and not there else [tuple(there)]
        return there or ([None] if asked.may_be_none else [])

    def _there(self, asked: Taken) -> Sequence[Any]:
        if len(asked.types) == 1:
            return self.of(asked.types[0])
        every = [fact for kind in asked.types for fact in self.of(kind)]
        return sorted(every, key=lambda fact: self._order.get(id(fact), len(self._order)))


# Each of the given types that stand together is enough to make facts of a type.
Ways = frozenset[frozenset[type[Any]]]


def ways_to(kind: type[Any], _through: tuple[type[Any], ...] = ()) -> Ways:
    """The given facts that this type can come from: the type itself, or the types that it is derived from. Raises
    Circular."""
    if kind in _through:
        raise Circular(" of ".join(each.__name__ for each in (*_through, kind)))
    through = (*_through, kind)
    ways = {frozenset((kind,))}
    for each in derivations(kind):
        for other in (other for taken in each.takes for other in taken.types):
            ways_to(other, through)  # also what makes nothing alone must lead to no circle
        if each.needs:
            needed = [_any_of(one, through) for one in each.needs]
            ways |= {frozenset().union(*some) for some in itertools.product(*needed)}
        else:
            ways |= {way for one in each.made_of for way in _any_of(one, through)}
    return _least(ways)


def _any_of(taken: Taken, through: tuple[type[Any], ...]) -> Ways:
    return frozenset(way for kind in taken.types for way in ways_to(kind, through))


def _least(ways: Iterable[frozenset[type[Any]]]) -> Ways:
    every = set(ways)
    return frozenset(way for way in every if not any(other < way for other in every))


def derived_types() -> set[type[Any]]:
    """What the modules make that were imported so far."""
    return {bind(each).yields for some in _MAKERS.values() for each in some}
