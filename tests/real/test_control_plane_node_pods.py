"""`node://` and `--selector` against a real API server and the real kubectl: the pod is accepted, and removed.

There is no kubelet, so that it never starts: `test_node_kubelet.py` proves what runs in it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.run import run, run_json

from .control_plane import ControlPlane

NODES = "/api/v1/nodes"
PODS = "/api/v1/namespaces/default/pods"
OURS = f"{PODS}?labelSelector=app.kubernetes.io/managed-by%3Dnodeworthy"


@pytest.fixture
def cluster(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    (tmp_path / "config").write_text(control_plane.kubeconfig_for())
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    labels = {"look": "here"}
    control_plane.client.request("POST", NODES, {"kind": "Node", "metadata": {"name": "gpu-1", "labels": labels}})
    yield control_plane
    control_plane.client.request("DELETE", f"{NODES}/gpu-1")


class Watched:
    """The pods that are there while somebody looks."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.cluster = cluster
        self.seen: dict[str, Any] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(20)

    def _watch(self) -> None:
        while not self._over.is_set():
            for pod in self.cluster.client.get(OURS)["items"]:
                self.seen[pod["metadata"]["name"]] = pod
            time.sleep(0.1)


def test_the_pod_is_accepted_and_removed(cluster: ControlPlane) -> None:
    with Watched(cluster) as watched:
        ran = run_json("node", "node://gpu-1", "--deadline", "6s", "--rule", "clock-right")
    assert ran.code == 3
    assert "does not start: error: timed out waiting" in ran.findings[0]["message"]
    (pod,) = watched.seen.values()
    assert pod["spec"]["nodeName"] == "gpu-1"
    assert pod["spec"]["containers"][0]["securityContext"]["privileged"] is True
    assert f"creates the privileged pod {pod['metadata']['name']}" in ran.err
    until = time.monotonic() + 60
    while cluster.client.get(OURS)["items"] and time.monotonic() < until:
        time.sleep(0.1)
    assert cluster.client.get(OURS)["items"] == []


def test_a_node_that_is_not_there_gets_no_pod(cluster: ControlPlane) -> None:
    ran = run("node", "node://gone", "--deadline", "20s", "--rule", "clock-right")
    assert ran.code == 3
    assert 'nodes "gone" not found' in ran.out
    assert "creates" not in ran.err
