"""Pulumi's own gRPC stubs, without Pulumi's SDK.

`import pulumi` costs a third of a second and wants an event loop; its generated protocol modules need grpc
alone. They import each other relatively, so they are loaded under a package name of ours that has
the SDK's folder as its path.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from nodeworthy.errors import MissingExtra

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
