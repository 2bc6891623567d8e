"""Imports what programs import, and runs each program that it is handed in a process of its own."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

IMPORTED = (
    "asyncio",
    "pulumi",
    "pulumi.runtime",
    "pulumi.dynamic",
    "pulumi_aws.autoscaling",
    "pulumi_aws.ec2",
    "pulumi_aws.efs",
    "pulumi_aws.eks",
    "pulumi_aws.iam",
    "pulumi_aws.vpc",
    "pulumi_kubernetes.apps.v1",
    "pulumi_kubernetes.core.v1",
    "pulumi_kubernetes.helm.v3",
    "pulumi_kubernetes.yaml",
)


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    # Who is handed a program ends with it; nobody waits for him.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(sys.argv[1])
    listening.listen(64)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _serve(connection)
        connection.close()


def _serve(connection: socket.socket) -> None:
    """One program: started, watched, and killed where whoever asked for it is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, descriptors, _, _ = socket.recv_fds(connection, 4, 64)
    length, data = int.from_bytes(size, "big"), b""
    while len(data) < length:
        data += connection.recv(length - len(data))
    program = os.fork()
    if program == 0:
        connection.close()
        _run(json.loads(data), descriptors)
    for each in descriptors:
        os.close(each)
    ended = threading.Event()
    threading.Thread(target=_kill_where_asker_is_gone, args=(connection, program, ended), daemon=True).start()
    _, status = os.waitpid(program, 0)
    # Who hears how it ended leaves at once, and the runs that have parted from it go on.
    ended.set()
    with contextlib.suppress(OSError):
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _kill_where_asker_is_gone(connection: socket.socket, program: int, ended: threading.Event) -> None:
    with contextlib.suppress(OSError):
        if not connection.recv(1) and not ended.is_set():
            os.killpg(program, signal.SIGKILL)


def _run(told: dict[str, Any], descriptors: list[int]) -> None:
    """Becomes the process that was asked for: `python -u HOST …`."""
    os.setsid()
    # First out of the way of the numbers that they are to have.
    moved = [os.dup2(each, 200 + at, inheritable=False) for at, each in enumerate(descriptors)]
    for each in descriptors:
        os.close(each)
    for at, number in zip(moved, told["descriptors"], strict=True):
        os.dup2(at, number)
        os.close(at)
    os.environ.clear()
    os.environ.update(told["environment"])
    os.chdir(told["folder"])
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115 - it is the process's own
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    _, host, *arguments = told["arguments"]
    sys.argv = [host, *arguments]
    sys.path[0] = str(Path(host).parent)
    code = 1
    try:
        runpy.run_path(host, run_name="__main__")
        code = 0
    except SystemExit as left:
        if left.code is None or isinstance(left.code, int):
            code = left.code or 0
        else:
            sys.stderr.write(f"{left.code}\n")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


main()
