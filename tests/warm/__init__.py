"""Programs of cases start from a process that has imported Pulumi's SDKs already.

Importing them takes a second and more, and a hundred cases preview a program each. Only the import is saved: each
program is a process of its own, with the environment, the folder and the descriptors that the preview gives it, run by the
same language host. How a program is really started has tests of its own (`tests/plan/test_parting.py`, `test_ends.py`).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent


@contextmanager
def warm_python(folder: Path) -> Iterator[str]:
    """An interpreter, as far as a preview can tell."""
    socket = folder / "socket"
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -SEs {HERE / "client.py"} {socket} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    server = subprocess.Popen([sys.executable, str(HERE / "server.py"), str(socket)], stdin=subprocess.DEVNULL)
    try:
        while not socket.exists() and server.poll() is None:
            time.sleep(0.02)
        yield str(python)
    finally:
        server.kill()
        server.wait()
