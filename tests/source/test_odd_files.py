"""Pipes, devices, empty files and files with odd bytes: each is told in a sentence, and none of them is waited for."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nodeworthy.collect.source.boot_scripts import is_boot_script
from nodeworthy.known.containerd import defaults
from tests.case_files import whole
from tests.run import run, run_json

PIPE = "it is a pipe or a device, not a file"
EMPTY = "the user data is empty: the node boots and does nothing"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "user-data.sh")
    named = run("check", "user-data.sh", cwd=tmp_path)
    assert (named.code, named.err) == (2, f"nodeworthy check: user-data.sh: {PIPE}\n")
    assert run("boot", "user-data.sh", cwd=tmp_path).code == 2
    assert run("check", "/dev/zero", cwd=tmp_path).err == f"nodeworthy check: /dev/zero: {PIPE}\n"


def test_one_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "values.yaml")
    (tmp_path / "user-data.sh").write_text("#!/bin/bash\nset -e\nsystemctl enable kubelet\n")
    assert run("check", ".", "--rule", "user-data-format", cwd=tmp_path).code == 0
    assert run("check", "--changed", "values.yaml", cwd=tmp_path).code == 0


def test_nothing_is_the_same_wherever_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user-data.sh").touch()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    for name in ("user-data.sh", ".", "-"):
        ran = run("check", name, "--rule", "user-data-format", "--format", "json", cwd=tmp_path)
        assert [found["message"] for found in ran.report["findings"]] == [EMPTY]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"#!/bin/bash\nset -e\necho \x00x\nmake all\n", True),
        (b"#!/bin/bash\nexec tail -n +3 $0 | tar x\n\x1f\x8b\x08\x00\xff\xfe\x9c", False),
        ("#!/bin/bash\nsystemctl enable kubelet\n".encode("utf-16"), True),
        ("name,gpu\na,b\n".encode("utf-16"), False),
    ],
)
def test_odd_bytes_in_a_folder(data: bytes, found: bool) -> None:
    assert is_boot_script(data, "install.sh") is found


def test_old_line_ends_make_one_line_of_it(tmp_path: Path) -> None:
    (tmp_path / "user-data.sh").write_bytes(b"#!/bin/bash\rset -e\rsystemctl enable --now kubelet\r")
    ran = run("check", "user-data.sh", "--rule", "user-data-format", "--format", "json", cwd=tmp_path)
    (found,) = ran.report["findings"]
    assert ran.code == 1
    assert found["message"].endswith("the whole of it is one line, and nothing of it runs")


@pytest.mark.parametrize("first", ["# ", "ARG A", "---", "%{ if x }"])
def test_lines_that_end_as_on_windows_are_passed_over_one_way_each(first: str, tmp_path: Path) -> None:
    """Two ways to read each end of a line are 2^60 for sixty of them; read in a process that can be ended."""
    (tmp_path / "outputs.tf").write_bytes(f"{first}\r\n".encode() * 60 + b"x = 1\r\n")
    (tmp_path / "user-data.txt").write_bytes(f"{first}\r\n".encode() * 60 + b"x = 1\r\n")
    command = [sys.executable, "-m", "nodeworthy", "check", ".", "--no-cache"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=30, check=False)
    assert ran.returncode in (0, 1, 2, 3), ran.stderr


@pytest.mark.parametrize("left", ["", " 5", f" [{defaults().socket}]"])
@pytest.mark.parametrize("name", ["CONTAINERD_CONFIG", "CONTAINERD_SOCKET"])
def test_a_path_that_is_none_beside_nodes_of_two_kinds(left: str, name: str, tmp_path: Path) -> None:
    """Which of them the values are for their paths would tell."""
    shutil.copytree(whole("containerd-paths/unknown-source-nodes-of-two-kinds"), tmp_path / "rack")
    values = tmp_path / "rack" / "values.yaml"
    values.write_text(re.sub(rf"({name}\n +value:).*", rf"\1{left}", values.read_text()))
    ran = run_json("check", "values.yaml", "--rule", "containerd-paths", cwd=tmp_path / "rack")
    assert [each["verdict"] for each in ran.findings] == ["unknown"], ran.err


@pytest.mark.parametrize(
    "begins", [b"PK\x03\x04", b"\x89PNG\r\n", b"\x80\x04\x95", b"\x7fELF\x02", b"// Jest Snapshot v1\n"]
)
def test_models_pictures_programs_and_snapshots_are_not_looked_through(begins: bytes, tmp_path: Path) -> None:
    script = b"#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n"
    (tmp_path / "model.sh").write_bytes(begins + b"\n" + script)
    ran = run("check", ".", "--format", "json", cwd=tmp_path)
    assert (ran.report["evaluated"]["files"], ran.report["evaluated"]["unrecognised"]) == (0, 1)
    (tmp_path / "model.sh").write_bytes(script)
    assert run("check", ".", "--format", "json", cwd=tmp_path).report["evaluated"]["files"] == 1


def test_definitions_and_a_models_words_are_not_parsed(tmp_path: Path) -> None:
    definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\ndevicePlugin: {a: b: c}\n"
    (tmp_path / "crd.yaml").write_text(definition)
    (tmp_path / "vocab.json").write_text('{"devicePlugin": 1, "driver": 2,')
    assert run("check", ".", "--format", "json", cwd=tmp_path).report["findings"] == []
    (tmp_path / "crd.yaml").write_text(f"kind: Pod\n---\n{definition}")
    (told,) = run("check", ".", "--format", "json", cwd=tmp_path).report["findings"]
    assert (told["rule"], told["where"]["path"]) == ("input-readable", "crd.yaml")
