"""What we say that containerd reads is what the real ones read: schemas by release, hosts.toml by its content."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.text import Text
from nodeworthy.facts.registry.hosts_toml import HostsToml
from nodeworthy.facts.registry.trust import folders_of
from nodeworthy.known.containerd_schema import CRI, era_of, prints_single_quotes
from nodeworthy.verdict import Place

from .containerd import Containerd
from .daemon import PATIENCE
from .tools import Tools

RELEASES = ("2.2", "2.3")
FOLDER = "/nodeworthy/hosts"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("version", [0, 2, 3, 4])
@pytest.mark.parametrize("name", sorted(CRI))
def test_schemas(tools: Tools, tmp_path: Path, release: str, version: int, name: str) -> None:
    config = tmp_path / "config.toml"
    first = f"version = {version}\n" if version else ""
    # The section for images knows config_path; the runtime's own has another setting to look for.
    key = (
        f'[plugins."{name}".registry]\nconfig_path'
        if not name.endswith("runtime")
        else f'[plugins."{name}".cni]\nbin_dir'
    )
    config.write_text(f'{first}imports = []\n{key} = "{FOLDER}"\n')
    told = subprocess.run(
        [tools.path(f"containerd-{release}"), "--config", config, "config", "dump"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    era = era_of(release)
    assert era is not None
    assert (told.returncode != 0) is era.refuses(version), told.stderr
    if not era.refuses(version):
        assert (FOLDER not in told.stdout) is era.ignores(name, version)


@pytest.mark.parametrize("release", RELEASES)
def test_how_the_default_prints_an_empty_string(tools: Tools, release: str) -> None:
    command = [str(tools.path(f"containerd-{release}")), "config", "default"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    assert ("config_path = ''" in printed) is prints_single_quotes(release)


class Cache(BaseHTTPRequestHandler):
    """Has no image, and is asked only by who speaks plain HTTP."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.asked.append(self.path)
        self.send_response(404)
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def cache() -> Iterator[tuple[str, list[str]]]:
    """A cache that is not on localhost, where containerd takes HTTP by itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but localhost's")
        address = probe.getsockname()[0]
    asked: list[str] = []
    server = ThreadingHTTPServer((address, 0), type("OneCache", (Cache,), {"asked": asked}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"{address}:{server.server_port}", asked
    server.shutdown()
    server.server_close()


FORMS = [
    'server = "http://HOST"',
    '[host."http://HOST"]\ncapabilities = ["pull", "resolve"]',
    'server = "https://HOST"\n[host."http://HOST"]',
    'server = "https://HOST"\n[host."http://HOST"]\ncapabilities = []',
    'server = "https://HOST"\n[host."http://HOST"]\ncapabilities = ["Pull", "Resolve"]',
    'server = "https://HOST"\n[host."https://HOST"]\nskip_verify = true',
    'server = "HOST"\n[host."HOST"]\ncapabilities = ["pull", "resolve"]',
    'server = "https://HOST"\n[host."http://HOST"]\ncapabilities = ["push"]',
    'server = "https://HOST"\n[host."http://HOST"]\ncapabilities = ["pull"]',
    'server = "http://HOST"\n[host."http://HOST"]\ncapabilities = ["pull", "list"]',
    'server = "http://HOST"\n[host."http://HOST"]\ncapabilities = "pull"',
    'server = "https://HOST"\n[hosts."http://HOST"]\ncapabilities = ["pull", "resolve"]',
    'server = "http://HOST"\n[host.http://HOST]',
    "",
]


@pytest.mark.parametrize("release", RELEASES)
def test_hosts_toml(tools: Tools, tmp_path: Path, release: str, cache: tuple[str, list[str]]) -> None:
    host, asked = cache
    with Containerd(tools, f"containerd-{release}") as containerd:
        for number, form in enumerate(FORMS):
            text = form.replace("HOST", host)
            folder = tmp_path / str(number)
            (folder / host).mkdir(parents=True)
            (folder / host / "hosts.toml").write_text(text)
            asked.clear()
            where = ["--address", str(containerd.socket)]
            pull = [*where, "images", "pull", "--hosts-dir", str(folder), f"{host}/a/b:latest"]
            ctr = str(tools.path(f"ctr-{release}"))
            subprocess.run([ctr, *pull], capture_output=True, timeout=PATIENCE, check=False)
            assert bool(asked) is (_of(text, host).speaks_plainly(host) is None), text


@pytest.mark.parametrize("release", RELEASES)
def test_the_folders_of_a_registry(tools: Tools, tmp_path: Path, release: str, cache: tuple[str, list[str]]) -> None:
    host, asked = cache
    folders = [*folders_of(host), "_default", host.rpartition(":")[0], host.replace(":", "_")]
    with Containerd(tools, f"containerd-{release}") as containerd:
        for number, folder in enumerate(folders):
            where = tmp_path / str(number)
            (where / folder).mkdir(parents=True)
            (where / folder / "hosts.toml").write_text(f'[host."http://{host}"]\n')
            asked.clear()
            command = [str(tools.path(f"ctr-{release}")), "--address", str(containerd.socket), "images", "pull"]
            command += ["--hosts-dir", str(where), f"{host}/a/b:latest"]
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
            assert bool(asked) is (number < 3), folder


def _of(text: str, host: str) -> HostsToml:
    here = Place("hosts.toml", 1, 1)
    content = Content(tuple(Line(Text.of(line), here) for line in text.splitlines()))
    path = Text.of(f"{FOLDER}/{host}/hosts.toml")
    return HostsToml(host, Writes(place=here, stage=Stage.SCRIPTS, path=path, content=content, whole=content))
