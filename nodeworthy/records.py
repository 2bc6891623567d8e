"""`dataclass` as the standard library's, but a method is written when it is first called.

A run of `check` imports hundreds of such classes, makes instances of a third of them, and compares fewer still: to
write the methods of all at import took nearly half of its time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

__all__ = ["dataclass"]


class _Code(NamedTuple):
    parameters: list[str]
    lines: list[str]
    # What the lines name beside the parameters.
    names: dict[str, Any]


_Writer = Callable[[type[Any]], _Code]


def _dataclass(cls: type[Any] | None = None, /, **options: bool) -> Any:
    return (lambda cls: _made(cls, **options)) if cls is None else _made(cls, **options)


def _made(
    plain: type[Any],
    *,
    frozen: bool = False,
    eq: bool = True,
    slots: bool = False,
    kw_only: bool = False,
    unsafe_hash: bool = False,
) -> type[Any]:
    # Without a text, the standard library works out a signature for it.
    plain.__doc__ = plain.__doc__ or plain.__name__
    own = {name for name, value in vars(plain).items() if value is not None}
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(plain)
    methods: dict[str, Any] = {
        "__init__": _later(cls, "__init__", _frozen_init if frozen else _init),
        "__repr__": _repr,
    }
    if eq:
        methods["__eq__"] = _later(cls, "__eq__", _eq)
        methods["__hash__"] = None
    if unsafe_hash or (eq and frozen):
        methods["__hash__"] = _later(cls, "__hash__", _hash)
    if frozen:
        methods |= _FROZEN_WITH_SLOTS if slots else _FROZEN
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _later(cls: type[Any], name: str, write: _Writer) -> Callable[..., Any]:
    """Stands for the method until it is called; then the method is written, and takes its place."""

    def first(*arguments: Any, **named: Any) -> Any:
        method = _written(cls, name, write(cls))
        setattr(cls, name, method)
        return method(*arguments, **named)

    return first


def _written(cls: type[Any], name: str, code: _Code) -> Callable[..., Any]:
    names = {**code.names, "__name__": cls.__module__}
    text = "\n ".join([f"def {name}({', '.join(code.parameters)}):", *code.lines])
    exec(text, names)  # noqa: S102 - the text is our own: names of fields, and no value of any
    method: Callable[..., Any] = names[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


def _init(cls: type[Any], assign: str = "self.{0} = {1}") -> _Code:
    taken = [each for each in fields(cls) if each.init]
    by_name = [_parameter(each) for each in taken if each.kw_only]
    parameters = [
        "self",
        *(_parameter(each) for each in taken if not each.kw_only),
        *(["*"] if by_name else []),
        *by_name,
    ]
    lines = [assign.format(each.name, _value(each)) for each in fields(cls) if each.init or _has_default(each)]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    names: dict[str, Any] = {"_MISSING": MISSING, "_set": object.__setattr__}
    for each in fields(cls):
        names[f"_default_{each.name}"] = each.default if each.default is not MISSING else each.default_factory
    return _Code(parameters, lines or ["pass"], names)


def _frozen_init(cls: type[Any]) -> _Code:
    return _init(cls, "_set(self, '{0}', {1})")


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _parameter(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f"{field.name}=_default_{field.name}"
    return field.name if field.default_factory is MISSING else f"{field.name}=_MISSING"


def _value(field: Field[Any]) -> str:
    name = field.name
    if field.default_factory is MISSING:
        return name if field.init else f"_default_{name}"
    return f"_default_{name}() if {name} is _MISSING else {name}" if field.init else f"_default_{name}()"


def _eq(cls: type[Any]) -> _Code:
    compared = [each.name for each in fields(cls) if each.compare]
    lines = [
        "if other.__class__ is not self.__class__:",
        "    return NotImplemented",
        f"return {_all_of('self', compared)} == {_all_of('other', compared)}",
    ]
    return _Code(["self", "other"], lines, {})


def _hash(cls: type[Any]) -> _Code:
    hashed = [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    return _Code(["self"], [f"return hash({_all_of('self', hashed)})"], {})


def _all_of(whose: str, names: list[str]) -> str:
    return f"({''.join(f'{whose}.{name}, ' for name in names)})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(_self: Any, name: str, _value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_FROZEN = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
# Who copies an object with slots would assign them.
_FROZEN_WITH_SLOTS = {**_FROZEN, "__getstate__": _state, "__setstate__": _restore}

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass
