"""The images of pods that look at nodes, of what this machine has: a busybox, and nodeworthy as `Containerfile` has it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import nodeworthy

from .registry import Registry
from .tools import Tools

LOCKED = Path(__file__).resolve().parents[2] / "locks" / "image.txt"
HOME = "/opt/nodeworthy"
# Half of the image, and a look at a node asks neither AWS nor the cluster.
UNUSED = {"boto3", "botocore", "kubernetes"}
NAME = re.compile(r"^([\w.-]+)==", re.MULTILINE)
LIBRARY = re.compile(r"(/\S+) \(0x")
STARTS = """\
#!{python}
import sys
from nodeworthy.cli import main
sys.exit(main())
"""


def push_busybox(tools: Tools, registry: Registry, name: str = "busybox") -> str:
    """It stays, where nobody says what else to do. By its name it stands in for what is known by its image."""
    busybox = tools.path("busybox")
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    made = {f"/usr/bin/{each}": busybox for each in ("busybox", "sh", "sleep", "env", "nsenter") if each in listed}
    config = {"Cmd": ["/usr/bin/busybox", "sleep", "infinity"], "Env": ["PATH=/usr/bin"]}
    return registry.push(name, _libraries([busybox]), {**made, "/usr/bin/busybox": busybox}, config)


def push_nodeworthy(tools: Tools, registry: Registry) -> str:
    """Of this checkout, with the Python that runs the tests."""
    python = Path(sys.executable).resolve()
    programs = [python, *(tools.path(each) for each in ("sh", "nsenter", "env"))]
    packages = dict(_packages())
    files = [*programs, *_standard_library()]
    linked = [*programs, *(each for each in [*files, *packages.values()] if each.suffix == ".so")]
    made: dict[str, bytes | Path] = {
        **packages,
        f"{HOME}/bin/python3": python,
        f"{HOME}/lib/nodeworthy": Path(nodeworthy.__path__[0]),
        f"{HOME}/bin/nodeworthy": STARTS.format(python=python).encode(),
    }
    environment = [f"PATH={HOME}/bin:/usr/bin:/bin", f"PYTHONPATH={HOME}/lib", "PYTHONDONTWRITEBYTECODE=1"]
    config = {"User": "10001:10001", "Env": environment, "Entrypoint": ["nodeworthy"], "WorkingDir": "/work"}
    return registry.push("nodeworthy", {*files, *_libraries(linked)}, made, config)


def _standard_library() -> Iterator[Path]:
    left_out = {"site-packages", "dist-packages", "test", "idlelib", "ensurepip", "tkinter", "lib2to3", "turtledemo"}
    for folder, folders, files in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = [each for each in folders if each not in left_out and not each.startswith("config-")]
        yield from (Path(folder, each) for each in files if not each.endswith((".a", ".opt-1.pyc", ".opt-2.pyc")))


def _packages() -> Iterator[tuple[str, Path]]:
    for name in NAME.findall(LOCKED.read_text()):
        if name in UNUSED:
            continue
        try:
            files = distribution(name).files or ()
        except PackageNotFoundError:  # of another system
            continue
        for each in files:
            path = Path(str(each.locate()))
            if ".." not in each.parts and path.is_file():
                yield f"{HOME}/lib/{each}", path


def _libraries(programs: Iterable[Path]) -> set[Path]:
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return {Path(each) for each in LIBRARY.findall(told)}
