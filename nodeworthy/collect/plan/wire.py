"""Values as they travel between a program and its engine: plain data, with signed mappings for what is special."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nodeworthy.collect.plan.protocol import OUTPUT, SECRET, SIGNATURE, UNKNOWN
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.redaction import hidden_data

Wire = Any  # what JSON can hold


def from_struct(struct: Any) -> dict[str, Wire]:
    """A protobuf Struct as plain data; whole numbers are ints, as in every schema they come from."""
    return {name: from_value(value) for name, value in struct.fields.items()}


def from_value(value: Any) -> Wire:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [from_value(each) for each in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return getattr(value, kind) if kind not in (None, "null_value") else None


def into_struct(data: Mapping[str, Wire], struct: Any) -> None:
    for name, value in data.items():
        _into(value, struct.fields[name])


def _into(data: Wire, value: Any) -> None:
    if data is None:
        value.null_value = 0
    elif isinstance(data, bool):
        value.bool_value = data
    elif isinstance(data, (int, float)):
        value.number_value = data
    elif isinstance(data, str):
        value.string_value = data
    elif isinstance(data, dict):
        value.struct_value.SetInParent()
        into_struct(data, value.struct_value)
    else:
        value.list_value.SetInParent()
        for each in data:
            _into(each, value.list_value.values.add())


def settled(data: Wire) -> Wire:
    """Output values (a value with its dependencies) as the simpler values that every SDK reads back."""
    if isinstance(data, dict):
        if data.get(SIGNATURE) == OUTPUT:
            inner = settled(data["value"]) if "value" in data else UNKNOWN
            return {SIGNATURE: SECRET, "value": inner} if data.get("secret") else inner
        return {name: settled(each) for name, each in data.items()}
    if isinstance(data, list):
        return [settled(each) for each in data]
    return data


def is_secret(data: Wire) -> bool:
    return isinstance(data, dict) and data.get(SIGNATURE) == SECRET


def holds_unknown(data: Wire) -> bool:
    """Whether something in here is not known yet; a text that was put together from an unknown is not known either."""
    if isinstance(data, str):
        return UNKNOWN in data
    if isinstance(data, dict):
        return any(holds_unknown(each) for each in data.values())
    return isinstance(data, list) and any(holds_unknown(each) for each in data)


def redacted(data: Wire) -> Wire:
    """What may be written: `(secret)` for every secret, `(unknown)` for what is not known yet. A secret is what the
    program calls one, and what is one."""
    return hidden_data(_told(data))


def _told(data: Wire) -> Wire:
    if is_secret(data):
        return HIDDEN
    if isinstance(data, dict):
        return {name: _told(each) for name, each in data.items() if name != SIGNATURE}
    if isinstance(data, list):
        return [_told(each) for each in data]
    return "(unknown)" if isinstance(data, str) and UNKNOWN in data else data


def count_unknown(data: Wire) -> int:
    """How many values in here are not known yet."""
    if isinstance(data, dict):
        return sum(count_unknown(each) for each in data.values())
    if isinstance(data, list):
        return sum(count_unknown(each) for each in data)
    return int(isinstance(data, str) and UNKNOWN in data)
