"""disk-and-network needs no torch, and is run here as it is: what it measures, what it can't, and what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nodeworthy import programs

FEEDING = Path(programs.__file__).with_name("feeding.py")
LARGE = 16 << 20


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / "large.bin").write_bytes(bytes(LARGE))
    (folder / "small.bin").write_bytes(b"not found, and told with 200")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def said(scratch: Path, **given: str) -> list[dict[str, Any]]:
    scratch.mkdir(exist_ok=True)
    environment = {**os.environ, "NODEWORTHY_NONCE": "5f0c", "NODEWORTHY_MIB": "8", "no_proxy": "*", **given}
    command = [sys.executable, str(FEEDING), "disk-and-network", str(scratch)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    return [json.loads(each) for each in ran.stdout.splitlines()]


def measured(lines: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(each["name"], each["at"].get("where", "")) for each in lines if "name" in each}


SCRATCH = {("write_gbps", "scratch"), ("read_gbps", "scratch")}


def test_of_a_folder_that_all_see_and_of_what_is_downloaded(mirror: str, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    lines = said(scratch, NODEWORTHY_DOWNLOAD=f"{mirror}/large.bin")
    assert lines[-1]["ok"] is True
    assert measured(lines) == SCRATCH | {("download_gbps", "")}
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("local", ["/nowhere", "/proc", "/dev/shm"])
def test_a_folder_that_is_no_disk_of_this_node_says_nothing_of_one(local: str, tmp_path: Path) -> None:
    """In an image the host's TMPDIR is not there."""
    lines = said(tmp_path / "scratch", NODEWORTHY_LOCAL=local)
    assert (lines[-1]["ok"], measured(lines)) == (True, SCRATCH)


@pytest.mark.parametrize(("file", "words"), [("small.bin", "too few to tell"), ("none.bin", "404")])
def test_what_says_nothing_of_how_fast_a_download_is_is_no_slow_one(
    file: str, words: str, mirror: str, tmp_path: Path
) -> None:
    last = said(tmp_path / "scratch", NODEWORTHY_DOWNLOAD=f"{mirror}/{file}")[-1]
    assert (last["error"]["kind"], words in last["error"]["text"]) == ("download", True)
