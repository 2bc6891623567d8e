"""`dataclass` and what goes with it, as the standard library's; but a method is written when it has been called often.

A run of `check` imports hundreds of such classes, makes instances of a third of them, mostly two or three, and compares
fewer still: to write the methods of all at import took nearly half of its time, and to write those that are called once
one thirtieth. Until then the fields are read at each call; what these are is found out when somebody asks. The standard
library's own module reads Python's grammar when it is imported, a seventh of a run that is answered from the cache: it
is asked only where somebody asks it of one of these classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, get_origin

__all__ = ["dataclass", "field", "fields", "replace"]

_FIELDS = "__record_fields__"
_MISSING: Any = type("_Missing", (), {"__repr__": lambda _: "MISSING", "__slots__": ()})()


# A NamedTuple of each of these would be written at every start, which takes as long as three modules.


class _Field:
    __slots__ = ("compare", "default", "default_factory", "hash", "init", "kw_only", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - as the standard library calls it
        hash: bool | None = None,  # noqa: A002
        compare: bool = True,
        kw_only: Any = _MISSING,
    ) -> None:
        self.name, self.type = "", None
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.hash, self.compare, self.kw_only = init, repr, hash, compare, kw_only

    @property
    def said(self) -> dict[str, Any]:
        """What was said of it, by the standard library's names."""
        return {name: getattr(self, name) for name in _SAID}

    @property
    def has_default(self) -> bool:
        return self.default is not _MISSING or self.default_factory is not _MISSING

    def of(self, name: str, kind: Any, *, kw_only: bool) -> _Field:
        """The same as the field of a class."""
        told = _Field(**self.said)
        told.name, told.type = name, kind
        told.kw_only = kw_only if told.kw_only is _MISSING else told.kw_only
        return told


_SAID = tuple(name for name in _Field.__slots__ if name not in ("name", "type"))
_NOTHING = _Field()


class _NotYet:
    """Fields that nobody has asked for."""

    __slots__ = ("kw_only", "taken")

    def __init__(self, taken: Mapping[str, _Field], kw_only: bool) -> None:
        # Those that the class spelt out.
        self.taken = taken
        self.kw_only = kw_only


def _field(**said: Any) -> Any:
    if "default" in said and "default_factory" in said:
        raise ValueError("cannot specify both default and default_factory")
    return _Field(**said)


class _Code:
    __slots__ = ("lines", "names", "parameters")

    def __init__(self, parameters: list[str], lines: list[str], names: dict[str, Any]) -> None:
        self.parameters = parameters
        self.lines = lines
        # What the lines name beside the parameters.
        self.names = names


class _Way:
    """How a method is done: as code, and by a function that reads the fields, and says where it can't."""

    __slots__ = ("code", "function")

    def __init__(self, code: Callable[[type[Any]], _Code], function: Callable[[type[Any]], Callable[..., Any]]) -> None:
        self.code = code
        self.function = function


# So often a method is done by the function.
_SELDOM = 8
# What that says where the arguments are wrong: the method itself says what is wrong with them.
_NOT_DONE: Any = object()


def _dataclass(cls: type[Any] | None = None, /, **options: bool) -> Any:
    return (lambda cls: _make_record(cls, **options)) if cls is None else _make_record(cls, **options)


def _make_record(
    cls: type[Any],
    *,
    frozen: bool = False,
    eq: bool = True,
    slots: bool = False,
    kw_only: bool = False,
    unsafe_hash: bool = False,
) -> type[Any]:
    cls.__doc__ = cls.__doc__ or cls.__name__
    own = {name for name, value in vars(cls).items() if value is not None}
    said = _NotYet(_taken_from(cls), kw_only)
    if slots:
        found = _all_fields(cls, said)
        cls = _with_slots(cls, found)
    setattr(cls, _FIELDS, found if slots else said)
    methods = _methods(cls, frozen=frozen, slots=slots)
    if eq:
        methods["__eq__"] = _later(cls, "__eq__", _EQ)
        methods["__hash__"] = None
    if unsafe_hash or (eq and frozen):
        methods["__hash__"] = _later(cls, "__hash__", _HASH)
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    cls.__dataclass_fields__ = _THEIRS
    cls.__dataclass_params__ = _Parameters(frozen)
    return cls


def _methods(cls: type[Any], *, frozen: bool, slots: bool) -> dict[str, Any]:
    """The methods that every record has."""
    methods: dict[str, Any] = {
        "__init__": _later(cls, "__init__", _FROZEN_INIT if frozen else _INIT),
        "__repr__": _repr,
        "__replace__": _replace,
        "__match_args__": _IN_ORDER,
    }
    if frozen:
        methods |= _FROZEN_WITH_SLOTS if slots else _FROZEN
    return methods


def _inherited(cls: type[Any]) -> dict[str, _Field]:
    found: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        found |= _of_class(base)
    return found


def _of_class(cls: type[Any]) -> Mapping[str, _Field]:
    """The fields that this very class has. It may be a record of ours, or a dataclass of the standard library."""
    said = vars(cls)
    if _FIELDS in said:
        ours: Mapping[str, _Field] | _NotYet = said[_FIELDS]
        if isinstance(ours, _NotYet):
            ours = _all_fields(cls, ours)
            setattr(cls, _FIELDS, ours)
        return ours
    return {name: _of_theirs(each) for name, each in said.get("__dataclass_fields__", {}).items()}


def fields_written_out(**told: tuple[bool, bool, bool, bool]) -> Mapping[str, _Field]:
    """All fields of a class that is compiled, whose methods stand in it: of each whether it is given when one is made,
    shown, compared, and given by its name."""
    names = ("init", "repr", "compare", "kw_only")
    made = {name: _Field(**dict(zip(names, said, strict=True))) for name, said in told.items()}
    return {name: each.of(name, Any, kw_only=each.kw_only) for name, each in made.items()}


def _all_fields(cls: type[Any], said: _NotYet) -> Mapping[str, _Field]:
    return _inherited(cls) | _declared(cls, said)


def _declared(cls: type[Any], said: _NotYet) -> dict[str, _Field]:
    """What the class itself says; a default stays the class's attribute."""
    found = {}
    for name, kind in _annotations(cls).items():
        if _is_of_the_class(kind):
            continue
        each = said.taken.get(name) or _of_value(getattr(cls, name, _MISSING))
        found[name] = each.of(name, kind, kw_only=said.kw_only)
    return found


def _taken_from(cls: type[Any]) -> dict[str, _Field]:
    """The fields that the class spells out: in their stead stands their default, or nothing."""
    taken = {}
    kinds = _annotations(cls)
    for name, value in [each for each in vars(cls).items() if each[0] in kinds]:
        if _is_of_the_class(kinds[name]):
            continue
        each = _of_value(value)
        if each.default is value:
            continue
        taken[name] = each
        if each.default is _MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, each.default)
    return taken


def _annotations(cls: type[Any]) -> Mapping[str, Any]:
    """The class's own. From Python 3.14 on they may be made only when somebody asks."""
    if "__annotations__" in vars(cls) or not hasattr(cls, "__annotate__"):
        return vars(cls).get("__annotations__") or {}
    made: Mapping[str, Any] = cls.__annotations__
    return made


def _is_of_the_class(kind: Any) -> bool:
    if isinstance(kind, str):
        return kind.removeprefix("typing.").startswith("ClassVar")
    return kind is ClassVar or get_origin(kind) is ClassVar


def _of_value(value: Any) -> _Field:
    if isinstance(value, _Field):
        return value
    if value is _MISSING or isinstance(value, MemberDescriptorType):
        return _NOTHING
    theirs = sys.modules.get("dataclasses")
    if theirs is not None and isinstance(value, theirs.Field):
        return _of_theirs(value)
    if type(value).__hash__ is None:
        raise ValueError(f"mutable default {type(value)} is not allowed: use default_factory")
    return _Field(default=value)


def _of_theirs(theirs: Any) -> _Field:
    from dataclasses import MISSING

    said = {name: getattr(theirs, name) for name in _SAID}
    told = _Field(**{name: _MISSING if each is MISSING else each for name, each in said.items()})
    told.name, told.type = theirs.name, theirs.type
    return told


def _with_slots(cls: type[Any], found: Mapping[str, _Field]) -> type[Any]:
    """A class can't be given slots: it is made once more, with them."""
    above = {slot for base in cls.__mro__[1:-1] for slot in _slots(base)}
    left = {name: value for name, value in vars(cls).items() if name not in (*found, "__dict__", "__weakref__")}
    left["__slots__"] = tuple(name for name in found if name not in above)
    kind: Any = type(cls)
    made: type[Any] = kind(cls.__name__, cls.__bases__, left)
    made.__qualname__ = cls.__qualname__
    return made


def _slots(cls: type[Any]) -> tuple[str, ...]:
    said = vars(cls).get("__slots__", ())
    return (said,) if isinstance(said, str) else tuple(said)


class _Theirs:
    """What the standard library asks a class of its own for, made when it asks."""

    def __get__(self, _: object, cls: type[Any]) -> Any:
        import dataclasses

        owner: Any = next(each for each in cls.__mro__ if _FIELDS in vars(each))
        told = [(each.name, each.type, _theirs(each, dataclasses)) for each in _of_class(owner).values()]
        twin: Any = dataclasses.make_dataclass(owner.__name__, told, init=False, repr=False, eq=False)
        owner.__dataclass_fields__ = twin.__dataclass_fields__
        return owner.__dataclass_fields__


def _theirs(ours: _Field, dataclasses: Any) -> Any:
    return dataclasses.field(**{name: value for name, value in ours.said.items() if value is not _MISSING})


class _Parameters:
    """What the standard library asks of a class that one of its own is made of."""

    __slots__ = ("frozen",)

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen


_THEIRS = _Theirs()


class _InOrder:
    """What a pattern takes without names, found out when the first pattern asks."""

    def __get__(self, _: object, cls: type[Any]) -> tuple[str, ...]:
        names = tuple(each.name for each in _fields(cls) if each.init and not each.kw_only)
        cls.__match_args__ = names  # type: ignore[misc]
        return names


_IN_ORDER = _InOrder()


def _later(cls: type[Any], name: str, way: _Way) -> Callable[..., Any]:
    """Stands for the method until it has been called often; then the method is written, and takes its place."""
    calls = 0
    function: Callable[..., Any] | None = None

    def first(*arguments: Any, **named: Any) -> Any:
        nonlocal calls, function
        calls += 1
        function = function or way.function(cls)
        told = function(*arguments, **named) if calls <= _SELDOM else _NOT_DONE
        if told is not _NOT_DONE:
            return told
        method = _compile_method(cls, name, way.code(cls))
        setattr(cls, name, method)
        return method(*arguments, **named)

    return first


def _compile_method(cls: type[Any], name: str, code: _Code) -> Callable[..., Any]:
    names = {**code.names, "__name__": cls.__module__}
    text = "\n ".join([f"def {name}({', '.join(code.parameters)}):", *code.lines])
    exec(text, names)  # noqa: S102 - the text is our own: names of fields, and no value of any
    method: Callable[..., Any] = names[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


def _init(cls: type[Any], assign: str = "self.{0} = {1}") -> _Code:
    every = _of_class(cls).values()
    taken = [each for each in every if each.init]
    by_name = [_parameter(each) for each in taken if each.kw_only]
    parameters = [
        "self",
        *(_parameter(each) for each in taken if not each.kw_only),
        *(["*"] if by_name else []),
        *by_name,
    ]
    lines = [assign.format(each.name, _value(each)) for each in every if each.init or each.has_default]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    names: dict[str, Any] = {"_MISSING": _MISSING, "_set": object.__setattr__}
    for each in every:
        names[f"_default_{each.name}"] = each.default if each.default is not _MISSING else each.default_factory
    return _Code(parameters, lines or ["pass"], names)


def _frozen_init(cls: type[Any]) -> _Code:
    return _init(cls, "_set(self, '{0}', {1})")


def _init_by_fields(cls: type[Any], assign: Callable[[Any, str, Any], None] = setattr) -> Callable[..., Any]:
    every = tuple(_of_class(cls).values())
    in_order = [each.name for each in every if each.init and not each.kw_only]

    def init(self: Any, *arguments: Any, **named: Any) -> Any:
        given = {**dict(zip(in_order, arguments, strict=False)), **named}
        values = _values_of(every, given) if len(given) == len(arguments) + len(named) else None
        if values is None:
            return _NOT_DONE
        for name, value in values.items():
            assign(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()
        return None

    return init


def _frozen_init_by_fields(cls: type[Any]) -> Callable[..., Any]:
    return _init_by_fields(cls, object.__setattr__)


def _values_of(every: Sequence[_Field], given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The value of each field, in their order. None where a value is missing, or where one was given that is no
    field's."""
    if not given.keys() <= {each.name for each in every if each.init}:
        return None
    values = {}
    for each in every:
        if each.name in given:
            values[each.name] = given[each.name]
        elif each.has_default:
            values[each.name] = each.default_factory() if each.default is _MISSING else each.default
        elif each.init:
            return None
    return values


def _parameter(field: _Field) -> str:
    if field.default is not _MISSING:
        return f"{field.name}=_default_{field.name}"
    return field.name if field.default_factory is _MISSING else f"{field.name}=_MISSING"


def _value(field: _Field) -> str:
    name = field.name
    if field.default_factory is _MISSING:
        return name if field.init else f"_default_{name}"
    return f"_default_{name}() if {name} is _MISSING else {name}" if field.init else f"_default_{name}()"


def _eq_code(cls: type[Any]) -> _Code:
    compared = [each.name for each in _of_class(cls).values() if each.compare]
    lines = [
        "if other.__class__ is not self.__class__:",
        "    return NotImplemented",
        f"return {_all_of('self', compared)} == {_all_of('other', compared)}",
    ]
    return _Code(["self", "other"], lines, {})


def _hash_code(cls: type[Any]) -> _Code:
    return _Code(["self"], [f"return hash({_all_of('self', _hashed(cls))})"], {})


def _eq_by_fields(cls: type[Any]) -> Callable[..., Any]:
    names = [each.name for each in _of_class(cls).values() if each.compare]

    def eq(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _those_of(self, names) == _those_of(other, names)

    return eq


def _hash_by_fields(cls: type[Any]) -> Callable[..., Any]:
    names = _hashed(cls)
    return lambda self: hash(_those_of(self, names))


def _hashed(cls: type[Any]) -> list[str]:
    return [each.name for each in _of_class(cls).values() if (each.compare if each.hash is None else each.hash)]


def _those_of(one: object, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple([getattr(one, name) for name in names])


def _all_of(whose: str, names: list[str]) -> str:
    return f"({''.join(f'{whose}.{name}, ' for name in names)})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in _fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(_self: Any, name: str, _value: Any) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in _fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(_fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


def _fields(one: Any) -> tuple[_Field, ...]:
    """The fields of a record, or of the class of one."""
    for cls in (one if isinstance(one, type) else type(one)).__mro__:
        if not vars(cls).keys().isdisjoint((_FIELDS, "__dataclass_fields__")):
            return tuple(_of_class(cls).values())
    raise TypeError("must be called with a dataclass type or instance")


def _replace(one: Any, /, **changes: Any) -> Any:
    for name, is_given in _replaced_fields(one.__class__):
        if name in changes:
            if not is_given:
                raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
        elif is_given:
            changes[name] = getattr(one, name)
    return one.__class__(**changes)


@cache
def _replaced_fields(cls: type[Any]) -> tuple[tuple[str, bool], ...]:
    """The names of the fields, each with whether it is given when one is made: nobody asks a class twice."""
    return tuple((each.name, each.init) for each in _fields(cls))


_INIT = _Way(_init, _init_by_fields)
_FROZEN_INIT = _Way(_frozen_init, _frozen_init_by_fields)
_EQ = _Way(_eq_code, _eq_by_fields)
_HASH = _Way(_hash_code, _hash_by_fields)
_FROZEN = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
# Who copies an object with slots would assign them.
_FROZEN_WITH_SLOTS = {**_FROZEN, "__getstate__": _state, "__setstate__": _restore}

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
else:
    dataclass, field, fields, replace = _dataclass, _field, _fields, _replace
