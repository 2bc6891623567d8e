"""Dumps that can't be read, whole or in part: what is broken is named, and the rest goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cluster.dumps import diagnose, dumped, found
from tests.run import run_json


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


BROKEN: dict[str, tuple[bytes, str]] = {
    "truncated": (b'{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod"', "not JSON"),
    "binary": (bytes(range(128, 256)), "no text"),
    "empty": (b"", "it is empty"),
    "nested": (b"[" * 200_000, "nested too deeply"),
    "number": (b'{"kind": "Pod", "metadata": ' + b"9" * 5000 + b"}", "not JSON"),
    "two": (b'{"kind": "List"} "more"', "follows the document"),
    "nameless": (b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": []}}', "has no name"),
    "items": (b'{"apiVersion": "v1", "kind": "List", "items": [7, 8, 9]}', "no object"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_and_the_rest_goes_on(name: str) -> None:
    content, why = BROKEN[name]
    (dumped() / "broken.json").write_bytes(content)
    ran = diagnose()
    (error,) = found(ran, "input-readable")
    assert error["verdict"] == "error"
    assert error["where"]["path"] == "dump/broken.json"
    assert why in error["message"]
    assert len(found(ran, "containerd-paths")) == 1


def test_the_place_of_what_is_broken() -> None:
    (dumped() / "broken.json").write_text('{"apiVersion": "v1",\n "kind": "List",\n "items": [\n  {"kind": Pod}]}')
    (error,) = found(diagnose(), "input-readable")
    assert (error["where"]["line"], error["where"]["column"]) == (4, 12)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_nobody_waits_for_a_pipe() -> None:
    folder = dumped()
    logs = folder / "logs/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6"
    logs.mkdir(parents=True)
    os.mkfifo(logs / "nvidia-container-toolkit-ctr.log")
    os.mkfifo(folder / "pipe.json")
    (error,) = found(diagnose(), "input-readable")
    assert error["message"] == "this is no regular file"


def test_a_folder_that_is_none_ends_with_2() -> None:
    Path("file").write_text("{}")
    for name in ("nowhere", "file"):
        ran = run_json("diagnose", "--from", name)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"nodeworthy diagnose: {name}")


def test_an_empty_folder_proves_nothing() -> None:
    Path("dump").mkdir()
    ran = run_json("diagnose", "--from", "dump")
    assert ran.code == 3
    assert len(found(ran, "looked-at")) == 4


def test_options_of_a_cluster_are_none_of_a_dump() -> None:
    dumped()
    for option in (("--context", "x"), ("--record", "kept")):
        ran = diagnose(*option)
        assert (ran.code, ran.out) == (2, "")
    assert not Path("kept").exists()
