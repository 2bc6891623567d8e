"""The incident's cluster as tests of repairs have it: made anew, and looked at from an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.incident import FLEET
from tests.cluster.objects import NODE, Object
from tests.run import Ran, run

from .control_plane import ControlPlane
from .kube_client import KubeClient
from .stand_in_operator import env_now, put_incident, remove

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
MERGE = "application/merge-patch+json"


@contextmanager
def incident_here(plane: ControlPlane, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    patch.chdir(folder)
    patch.setenv("KUBECONFIG", str(plane.kubeconfig))
    patch.setenv("PATH", "/nonexistent")
    patch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    Path("Pulumi.onprem.yaml").write_text(FLEET)
    prepare(plane.client)
    remove(plane.client)
    put_incident(plane.client)
    yield
    remove(plane.client)
    plane.client.request("DELETE", f"{LEASES}/nodeworthy-repair")


def prepare(client: KubeClient) -> None:
    if client.request("GET", "/api/v1/namespaces/gpu-operator").status == 404:
        client.create("/api/v1/namespaces", {"metadata": {"name": "gpu-operator"}})
    if client.request("GET", "/apis/nvidia.com/v1/clusterpolicies").status == 404:
        client.create_crd("nvidia.com", "v1", "ClusterPolicy", plural="clusterpolicies")


def fix(*arguments: str) -> Ran:
    return run("diagnose", "--fleet", "Pulumi.onprem.yaml", "--fix", *arguments)


def undo(*arguments: str) -> Ran:
    return run("diagnose", "--undo", *arguments)


def kept() -> list[Path]:
    return sorted(Path.cwd().glob("nodeworthy-fix-*.json"))


def locks(client: KubeClient) -> list[Object]:
    """Without the API server's own."""
    return [each for each in client.get(LEASES)["items"] if "nodeworthy" in each["metadata"]["name"]]


def said(client: KubeClient) -> set[tuple[str, Any]]:
    return {(each["name"], each.get("value")) for each in env_now(client)}


def leave_a_lock(client: KubeClient) -> None:
    lock = {"hami.io/mutex.lock": "2025-10-14T18:02:11Z,research,gone-1"}
    client.expect("PATCH", f"/api/v1/nodes/{NODE}", {"metadata": {"annotations": lock}}, content_type=MERGE)
    client.create("/api/v1/namespaces/default/pods", refused_pod())
    client.patch_status("/api/v1/namespaces/default/pods/embed", REFUSED)


REFUSED = {
    "phase": "Failed",
    "reason": "UnexpectedAdmissionError",
    "message": "Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = no binding pod found on node "
    f"{NODE}, which is unexpected",
}


def refused_pod() -> Object:
    limits = {"limits": {"nvidia.com/gpu": "1"}}
    container = {"name": "train", "image": "registry.k8s.io/pause:3.10", "resources": limits}
    spec = {"nodeName": NODE, "schedulerName": "hami-scheduler", "containers": [container]}
    return {"metadata": {"name": "embed", "namespace": "default"}, "spec": spec}
