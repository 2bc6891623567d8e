"""`diagnose --prometheus` beside a real API server: who holds GPUs and does nothing is a finding, also when replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.test_prometheus import Prometheus
from tests.run import Ran, run_json

from .api import Api
from .control_plane import ControlPlane

GPU = "nvidia.com/gpu"


@pytest.fixture
def cluster(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    """One pod holds two GPUs."""
    monkeypatch.setenv("KUBECONFIG", str(control_plane.kubeconfig))
    monkeypatch.chdir(tmp_path)
    client = control_plane.client
    client.create("/api/v1/nodes", {"kind": "Node", "metadata": {"name": "gpu-1"}})
    client.patch_status("/api/v1/nodes/gpu-1", {"capacity": {GPU: "8"}, "allocatable": {GPU: "8"}})
    asked = {"limits": {GPU: "2"}, "requests": {GPU: "2"}}
    container = {"name": "main", "image": "train", "resources": asked}
    client.request("POST", "/api/v1/namespaces", {"metadata": {"name": "ml"}})
    pod = {"metadata": {"name": "train"}, "spec": {"nodeName": "gpu-1", "containers": [container]}}
    client.create("/api/v1/namespaces/ml/pods", {"apiVersion": "v1", "kind": "Pod", **pod})
    client.patch_status("/api/v1/namespaces/ml/pods/train", {"phase": "Running"})
    yield control_plane
    client.request("DELETE", "/api/v1/namespaces/ml/pods/train?gracePeriodSeconds=0")
    client.request("DELETE", "/api/v1/nodes/gpu-1")


def diagnose(*arguments: str) -> Ran:
    return run_json("diagnose", "--rule", "gpus-not-held-idle", "--ledger", *arguments)


def doing(ran: Ran) -> list[str]:
    return [held["doing"] for node in ran.report["ledger"]["nodes"] for held in node["held_by"]]


def test_idle_gpus_are_found_and_replayed(cluster: ControlPlane) -> None:
    with Api(Prometheus()) as api:
        live = diagnose("--prometheus", api.url, "--record", "kept")
    (found,) = live.findings
    assert (found["rule"], found["victims"], live.code) == ("gpus-not-held-idle", ["Pod/ml/train"], 1)
    assert doing(live) == ["idle"]
    assert diagnose("--from", "kept").out == live.out
    assert "secretish" not in Path("kept/prometheus.json").read_text()


def test_gpus_that_work_are_no_finding(cluster: ControlPlane) -> None:
    with Api(Prometheus("90")) as api:
        ran = diagnose("--prometheus", api.url)
    assert (ran.code, ran.findings, doing(ran)) == (0, [], ["works"])


def test_who_does_not_answer_leaves_it_unknown_also_when_replayed(cluster: ControlPlane) -> None:
    with Api(lambda *_: (401, {})) as api:
        live = diagnose("--prometheus", api.url, "--record", "kept")
    (found,) = live.findings
    assert (live.code, found["verdict"], doing(live)) == (3, "unknown", ["unknown"])
    assert "answers 401" in json.dumps(found)
    assert "answers 401" in live.report["ledger"]["no_usage"]
    assert diagnose("--from", "kept").out == live.out
