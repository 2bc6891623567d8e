"""Facts in one line each, so that a table can hold all that was read: what is as it is by default is left out."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from nodeworthy.boot.text import Text
from nodeworthy.documents.tree import Tree
from nodeworthy.verdict import Known, Located, Place, Unknown

_AS_THEY_ARE = (ipaddress.IPv4Network, ipaddress.IPv6Network, ipaddress.IPv4Address, Fraction, int, float)


def shown(value: Any) -> str:
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, (bool, *_AS_THEY_ARE)):
        return str(value)
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, Place):
        return f"@{_spot(value)}"
    if isinstance(value, Text):
        return f"‹{value.shown()}›"
    if isinstance(value, Located):
        return _located(value)
    if isinstance(value, Tree):
        return f"tree{shown(value.place)}"
    return _made_of_others(value)


def _made_of_others(value: Any) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        told = [f"{each.name}={shown(getattr(value, each.name))}" for each in fields(value) if _is_said(each, value)]
        return f"{type(value).__name__}({', '.join(told)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{shown(key)}: {shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    if isinstance(value, Iterable):
        return f"[{', '.join(map(shown, value))}]"
    return str(value)


def _is_said(field: Any, of: Any) -> bool:
    """What is compared, and is not what it is by default."""
    if not field.compare and not isinstance(getattr(of, field.name), bool):
        return False
    if field.default is not MISSING:
        return bool(getattr(of, field.name) != field.default)
    return field.default_factory is MISSING or bool(getattr(of, field.name) != field.default_factory())


def _located(value: Located[Any]) -> str:
    state = value.state
    said = shown(state.value) if isinstance(state, Known) else f"unknown: {state.why}"
    return f"{said}{shown(value.place)}{'' if value.written else ' by default'}{' secret' if value.secret else ''}"


def _spot(place: Place) -> str:
    line = place.within or place.line
    spot = ":".join(str(each) for each in (line, place.column) if each is not None)
    return spot or place.subject or place.object or place.host or place.path or ""


__all__ = ["Unknown", "shown"]
