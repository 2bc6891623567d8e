"""What `accept --on kubernetes --dry-run` prints, taken by a real API server with every field checked, and scheduled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.run import run

from .control_plane import ControlPlane
from .kube_client import KubeClient

HOME = "nodeworthy-accept"
PLURALS = {
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "ConfigMap": f"/api/v1/namespaces/{HOME}/configmaps",
    "Service": f"/api/v1/namespaces/{HOME}/services",
    "Job": f"/apis/batch/v1/namespaces/{HOME}/jobs",
}


@pytest.fixture
def client(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KubeClient:
    made = control_plane.client
    made.request("POST", "/api/v1/namespaces", {"metadata": {"name": HOME, "labels": {RESTRICTED: "restricted"}}})
    for name in ("accept-1", "accept-2"):
        labels = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "node.kubernetes.io/instance-type": "p5.48xlarge"}
        made.request("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
        gpus = {"nvidia.com/gpu": "8", "cpu": "192", "memory": "2Ti", "pods": "100"}
        status = {"status": {"capacity": gpus, "allocatable": gpus}}
        kind = "application/merge-patch+json"
        assert made.request("PATCH", f"/api/v1/nodes/{name}/status", status, content_type=kind).status == 200
    (tmp_path / "kubeconfig").write_text(control_plane.kubeconfig_for())
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    return made


# Its pods need nothing that the strictest of Kubernetes' own standards forbids.
RESTRICTED = "pod-security.kubernetes.io/enforce"


def test_every_field_is_one_that_the_server_knows(client: KubeClient, tmp_path: Path) -> None:
    arguments = ("accept-1", "accept-2", "--image", "registry.example/t:1", "--namespace", HOME, "--dry-run")
    ran = run("accept", "--on", "kubernetes", *arguments, "--record", str(tmp_path / "run"), cwd=tmp_path)
    assert ran.code == 0, ran.err
    objects: list[dict[str, Any]] = [each for each in yaml.safe_load_all(ran.out) if each]
    assert [each["kind"] for each in objects] == ["PriorityClass", "ConfigMap", "Job", "Job", "Service", "Job"]
    for each in objects:
        answer = client.request("POST", f"{PLURALS[each['kind']]}?fieldValidation=Strict", each)
        assert answer.status in (201, 409) if each["kind"] == "PriorityClass" else answer.status == 201, answer.message
    judged = run("accept", "--from", str(tmp_path / "run"), cwd=tmp_path)
    assert judged.code == 3, "what nobody ran passes nothing"


def test_who_opted_out_or_is_cordoned_is_left_out(client: KubeClient, tmp_path: Path) -> None:
    kind = "application/merge-patch+json"
    labels = {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}}
    client.request("PATCH", "/api/v1/nodes/accept-1", labels, content_type=kind)
    client.request("PATCH", "/api/v1/nodes/accept-2", {"spec": {"unschedulable": True}}, content_type=kind)
    try:
        arguments = ("accept-1", "accept-2", "--image", "registry.example/t:1", "--dry-run")
        ran = run("accept", "--on", "kubernetes", *arguments, cwd=tmp_path)
    finally:
        restored = {"metadata": {"labels": {"nodeworthy/verify": None}}}
        client.request("PATCH", "/api/v1/nodes/accept-1", restored, content_type=kind)
        client.request("PATCH", "/api/v1/nodes/accept-2", {"spec": {"unschedulable": None}}, content_type=kind)
    assert ran.code == 3
    assert "not run on accept-1: " in ran.out
    assert "by its label nodeworthy/verify=disabled" in ran.out
    assert "not run on accept-2: " in ran.out
    assert "---" not in ran.out


def test_a_node_that_is_not_there_is_named(client: KubeClient, tmp_path: Path) -> None:
    ran = run("accept", "--on", "kubernetes", "no-such", "--image", "registry.example/t:1", "--dry-run", cwd=tmp_path)
    assert (ran.code, "not run on no-such: " in ran.out) == (3, True)
