"""The lab's own shell is right before it runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from nodeworthy.lab.cache import HERE

from .conftest import do_without

SHELL = sorted(file for file in HERE.rglob("*") if file.is_file() and file.read_bytes().startswith(b"#!"))


@pytest.mark.parametrize("file", SHELL, ids=lambda file: file.name)
def test_shellcheck_has_nothing_to_say(pytestconfig: pytest.Config, file: Path) -> None:
    do_without(pytestconfig, [] if shutil.which("shellcheck") else ["shellcheck"])
    # SC1091: what is sourced is there only in a node.
    command = ["shellcheck", "--exclude=SC1091", "--format=gcc", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert said.stdout == ""
