"""What tests of `accept --on kubernetes` run, what is left behind, and who comes while it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from nodeworthy.collect.workload.live.job_state import Patience
from nodeworthy.commands.accept import live
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import GPU
from tests.real.kube_client import wait_for
from tests.real.stand_in_kubelet import Object, hangs
from tests.run import Ran, run

HOME = "nodeworthy"
JOBS = f"/apis/batch/v1/namespaces/{HOME}/jobs"
PODS = f"/api/v1/namespaces/{HOME}/pods"
LEFT = (
    JOBS,
    PODS,
    f"/api/v1/namespaces/{HOME}/services",
    f"/apis/coordination.k8s.io/v1/namespaces/{HOME}/leases",
)
MAPS = f"/api/v1/namespaces/{HOME}/configmaps"
RESTRICTED = "pod-security.kubernetes.io/enforce"
MERGE = "application/merge-patch+json"


def kubeconfig(plane: ControlPlane) -> str:
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/nodeworthy-accept/token"
    token = plane.client.create(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    written = json.loads(plane.kubeconfig_for())
    written["users"][0]["user"] = {"token": token["status"]["token"]}
    return json.dumps(written)


def left(plane: ControlPlane) -> list[str]:
    """What a run has made and is there still."""
    found = [each for path in LEFT for each in plane.client.get(path)["items"]]
    found += [each for each in plane.client.get(MAPS)["items"] if each["metadata"]["name"] != "kube-root-ca.crt"]
    return [each["metadata"]["name"] for each in found]


ONE_TEST = ("--level", "quick", "--test", "disk-and-network")


def accept(*arguments: str, tests: tuple[str, ...] = ONE_TEST) -> Ran:
    given = ("--on", "kubernetes", "--image", "registry.example/t:1", "--yes", "--yes-last", *tests)
    return run("accept", *given, *arguments, "--format", "json")


def states(ran: Ran) -> dict[str, tuple[str, str]]:
    """Of each node how the one test ended there, and why."""
    assert ran.out, ran.err
    tried = [each for each in ran.report["runs"] if each["test"] == "disk-and-network"]
    return {name: (each["state"], each["why"] or "") for each in tried for name in each["nodes"]}


def patient(monkeypatch: pytest.MonkeyPatch, **seconds: float) -> None:
    monkeypatch.setattr(live, "PATIENCE", Patience(**seconds))


def other_pod(name: str, node: str, gpus: int, **spec: Any) -> Object:
    """Somebody's own work, of the usual priority."""
    amounts = {GPU: str(gpus)}
    container = {"name": "train", "image": "x", "resources": {"requests": amounts, "limits": amounts}}
    selector = {"metadata.name": node}
    affinity = {
        "nodeSelectorTerms": [
            {"matchFields": [{"key": k, "operator": "In", "values": [v]} for k, v in selector.items()]}
        ]
    }
    where = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": affinity}}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **where, **spec}}


def remove_theirs(plane: ControlPlane) -> None:
    path = "/api/v1/namespaces/default/pods"
    plane.client.request("DELETE", f"{path}/theirs")
    wait_for(lambda: plane.client.get(path)["items"] == [], seconds=120)


def comes(plane: ControlPlane, pod: Object) -> Callable[[Object], Any]:
    """Once ours runs, it comes."""

    def goes(ours: Object) -> Any:
        if ours["metadata"]["namespace"] != HOME:
            return hangs(ours)
        plane.client.create("/api/v1/namespaces/default/pods", pod)
        return hangs(ours)

    return goes
