"""One provider for AWS and Kubernetes: it accepts everything, invents ids and ARNs, and asks nobody.

It lets the real engine plan. It knows no schema, so what it accepts the real provider may refuse.
"""

# ruff: noqa: N802 - the methods are named by the protocol

from __future__ import annotations

from collections.abc import Mapping
from concurrent import futures
from importlib import metadata
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf import json_format
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import provider_pb2 as provider
from pulumi.runtime.proto import provider_pb2_grpc
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

STANDS_IN_FOR = ("aws", "kubernetes")
# Outputs inside of what a program gives: of a whole output that is missing the SDK says that it is unknown, of these
# only the provider can.
COMPUTED_WITHIN = {"aws:eks/cluster:Cluster": {"vpcConfig": ("clusterSecurityGroupId", "vpcId")}}
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# Answers by the token of the call, where a program asks while it runs.
Answers = Mapping[str, Mapping[str, Any]]


class StandIn(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, name: str, answers: Answers) -> None:
        # The engine compares it with the SDK's, and warns.
        self._version = metadata.version(f"pulumi-{name}")
        self._answers = answers

    def Handshake(self, request: Any, context: Any) -> Any:
        return provider.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=True)

    def Attach(self, request: Any, context: Any) -> Any:
        return Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return PluginInfo(version=self._version)

    def Cancel(self, request: Any, context: Any) -> Any:
        return Empty()

    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider.DiffResponse(changes=provider.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:
        return provider.ConfigureResponse(
            acceptSecrets=True, acceptResources=True, acceptOutputs=True, supportsPreview=True
        )

    def Check(self, request: Any, context: Any) -> Any:
        return provider.CheckResponse(inputs=request.news)

    def Create(self, request: Any, context: Any) -> Any:
        """In a preview no id: the engine then knows that it is not known."""
        if not request.preview:
            made = f"stand-in-{request.name}"
            request.properties["arn"] = f"arn:aws:stand-in:::{made}"
            return provider.CreateResponse(id=made, properties=request.properties)
        for name, within in COMPUTED_WITHIN.get(request.type, {}).items():
            if name in request.properties:
                request.properties[name].update(dict.fromkeys(within, UNKNOWN))
        return provider.CreateResponse(properties=request.properties)

    def Diff(self, request: Any, context: Any) -> Any:
        changed = request.olds != request.news
        kinds = provider.DiffResponse
        return kinds(changes=kinds.DIFF_SOME if changed else kinds.DIFF_NONE)

    def Update(self, request: Any, context: Any) -> Any:
        return provider.UpdateResponse(properties=request.news)

    def Delete(self, request: Any, context: Any) -> Any:
        return Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        answer = self._answers.get(request.tok)
        if answer is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"the stand-in has no answer to {request.tok}")
        response = provider.InvokeResponse()
        json_format.ParseDict({"return": dict(answer or {})}, response)
        return response


class Providers:
    """The stand-in, listening as long as the `with` lasts."""

    def __init__(self, answers: Answers | None = None) -> None:
        self._servers = []
        self.attached = ""
        for name in STANDS_IN_FOR:
            server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
            provider_pb2_grpc.add_ResourceProviderServicer_to_server(StandIn(name, answers or {}), server)
            self._servers.append(server)
            port = server.add_insecure_port("127.0.0.1:0")
            # What PULUMI_DEBUG_PROVIDERS takes.
            self.attached += f"{',' if self.attached else ''}{name}:{port}"

    def __enter__(self) -> Self:
        for server in self._servers:
            server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.stop(grace=None)
