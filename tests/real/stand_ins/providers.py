"""One provider for AWS and Kubernetes: it accepts everything, and invents ids and ARNs.

It lets the real engine plan. It knows no schema, so what it accepts the real provider may refuse. Where it is given
an AWS (moto's), it makes there what moto knows.
"""

# ruff: noqa: N802 - the methods are named by the protocol

from __future__ import annotations

import threading
from base64 import b64encode
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

from nodeworthy.collect.plan.protocol import Wire, from_struct, into_struct, is_secret, plain_outputs

from .aws_calls import Aws
from .in_moto import KINDS

STANDS_IN_FOR = ("aws", "kubernetes")
# Outputs inside of what a program gives: of a whole output that is missing the SDK says that it is unknown, of these
# only the provider can.
COMPUTED_WITHIN = {"aws:eks/cluster:Cluster": {"vpcConfig": ("clusterSecurityGroupId", "vpcId")}}
# What a change brings anew.
COMPUTED_ANEW = {"aws:ec2/launchTemplate:LaunchTemplate": ("latestVersion", "defaultVersion")}
# What boot scripts are told, of a cluster that nobody made.
MADE_UP: Mapping[str, Mapping[str, Any]] = {
    "aws:eks/cluster:Cluster": {
        "endpoint": "https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com",
        "certificateAuthority": {"data": b64encode(b"-----BEGIN CERTIFICATE-----\nMADEUP\n").decode()},
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
        "vpcConfig": {"clusterSecurityGroupId": "sg-0123456789abcdef0", "vpcId": "vpc-0123456789abcdef0"},
    }
}
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# Answers by the token of the call, where a program asks while it runs.
Answers = Mapping[str, Mapping[str, Any]]


class StandIn(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, name: str, answers: Answers, aws: Aws | None = None) -> None:
        # The engine compares it with the SDK's, and warns.
        self._version = metadata.version(f"pulumi-{name}")
        self._answers = answers
        self._aws = aws
        # What stands in for AWS is not made for calls at the same time.
        self._one_by_one = threading.Lock()

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
            known, outputs = self._made(request)
            # As the AWS provider does, whose resources are found by their ids.
            told = {**outputs, "id": known} if request.type.startswith("aws:") else outputs
            into_struct(_over(from_struct(request.properties), told), request.properties)
            return provider.CreateResponse(id=known, properties=request.properties)
        for name, within in COMPUTED_WITHIN.get(request.type, {}).items():
            if name in request.properties:
                request.properties[name].update(dict.fromkeys(within, UNKNOWN))
        return provider.CreateResponse(properties=request.properties)

    def _made(self, request: Any) -> tuple[str, Mapping[str, Any]]:
        kind = KINDS.get(request.type)
        if self._aws is None or kind is None:
            known = f"stand-in-{request.name}"
            return known, {"arn": f"arn:aws:stand-in:::{known}", **MADE_UP.get(request.type, {})}
        with self._one_by_one:
            return kind.make(self._aws, request.name, _plain(request.properties))

    def Diff(self, request: Any, context: Any) -> Any:
        changed = request.old_inputs != request.news
        kinds = provider.DiffResponse
        return kinds(changes=kinds.DIFF_SOME if changed else kinds.DIFF_NONE)

    def Update(self, request: Any, context: Any) -> Any:
        told = _over(from_struct(request.olds), from_struct(request.news))
        kind = KINDS.get(request.type)
        if request.preview:
            told.update(dict.fromkeys(COMPUTED_ANEW.get(request.type, ()), UNKNOWN))
        elif self._aws is not None and kind is not None and kind.renew is not None:
            with self._one_by_one:
                told.update(kind.renew(self._aws, request.id, _plain(request.news)))
        response = provider.UpdateResponse()
        into_struct(told, response.properties)
        return response

    def Delete(self, request: Any, context: Any) -> Any:
        kind = KINDS.get(request.type)
        if self._aws is not None and kind is not None:
            with self._one_by_one:
                kind.end(self._aws, request.id, _plain(request.properties))
        return Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        answer = self._answers.get(request.tok)
        if answer is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"the stand-in has no answer to {request.tok}")
        response = provider.InvokeResponse()
        json_format.ParseDict({"return": dict(answer or {})}, response)
        return response


def _plain(properties: Any) -> dict[str, Any]:
    """As AWS is told it: a secret is a value like any other."""
    data = plain_outputs(from_struct(properties))
    return {name: _opened(value) for name, value in data.items()}


def _opened(data: Wire) -> Wire:
    if is_secret(data):
        return _opened(data["value"])
    if isinstance(data, dict):
        return {name: _opened(each) for name, each in data.items()}
    return [_opened(each) for each in data] if isinstance(data, list) else data


def _over(inputs: Mapping[str, Wire], outputs: Mapping[str, Wire]) -> dict[str, Wire]:
    """Outputs beside inputs, within their mappings too."""
    within = {
        name: {**inputs[name], **value}
        for name, value in outputs.items()
        if isinstance(value, Mapping) and isinstance(inputs.get(name), Mapping)
    }
    return {**inputs, **outputs, **within}


class Providers:
    """The stand-in, listening as long as the `with` lasts."""

    def __init__(self, answers: Answers | None = None, aws: Aws | None = None) -> None:
        self._servers = []
        self.attached = ""
        for name in STANDS_IN_FOR:
            server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
            provider_pb2_grpc.add_ResourceProviderServicer_to_server(
                StandIn(name, answers or {}, aws if name == "aws" else None), server
            )
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
