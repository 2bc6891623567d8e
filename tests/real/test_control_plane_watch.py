"""`diagnose --watch` against a real API server: a fault appears, is told, is mended, is told gone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .control_plane import ControlPlane
from .forwarder import Forwarder
from .watcher import Watcher

NODES = "/api/v1/nodes"
GPU = "nvidia.com/gpu"
RULES = ("--rule", "gpu-count-complete")


@pytest.fixture
def cluster(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    """With one node of eight GPUs, all of them well."""
    (tmp_path / "config").write_text(control_plane.kubeconfig_for())
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.chdir(tmp_path)
    client = control_plane.client
    client.create(NODES, {"kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.product": "H100"}}})
    have(control_plane, 8)
    yield control_plane
    client.request("DELETE", f"{NODES}/gpu-1")


def have(cluster: ControlPlane, gpus: int) -> None:
    status = {"capacity": {GPU: "8"}, "allocatable": {GPU: str(gpus)}}
    cluster.client.patch_status(f"{NODES}/gpu-1", status)


def use(path: Path, cluster: ControlPlane, change: Callable[[dict[str, Any]], None]) -> None:
    """In one step: whoever reads it meanwhile reads the old one or the new one."""
    written = json.loads(cluster.kubeconfig_for())
    change(written)
    half = path.with_suffix(".half")
    half.write_text(json.dumps(written))
    half.replace(path)


def rules(told: dict[str, Any], word: str) -> list[str]:
    return [each["rule"] for each in told.get(word, ())]


def test_a_fault_is_told_and_told_gone(cluster: ControlPlane) -> None:
    with Watcher(*RULES, "--format", "json") as watcher:
        first = json.loads(watcher.line())
        assert first["schema"] == "nodeworthy/report/v1"
        assert first["time"].endswith("Z")
        before = rules(first, "findings")
        assert "gpu-count-complete" not in before
        have(cluster, 7)
        told = json.loads(watcher.line())
        assert (told["schema"], rules(told, "new")) == ("nodeworthy/watch/v1", ["gpu-count-complete"])
        assert told["new"][0]["where"]["object"] == "Node/gpu-1"
        have(cluster, 8)
        told = json.loads(watcher.line())
        assert (rules(told, "new"), rules(told, "gone")) == ([], ["gpu-count-complete"])
        have(cluster, 6)
        assert rules(json.loads(watcher.line()), "new") == ["gpu-count-complete"]
        assert watcher.end() == (1, "")


def test_people_who_wait_are_told(cluster: ControlPlane) -> None:
    with Watcher(*RULES, "--format", "brief") as watcher:
        assert watcher.line().startswith("Nothing")
        have(cluster, 7)
        while not (told := watcher.line()).startswith("FIRST MESSAGE"):
            pass
        have(cluster, 8)
        while not told.startswith("RESOLUTION"):
            told = watcher.line()
        assert re.fullmatch(r"RESOLUTION \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)\n?", told)


def test_people_are_told_when(cluster: ControlPlane) -> None:
    with Watcher(*RULES) as watcher:
        while not re.search(r"\d rules? on ", watcher.line()):
            pass
        have(cluster, 7)
        assert watcher.line().startswith("-- 20")
        assert watcher.line().startswith("new Node/gpu-1")
        have(cluster, 8)
        while not (line := watcher.line()).startswith("gone "):
            pass
        assert "gpu-count-complete" in line
        assert watcher.end() == (0, "")


def test_a_server_that_goes_away_is_said_and_so_that_it_came_back(cluster: ControlPlane, tmp_path: Path) -> None:
    port = urlsplit(cluster.url).port
    assert port
    with Forwarder(port) as between:
        url = f"https://127.0.0.1:{between.port}"
        use(tmp_path / "config", cluster, lambda config: config["clusters"][0]["cluster"].update(server=url))
        with Watcher(*RULES, "--format", "json") as watcher:
            watcher.line()
            between.close()
            assert f"{url} can't be reached" in watcher.until(lambda told: "blind" in told)["blind"]
            have(cluster, 7)
            between.reopen()
            back = watcher.until(lambda told: "blind" in told and told["blind"] is None)
            assert back["blind_seconds"] >= 0
            assert rules(watcher.until(lambda told: "new" in told), "new") == ["gpu-count-complete"]
            assert watcher.end()[0] == 1


def test_a_token_that_expires_is_said_and_a_new_one_taken(cluster: ControlPlane, tmp_path: Path) -> None:
    with Watcher(*RULES, "--format", "json") as watcher:
        watcher.line()
        use(tmp_path / "config", cluster, lambda config: config["users"][0]["user"].update(token="old"))
        assert "may have expired" in watcher.until(lambda told: "blind" in told)["blind"]
        use(tmp_path / "config", cluster, lambda _: None)
        watcher.until(lambda told: "blind" in told and told["blind"] is None)
        use(tmp_path / "config", cluster, lambda config: config["users"][0]["user"].update(token="old"))
        watcher.until(lambda told: bool(told.get("blind")))
        assert watcher.end() == (3, "")


def test_what_may_not_be_read_any_more_is_not_gone(cluster: ControlPlane, tmp_path: Path) -> None:
    have(cluster, 7)
    with Watcher(*RULES, "--format", "json") as watcher:
        assert "gpu-count-complete" in rules(json.loads(watcher.line()), "findings")
        use(tmp_path / "config", cluster, lambda config: config["users"][0]["user"].update({"as": "nobody-at-all"}))
        told = watcher.until(lambda told: "unseen" in told)
        assert (rules(told, "gone"), rules(told, "unseen")) == ([], ["gpu-count-complete"])
        have(cluster, 8)
        use(tmp_path / "config", cluster, lambda _: None)
        assert "gpu-count-complete" in rules(watcher.until(lambda told: "gone" in told), "gone")


def test_who_stops_reading_ends_it(cluster: ControlPlane) -> None:
    argv = [sys.executable, "-m", "nodeworthy", "diagnose", "--watch", "--every", "1", *RULES]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 141
