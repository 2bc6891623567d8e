"""The form of a rule: a metadata block and one function per kind of fact that can prove it."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeVar, overload

from nodeworthy.derive import parameters
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Draft, Severity, Unread

Check = Callable[..., Iterator[Draft] | None]
AnyCheck = TypeVar("AnyCheck", bound=Check)


class Moment(Enum):
    """When something can be proven: the letter of the catalogue, and the word of the report."""

    SOURCE = "source"
    PLAN = "plan"
    CLOUD = "cloud"
    NODE = "node"
    CLUSTER = "cluster"
    WORKLOAD = "workload"


class Many(Enum):
    """How a parameter takes its facts: each in turn, one or None, or all of them at once."""

    EACH = "each"
    OPTIONAL = "optional"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Parameter:
    type: type[Any]
    many: Many


@dataclass(frozen=True)
class BoundCheck:
    """A check with the types that it asks for; the first is its subject, the others its context."""

    function: Check
    subject: type[Any]
    context: tuple[Parameter, ...]
    # It gives way where facts of this type are told: they say better what it is about.
    unless: type[Any] | None = None

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass(eq=False)
class Rule:
    id: str
    severity: Severity
    title: str
    remedy: str
    incident: str | None = None
    # Rules about ourselves are found by the engine and the collectors wherever something is judged.
    about_ourselves: bool = False
    # Why no subject can be unknown to it. Where this is not said, there is a case that shows one.
    never_unknown: str | None = None
    # Whether some of what it finds leaves no choice, so that `check --fix` mends it.
    mends: bool = False
    # Whether it leaves a value to any other rule that fails it: that one knows what the value is for.
    gives_way: bool = False
    # Whether it tells of objects only what no other rule says of them, be it as their cause or as its victims.
    tells_the_rest: bool = False
    # Why subjects may be unread that all other rules leave to this one to tell.
    tells: Unread | None = None
    # Of a rule that warns, whether some of what it finds is an error: each failure says by itself what it is.
    may_be_grave: bool = False
    # Whether it needs the last words of pods that do not run: only then are they asked for.
    reads_logs: bool = False
    # Whether it speaks of AWS as a program does: who writes Terraform or a template reads it in his own words.
    of_a_program: bool = False
    _functions: list[tuple[Check, type[Any] | None]] = field(default_factory=list)
    _bound: tuple[BoundCheck, ...] = ()

    @overload
    def check(self, function: AnyCheck) -> AnyCheck: ...

    @overload
    def check(self, *, unless: type[Any]) -> Callable[[AnyCheck], AnyCheck]: ...

    def check(
        self, function: AnyCheck | None = None, *, unless: type[Any] | None = None
    ) -> AnyCheck | Callable[[AnyCheck], AnyCheck]:
        def added(function: AnyCheck) -> AnyCheck:
            self._functions.append((function, unless))
            return function

        return added if function is None else added(function)

    @property
    def checks(self) -> tuple[BoundCheck, ...]:
        """The checks of the rule, in one order. Of a rule that is a folder, only modules that were imported have theirs
        here: `nodeworthy/rules/__init__.py` says which are."""
        if len(self._bound) != len(self._functions):
            by_module = sorted(self._functions, key=lambda each: each[0].__module__)
            self._bound = tuple(_bind(function, unless) for function, unless in by_module)
        return self._bound

    def with_checks(self, checks: Iterable[BoundCheck]) -> Rule:
        """The rule with only these of its checks, or with others in their places."""
        return replace(self, _functions=[(each.function, each.unless) for each in checks], _bound=())

    @property
    def documentation(self) -> str:
        """The docstring of the rule's module, or of its folder, which is its page."""
        modules = [function.__module__ for function, _ in self._functions]
        named = min(modules, default=f"nodeworthy.rules.{self.id.replace('-', '_')}")
        folder = sys.modules.get(named.rpartition(".")[0])
        is_its_own = isinstance(own := getattr(folder, "RULE", None), Rule) and own.id == self.id
        told = getattr(folder if is_its_own else sys.modules.get(named), "__doc__", None)
        return told.strip() if told else self.title


def _bind(function: Check, unless: type[Any] | None) -> BoundCheck:
    hints = typing.get_type_hints(function)
    names = parameters(function)
    if not names:
        raise TypeError(f"{function.__name__} asks for no fact")
    subject, *context = (_parameter(hints[name]) for name in names)
    if subject.many is not Many.EACH:
        raise TypeError(f"{function.__name__}: the first parameter is the subject, one at a time")
    return BoundCheck(function, subject.type, tuple(context), unless)


def _parameter(hint: Any) -> Parameter:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        one = next(each for each in arguments if each is not type(None))
        if typing.get_origin(one) is not None:
            raise TypeError(f"{hint}: of all that there are a check is given an empty sequence, and never None")
        return Parameter(one, Many.OPTIONAL)
    if origin is not None and issubclass(origin, Sequence):
        return Parameter(arguments[0], Many.ALL)
    return Parameter(hint, Many.EACH)
