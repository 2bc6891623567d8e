"""The playground in a real browser, from a disk and from a server: it reads, tells, and speaks with nobody."""

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

import pytest

from nodeworthy.known.containerd import defaults
from tests.architecture.tree import ROOT
from tests.run import run

from .browser import PROGRAMS
from .devtools import Page, page
from .tools import Tools, find

STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"
VALUES = f"""\
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: {defaults().socket}
"""
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: here, version: "1.33"}
    pools:
      h200: {gpu: h200, distribution: k3s, gpusPerNode: 8, provision: false}
"""
SCRIPT = "#!/bin/bash\n/etc/eks/bootstrap.sh gpu-dev\n"
SECRET = SCRIPT + "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"
PARTS = {
    *("index.html", "page.css", "page.js", "examples.js"),
    *("python.js", "interpreter.js", "library.js", "nodeworthy.js"),
}


@pytest.fixture(scope="module")
def made(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tools.path("npm")
    into = tmp_path_factory.mktemp("site") / "playground"
    kept = {**os.environ, "XDG_CACHE_HOME": os.environ.get("USERS_CACHE_HOME", "")}
    command = [sys.executable, str(ROOT / "tools" / "playground_page.py"), str(into)]
    told = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return into


@pytest.fixture
def opened(tools: Tools, tmp_path: Path) -> Iterator[Page]:
    program = next(filter(None, map(find, PROGRAMS)), None) or tools.path(PROGRAMS[0])
    with page(program, tmp_path / "profile") as held:
        yield held


class _Strict(SimpleHTTPRequestHandler):
    """A server that allows pages no more than they need."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", STRICT)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Its own output belongs to nobody."""


@pytest.fixture
def served(made: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Strict, directory=str(made))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            thread.join()


def paste(opened: Page, text: str, name: str, fleet: str = "") -> None:
    for field, value in (("text", text), ("name", name), ("fleet", fleet)):
        opened.value(f"document.getElementById('{field}').value = {json.dumps(value)}")


def press(opened: Page, button: str) -> str:
    """What it refuses, if it does."""
    opened.value(f"document.getElementById('{button}').click()")
    opened.wait("!document.getElementById('read').disabled")
    return str(opened.value("document.getElementById('refused').textContent"))


def blocks(opened: Page, section: str) -> list[str]:
    told: list[str] = opened.value(f"[...document.querySelectorAll('#{section} pre')].map(each => each.textContent)")
    return told


def test_it_reads_from_a_disk_and_speaks_with_nobody(made: Path, opened: Page, tmp_path: Path) -> None:
    opened.open(f"{made.as_uri()}/index.html")
    paste(opened, VALUES, "values.yaml", FLEET)
    assert press(opened, "read") == ""
    (tmp_path / "Pulumi.pasted.yaml").write_text(FLEET)
    (tmp_path / "values.yaml").write_text(VALUES)
    told = run("check", "values.yaml", "--fleet", "Pulumi.pasted.yaml", cwd=tmp_path)
    assert told.code == 1
    assert blocks(opened, "findings") == [told.out, *([told.err] if told.err else [])], "the program's own words"
    assert "containerd" in blocks(opened, "explanation")[0]

    paste(opened, SECRET, "user-data.sh")
    assert "line 3 would carry a secret" in press(opened, "make-link")
    assert opened.value("document.getElementById('link').hidden")

    assert opened.complaints == []
    assert {each.rpartition("/")[2] for each in opened.asked} <= PARTS
    assert {each.rpartition("/")[0] for each in opened.asked} == {made.as_uri()}
    assert _is_refused_by_the_policy(opened)


def _is_refused_by_the_policy(opened: Page) -> bool:
    """Whatever would try to: Python itself included."""
    tried = "fetch('https://nodeworthy.invalid/').then(() => 'went', () => 'refused')"
    return opened.value(tried) == "refused" and any("Content Security Policy" in each for each in opened.complaints)


@pytest.mark.night
def test_a_server_may_be_strict_and_a_link_brings_the_text(served: str, opened: Page) -> None:
    opened.open(served)
    paste(opened, SCRIPT, "user-data.sh")
    assert press(opened, "read") == ""
    assert "joins" in blocks(opened, "timeline")[0]
    paste(opened, '<img src=x onerror="document.title=1">\nno runtime for "nvidia" is configured\n', "kubelet.log")
    assert press(opened, "read") == ""
    assert "no-runtime-configured" in blocks(opened, "explanation")[0]
    assert press(opened, "make-link") == ""
    link = opened.value("document.getElementById('address').value")
    opened.open("about:blank")
    opened.open(link)
    opened.wait("document.querySelector('#explanation pre') !== null")
    assert "no-runtime-configured" in blocks(opened, "explanation")[0]
    assert opened.value("document.title") == "nodeworthy: playground"
    assert opened.complaints == []
    assert all("no%20runtime" not in each and "#" not in each for each in opened.asked)


@pytest.mark.night
def test_without_that_grant_it_says_that_it_can_not(made: Path, opened: Page, tmp_path: Path) -> None:
    """What is tested is the policy, and not a browser that has none."""
    for each in made.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes().replace(b" 'wasm-unsafe-eval'", b""))
    opened.open(f"{tmp_path.as_uri()}/index.html")
    paste(opened, SCRIPT, "user-data.sh")
    assert "allows no WebAssembly ('wasm-unsafe-eval')" in press(opened, "read")
