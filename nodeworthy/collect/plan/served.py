"""The engine's side of one run: it answers the program, and keeps what was said."""

# ruff: noqa: N802, ARG002

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from nodeworthy.collect.plan.answers import Answers
from nodeworthy.collect.plan.monitor import Monitor, Registry
from nodeworthy.collect.plan.plan import PreviewedPlan
from nodeworthy.collect.plan.project import Project, StackConfig
from nodeworthy.collect.plan.protocol import OPTIONS, grpc, stubs
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.records import dataclass

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


def _shapes_handler(registry: Registry) -> Any:
    """Takes what `language_host.py` tells about a type."""

    def tell(request: bytes, _: Any) -> bytes:
        told = json.loads(request)
        registry.shapes[told["type"]] = told["outputs"]
        return b""

    method = grpc().unary_unary_rpc_method_handler(tell, request_deserializer=bytes, response_serializer=bytes)
    return grpc().method_handlers_generic_handler(TELL_SERVICE, {TELL: method})


PARALLEL = 4
Show = Callable[[str], None]


@dataclass(frozen=True)
class Program:
    """What is run, and what it is told."""

    project: Project
    stack: str
    config: StackConfig
    answers: Answers
    # Variables that belong to the job, and are handed over all the same.
    passed: Collection[str] = ()


class Bounded:
    """Shows what a program says, up to where nobody reads on: a log is a place, too."""

    MOST = 2_000_000

    def __init__(self, show: Show) -> None:
        self._show = show
        self._left = self.MOST
        self._lock = Lock()

    def __call__(self, text: str) -> None:
        with self._lock:
            left, self._left = self._left, self._left - len(text)
        if left > 0:
            self._show(text[:left])
            if left <= len(text):
                self._show(f"\nnodeworthy: the program says more than {self.MOST:,} characters; the rest is left out\n")


class Served:
    def __init__(self, program: Program, made: StandIns | None, show: Show) -> None:
        project = program.project
        self.registry = Registry(project.name, program.stack, str(project.root.resolve()))
        self.log = EngineLog(show)
        self._server = grpc().server(ThreadPoolExecutor(max_workers=PARALLEL * 4 + 4), options=OPTIONS)
        monitor = _Complete(Monitor(self.registry, program.answers, made))
        stubs("resource_pb2_grpc").add_ResourceMonitorServicer_to_server(monitor, self._server)
        stubs("engine_pb2_grpc").add_EngineServicer_to_server(self.log, self._server)
        self._server.add_generic_rpc_handlers((_shapes_handler(self.registry),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    @property
    def plan(self) -> PreviewedPlan:
        return self.registry.plan()

    def stop(self) -> None:
        self._server.stop(0)


class _Complete:
    """The monitor with every method of the protocol: what it does not know, it says so by name."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._monitor, name, None) or _not_here(name)


def _not_here(name: str) -> Callable[[Any, Any], None]:
    def refuse(_: Any, context: Any) -> None:
        context.abort(grpc().StatusCode.UNIMPLEMENTED, f"a preview without Pulumi's engine does not know {name}")

    return refuse
