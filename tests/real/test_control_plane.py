"""The control plane comes up fast and answers as the real thing does, no included."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from nodeworthy.known.containerd import defaults

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import wait_for
from .tools import Tools

PODS = "/api/v1/namespaces/default/pods"


def gpu_pod(name: str, **spec: Any) -> dict[str, Any]:
    gpus = spec.pop("gpus", "1")
    resources = {"limits": {"nvidia.com/gpu": gpus}, "requests": {"nvidia.com/gpu": spec.pop("requests", gpus)}}
    container = {"name": "train", "image": "train", "resources": resources}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container], **spec}}


def test_it_comes_up_and_leaves_nothing(tools: Tools) -> None:
    with ControlPlane(tools) as plane:
        version = plane.client.get("/version")["gitVersion"]
        home = plane.home
    assert version.startswith("v1.")
    assert not home.exists()


def test_an_unknown_runtime_class_is_forbidden(control_plane: ControlPlane) -> None:
    pod = gpu_pod("runtime", runtimeClassName="nvidia")
    answer = control_plane.client.request("POST", PODS, pod)
    assert answer.status == 403
    assert 'RuntimeClass "nvidia" not found' in answer.message


def test_half_a_gpu_is_invalid(control_plane: ControlPlane) -> None:
    answer = control_plane.client.request("POST", PODS, gpu_pod("half", gpus="500m"))
    assert answer.status == 422
    assert "must be an integer" in answer.message


def test_unequal_requests_and_limits_of_gpus_are_invalid(control_plane: ControlPlane) -> None:
    answer = control_plane.client.request("POST", PODS, gpu_pod("unequal", gpus="2", requests="1"))
    assert answer.status == 422
    assert "must be equal to nvidia.com/gpu limit" in answer.message


def test_a_user_without_rights_is_refused(control_plane: ControlPlane) -> None:
    answer = control_plane.client.request("GET", "/api/v1/nodes", as_user="somebody")
    assert answer.status == 403
    assert 'User "somebody" cannot list resource "nodes"' in answer.message


def test_kubectl_reads_the_kubeconfig(control_plane: ControlPlane, tools: Tools, tmp_path: Path) -> None:
    restricted = tmp_path / "kubeconfig"
    restricted.write_text(control_plane.kubeconfig_for("somebody"))

    def can_list_nodes(kubeconfig: Path) -> str:
        command: list[str | Path] = [
            tools.path("kubectl"),
            f"--kubeconfig={kubeconfig}",
            "auth",
            "can-i",
            "list",
            "nodes",
        ]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return answer.stdout.strip()

    assert can_list_nodes(control_plane.kubeconfig) == "yes"
    assert can_list_nodes(restricted) == "no"


def test_a_minimal_crd_keeps_what_it_is_given(control_plane: ControlPlane) -> None:
    client = control_plane.client
    client.create_crd("example.com", "v1", "ClusterPolicy", plural="clusterpolicies")
    toolkit = {"enabled": True, "env": [{"name": "CONTAINERD_SOCKET", "value": defaults().socket}]}
    policy = {
        "apiVersion": "example.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy"},
        "spec": {"toolkit": toolkit},
    }
    client.create("/apis/example.com/v1/clusterpolicies", policy)
    assert client.get("/apis/example.com/v1/clusterpolicies/cluster-policy")["spec"] == {"toolkit": toolkit}


def test_the_scheduler_counts_gpus(tools: Tools) -> None:
    with ControlPlane(tools, controllers=True) as plane:
        client = plane.client
        client.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-0"}})
        resources = {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "1"}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
        status = {"capacity": resources, "allocatable": resources, "conditions": [ready]}
        client.patch_status("/api/v1/nodes/gpu-0", status)
        # Else the first event would be about the taint of a node that is not ready.
        wait_for(lambda: not client.get("/api/v1/nodes/gpu-0")["spec"].get("taints"))
        client.create(PODS, gpu_pod("too-many", gpus="2"))
        wait_for(lambda: "1 Insufficient nvidia.com/gpu" in json.dumps(client.get(f"{PODS}/too-many")))
