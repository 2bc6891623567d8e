"""The engine as the program sees it: what this process knows itself is not asked, and types are told beside it."""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import typing
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property

import grpc
import pulumi
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2, resource_pb2_grpc

# How deep a type's outputs are told; types that hold themselves would have no end.
DEEPEST = 3
DEBUG = 0  # LogSeverity
TELL = "/nodeworthy.Shapes/Tell"
# What pulumi 3.259 says of itself; later SDKs also ask for features by the names that it has no answer for.
FEATURES = frozenset(
    "secrets resourceReferences outputValues aliasSpecs replacementTrigger deletedWith replaceWith transforms "
    "invokeTransforms parameterization resourceHooks errorHooks sendsOptionsToHooks".split()
)
# The numbers of the same, and of byte strings, invoke dependencies and invoke parents.
FEATURE_NUMBERS = tuple(range(16))
TypesOf = Callable[[type], typing.Mapping[str, typing.Any]]
Answer = typing.TypeVar("Answer")
# Seconds, after which it is asked whether there still is a loop.
SOON = 0.2


class Parts(typing.Protocol):
    address: str

    def now(self) -> None: ...


class Link:
    """The way to the engine, made when it is first needed: it brings threads, and a process with threads can't part."""

    def __init__(self, parting: Parts) -> None:
        self._parting = parting
        self._lock = threading.Lock()
        self._channel: typing.Any = None

    @property
    def channel(self) -> typing.Any:
        with self._lock:
            if self._channel is None:
                self._parting.now()
                self._channel = grpc.insecure_channel(self._parting.address, options=_GRPC_CHANNEL_OPTIONS)
            return self._channel


class Monitor:
    """The engine's monitor; before the first resource of a type, the engine is told which outputs the type has."""

    def __init__(self, link: Link, options: argparse.Namespace, loop: asyncio.AbstractEventLoop) -> None:
        self._link = link
        self._options = options
        self._loop = loop
        self._told: set[str] = set()

    @cached_property
    def _stub(self) -> typing.Any:
        return resource_pb2_grpc.ResourceMonitorStub(self._link.channel)

    @cached_property
    def _tell(self) -> typing.Any:
        return self._link.channel.unary_unary(TELL, request_serializer=bytes, response_deserializer=bytes)

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._stub, name)

    def SupportsFeature(self, request: typing.Any) -> typing.Any:  # noqa: N802 (the protocol's name)
        return resource_pb2.SupportsFeatureResponse(hasSupport=request.id in FEATURES)

    def GetDeploymentInfo(self, _: typing.Any) -> typing.Any:  # noqa: N802
        known: set[int] = set(resource_pb2.ResourceMonitorFeature.values())
        return resource_pb2.DeploymentInfo(
            project=self._options.project,
            stack=self._options.stack,
            organization=self._options.organization,
            dryRun=True,
            supportedFeatures=sorted(known.intersection(FEATURE_NUMBERS)),  # type: ignore[arg-type]
        )

    def RegisterResource(self, request: typing.Any) -> typing.Any:  # noqa: N802
        self._shape(request)
        return self._stub.RegisterResource(request)

    def ReadResource(self, request: typing.Any) -> typing.Any:  # noqa: N802
        self._shape(request)
        return self._stub.ReadResource(request)

    def _shape(self, request: typing.Any) -> None:
        if request.type in self._told:
            return
        shape = on_the_loop(self._loop, lambda: _shape_of(request.type))
        if shape is not None:
            self._tell(json.dumps({"type": request.type, "outputs": shape}).encode())
        self._told.add(request.type)


class Engine:
    """The engine without the SDK's own diary, which is half of all calls and which nobody reads in a preview."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @cached_property
    def _stub(self) -> typing.Any:
        return engine_pb2_grpc.EngineStub(self._link.channel)

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._stub, name)

    def Log(self, request: typing.Any) -> typing.Any:  # noqa: N802
        if request.severity != DEBUG:
            self._stub.Log(request)


def on_the_loop(loop: asyncio.AbstractEventLoop, work: Callable[[], Answer]) -> Answer:
    """Answers in the loop's own thread what another thread asks. Types bring modules with them, which the SDK loads at
    first use. A module that two threads load at once is half empty to one of them."""
    done: Future[Answer] = Future()
    try:
        loop.call_soon_threadsafe(lambda: done.set_result(work()))
        while loop.is_running():
            try:
                return done.result(timeout=SOON)
            except NotYet:
                continue
    except RuntimeError:
        pass  # the loop is closed: the program has failed, and nobody loads anything any more
    return work()


def _shape_of(token: str) -> dict[str, typing.Any] | None:
    cls = _class_of(pulumi.CustomResource, token)
    return _members(cls, pulumi._types.resource_types, 0) if cls is not None else None


def _class_of(base: type[typing.Any], token: str) -> type | None:
    cls: type[typing.Any]
    for cls in base.__subclasses__():
        if getattr(cls, "pulumi_type", None) == token:
            return cls
        found = _class_of(cls, token)
        if found is not None:
            return found
    return None


def _members(cls: type, types_of: TypesOf, depth: int) -> dict[str, typing.Any]:
    try:
        return {name: _kind(kind, depth) for name, kind in types_of(cls).items() if name not in ("id", "urn")}
    except Exception:  # noqa: BLE001 (the SDK's own type metadata: what can't be read is not told, and stays unknown)
        return {}


def _kind(kind: typing.Any, depth: int) -> typing.Any:
    kind = pulumi._types.unwrap_type(kind)
    if kind is str:
        return "text"
    if typing.get_origin(kind) in (list, typing.Sequence) or "Sequence" in str(typing.get_origin(kind)):
        return [_kind(typing.get_args(kind)[0], depth)]
    if isinstance(kind, type) and pulumi._types.is_output_type(kind) and depth < DEEPEST:
        return _members(kind, pulumi._types.output_type_types, depth + 1)
    return None
