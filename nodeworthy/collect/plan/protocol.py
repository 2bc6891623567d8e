"""What goes between a program and its engine: Pulumi's own gRPC stubs, without its SDK, and values as plain data.

`import pulumi` costs a third of a second and wants an event loop; its generated protocol modules need grpc
alone. They import each other relatively, so they are loaded under a package name of ours that has
the SDK's folder as its path.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from nodeworthy.errors import MissingExtra
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.redaction import hidden_data

# What the engine and the SDKs write where a value is not known yet.
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# A mapping with this key is no mapping but a special value; what it holds says which one.
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
ASSET = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7"
REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"

# Programs with hundreds of megabytes of inputs exist; the SDK itself allows as much.
MESSAGE_SIZE = 400 * 1024 * 1024
OPTIONS = [("grpc.max_receive_message_length", MESSAGE_SIZE), ("grpc.max_send_message_length", MESSAGE_SIZE)]

_PACKAGE = "nodeworthy._pulumi_protocol"


@cache
def stubs(name: str) -> Any:
    """One generated module: `resource_pb2`, `resource_pb2_grpc`, `engine_pb2`, …"""
    _package()
    return importlib.import_module(f"{_PACKAGE}.{name}")


@cache
def grpc() -> Any:
    # Its core writes to standard error whenever a program ends before its channels do.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        return importlib.import_module("grpc")
    except ImportError:
        raise MissingExtra("a preview", "pulumi") from None


@cache
def _package() -> ModuleType:
    grpc()
    found = importlib.util.find_spec("pulumi")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("a preview", "pulumi")
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(Path(found.submodule_search_locations[0]) / "runtime" / "proto")]
    sys.modules[_PACKAGE] = package
    return package


Wire = Any  # what JSON can hold


def from_struct(struct: Any) -> dict[str, Wire]:
    """A protobuf Struct as plain data; whole numbers are ints, as in every schema they come from."""
    return {name: _from_value(value) for name, value in struct.fields.items()}


def _from_value(value: Any) -> Wire:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [_from_value(each) for each in value.list_value.values]
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


def plain_outputs(data: Wire) -> Wire:
    """Output values (a value with its dependencies) as the simpler values that every SDK reads back."""
    if isinstance(data, dict):
        if data.get(SIGNATURE) == OUTPUT:
            inner = plain_outputs(data["value"]) if "value" in data else UNKNOWN
            return {SIGNATURE: SECRET, "value": inner} if data.get("secret") else inner
        return {name: plain_outputs(each) for name, each in data.items()}
    if isinstance(data, list):
        return [plain_outputs(each) for each in data]
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


def redact_wire(data: Wire) -> Wire:
    """What may be written: `(secret)` for every secret, `(unknown)` for what is not known yet. A secret is what the
    program calls one, and what is one."""
    return hidden_data(_less_secrets(data))


def _less_secrets(data: Wire) -> Wire:
    if is_secret(data):
        return HIDDEN
    if isinstance(data, dict):
        return {name: _less_secrets(each) for name, each in data.items() if name != SIGNATURE}
    if isinstance(data, list):
        return [_less_secrets(each) for each in data]
    return "(unknown)" if isinstance(data, str) and UNKNOWN in data else data


def count_unknown(data: Wire) -> int:
    """How many values in here are not known yet."""
    if isinstance(data, dict):
        return sum(count_unknown(each) for each in data.values())
    if isinstance(data, list):
        return sum(count_unknown(each) for each in data)
    return int(isinstance(data, str) and UNKNOWN in data)
