"""The engine that a program logs to, and that learns which outputs a type has."""

# The methods are named and called by the protocol.
# ruff: noqa: N802, ARG002

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nodeworthy.collect.plan.monitor import Registry
from nodeworthy.collect.plan.protocol import grpc, stubs

TELL_SERVICE, TELL = "nodeworthy.Shapes", "Tell"


class EngineLog:
    """The servicer behind `pulumirpc.Engine`."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._messages = stubs("engine_pb2")
        self._root = ""
        self.errors: list[str] = []

    def Log(self, request: Any, context: Any) -> Any:
        severity = self._messages.LogSeverity
        if request.severity == severity.ERROR:
            self.errors.append(request.message)
        elif request.severity != severity.DEBUG and not request.ephemeral:
            self._show(request.message.rstrip("\n") + "\n")
        return self._messages.google_dot_protobuf_dot_empty__pb2.Empty()

    def GetRootResource(self, request: Any, context: Any) -> Any:
        return self._messages.GetRootResourceResponse(urn=self._root)

    def SetRootResource(self, request: Any, context: Any) -> Any:
        self._root = request.urn
        return self._messages.SetRootResourceResponse()

    def StartDebugging(self, request: Any, context: Any) -> Any:
        return self._messages.google_dot_protobuf_dot_empty__pb2.Empty()

    def RequirePulumiVersion(self, request: Any, context: Any) -> Any:
        """Which CLI a program wants is for the CLI to say; there is none here."""
        return self._messages.RequirePulumiVersionResponse()


def shapes_handler(registry: Registry) -> Any:
    """Takes what `language_host.py` tells about a type."""

    def tell(request: bytes, _: Any) -> bytes:
        told = json.loads(request)
        registry.shapes[told["type"]] = told["outputs"]
        return b""

    method = grpc().unary_unary_rpc_method_handler(tell, request_deserializer=bytes, response_serializer=bytes)
    return grpc().method_handlers_generic_handler(TELL_SERVICE, {TELL: method})
