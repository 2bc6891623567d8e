"""A Python language host for the real CLI: it runs the program and the policy packs, and nothing else.

The real one is refused by the registries. This one must not outlive the CLI, nor leave what it started behind:
it looks whether its parent is still there, and takes its children with it.
"""

# ruff: noqa: N802 - the methods are named by the protocol

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any, NoReturn

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import language_pb2 as language
from pulumi.runtime.proto import language_pb2_grpc
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

HERE = Path(__file__).resolve().parent
SHOWN = 32  # see program.py
LOOK_SECONDS = 0.2


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    def __init__(self) -> None:
        self.engine = ""
        self.children: list[subprocess.Popen[bytes]] = []

    def Handshake(self, request: Any, context: Any) -> Any:
        self.engine = request.engine_address
        return language.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return PluginInfo(version="3.0.0")

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        return language.GetRequiredPackagesResponse()

    def About(self, request: Any, context: Any) -> Any:
        return language.AboutResponse(executable=sys.executable, version=sys.version.split()[0])

    def GetProgramDependencies(self, request: Any, context: Any) -> Any:
        return language.GetProgramDependenciesResponse()

    def RuntimeOptionsPrompts(self, request: Any, context: Any) -> Any:
        return language.RuntimeOptionsResponse()

    def InstallDependencies(self, request: Any, context: Any) -> Iterator[Any]:
        return iter(())

    def Run(self, request: Any, context: Any) -> Any:
        info = request.info
        argv = [str(HERE / "program.py"), str(Path(info.program_directory, info.entry_point))]
        child = self._start(argv, info.program_directory, self._told(request), python=_python(info))
        code = child.wait()
        if code == SHOWN:
            return language.RunResponse(bail=True)
        return language.RunResponse(error=f"Program exited with non-zero exit code: {code}" if code else "")

    def _told(self, request: Any) -> dict[str, str]:
        return {
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            "PULUMI_PROJECT": request.project,
            "PULUMI_STACK": request.stack,
            "PULUMI_ORGANIZATION": request.organization,
            "PULUMI_DRY_RUN": str(request.dryRun).lower(),
            "PULUMI_PARALLEL": str(request.parallel),
            "PULUMI_MONITOR": request.monitor_address,
            "PULUMI_ENGINE": self.engine,
            "PULUMI_ROOT_DIRECTORY": request.info.root_directory,
        }

    def RunPlugin(self, request: Any, context: Any) -> Iterator[Any]:
        """A policy pack; the first line that it prints is its port."""
        told = dict(pair.partition("=")[::2] for pair in request.env)
        module = ["-m", "pulumi.policy", *request.args[:1], request.info.program_directory]
        child = self._start(module, request.pwd, told, stdout=subprocess.PIPE)
        context.add_callback(child.kill)
        assert child.stdout is not None
        for line in child.stdout:
            yield language.RunPluginResponse(stdout=line)
        yield language.RunPluginResponse(exitcode=child.wait())

    def _start(
        self, argv: list[str], cwd: str, told: dict[str, str], python: str = sys.executable, **how: Any
    ) -> subprocess.Popen[bytes]:
        child = subprocess.Popen([python, "-u", *argv], cwd=cwd, env={**os.environ, **told}, **how)
        self.children.append(child)
        return child

    def Cancel(self, request: Any, context: Any) -> Any:
        self.end_children()
        return Empty()

    def end_children(self) -> None:
        for child in self.children:
            child.kill()


def _python(info: Any) -> str:
    """That of the virtual environment that the project names, where it is there."""
    named = dict(info.options).get("virtualenv", "")
    inside = Path(info.root_directory, named, "bin", "python")
    return str(inside) if named and inside.is_file() else sys.executable


def main() -> NoReturn:
    parent = os.getppid()
    host = LanguageHost()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    asked_to_end = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: asked_to_end.set())
    print(port, flush=True)
    while os.getppid() == parent and not asked_to_end.is_set():
        time.sleep(LOOK_SECONDS)
    host.end_children()
    os._exit(0)  # threads of gRPC may still wait for a child's last word


if __name__ == "__main__":
    main()
