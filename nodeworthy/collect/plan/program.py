"""One run of the program: its engine, its process, its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from nodeworthy.collect.plan.answers import Answers
from nodeworthy.collect.plan.engine_log import EngineLog, shapes_handler
from nodeworthy.collect.plan.monitor import Monitor, Registry
from nodeworthy.collect.plan.plan import Plan
from nodeworthy.collect.plan.project import Project, StackConfig
from nodeworthy.collect.plan.protocol import OPTIONS, grpc, stubs
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.errors import InputError

PARALLEL = 4
Show = Callable[[str], None]


class ProgramRun:
    """A program and the engine that it talks to. Always stopped by its owner, whatever happened."""

    def __init__(
        self,
        project: Project,
        stack: str,
        config: StackConfig,
        answers: Answers,
        *,
        made: StandIns | None,
        show: Show,
    ) -> None:
        self._project = project
        self._show = show
        self.registry = Registry(project.name, stack, str(project.root.resolve()))
        self.log = EngineLog(show)
        self._server, address = self._serve(Monitor(self.registry, answers, made))
        self._process = self._start(stack, config, address)
        self.ended = threading.Event()
        self._readers = [
            threading.Thread(target=self._forward, args=(pipe,), daemon=True)
            for pipe in (self._process.stdout, self._process.stderr)
        ]
        for thread in (*self._readers, threading.Thread(target=self._await, daemon=True)):
            thread.start()

    def _serve(self, monitor: Monitor) -> tuple[Any, str]:
        server = grpc().server(ThreadPoolExecutor(max_workers=PARALLEL * 4 + 4), options=OPTIONS)
        stubs("resource_pb2_grpc").add_ResourceMonitorServicer_to_server(_Complete(monitor), server)
        stubs("engine_pb2_grpc").add_EngineServicer_to_server(self.log, server)
        server.add_generic_rpc_handlers((shapes_handler(self.registry),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        return server, f"127.0.0.1:{port}"

    def _start(self, stack: str, config: StackConfig, address: str) -> subprocess.Popen[bytes]:
        project = self._project
        told = {
            "engine": address,
            "project": project.name,
            "stack": stack,
            "organization": "organization",
            "root_directory": str(project.root.resolve()),
            "pwd": str(project.folder.resolve()),
            "parallel": str(PARALLEL),
            "dry_run": "true",
        }
        arguments = [part for name, value in told.items() for part in (f"--{name}", value)]
        environment = {
            **os.environ,
            "PULUMI_CONFIG": json.dumps(dict(config.values)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(config.secret_keys)),
        }
        try:
            return subprocess.Popen(
                [project.python, "-u", str(host_path()), *arguments, project.entry],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                # A group of its own: whatever the program starts ends with it.
                start_new_session=True,
            )
        except OSError as problem:
            self._server.stop(0)
            raise InputError(f"can't run the program with {project.python}: {problem.strerror}") from None

    def _forward(self, pipe: IO[bytes]) -> None:
        """What a program prints is for people: never part of the report."""
        with suppress(ValueError, OSError):  # the pipe is closed under us when the run is stopped
            for line in iter(lambda: pipe.readline(65536), b""):
                self._show(line.decode("utf-8", errors="replace"))

    def _await(self) -> None:
        self._process.wait()
        for thread in self._readers:
            # A grandchild may hold the pipe open for ever.
            thread.join(timeout=1)
        self.ended.set()

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    @property
    def plan(self) -> Plan:
        return self.registry.plan()

    def stop(self) -> None:
        """Ends the program and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._server.stop(0)
        for thread, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            thread.join(timeout=1)
            # One that a process outside of the group still holds open is left to the end of ours.
            if pipe is not None and not thread.is_alive():
                pipe.close()


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


def host_path() -> Path:
    return Path(__file__).with_name("language_host.py")
