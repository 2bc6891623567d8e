"""libcuda and libnvidia-ml without a GPU, compiled where a compiler is; what each can do wrong stands in its source."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCES = Path(__file__).with_name("driver")


def compile_into(folder: Path) -> Path:
    """Where they lie then, for LD_LIBRARY_PATH."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler: cc")
    for source in _SOURCES.glob("*.c"):
        options = ["-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]
        subprocess.run([compiler, *options, "-o", str(folder / f"{source.stem}.so.1"), str(source)], check=True)
    return folder
