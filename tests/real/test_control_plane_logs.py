"""Logs of pods, asked of a real API server: only those that a rule needs, and kept in a recording with what was refused.

What a kubelet would answer is written by the test: no container runs here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.incident import BASE_DIR, DIAL, FLEET, toolkit_pod
from tests.cluster.objects import NODE, Object, daemonset, node, pod
from tests.run import Ran, run_json

from .control_plane import ControlPlane
from .kube_client import KubeClient
from .log_server import LogServer
from .stand_in_operator import put, remove
from .tools import Tools

TOOLKIT = "gpu-operator/nvidia-container-toolkit-daemonset-bhqw6/nvidia-container-toolkit-ctr"
TRAIN = "default/train/main"
OOM = "step 41\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwx\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"


def crashing() -> Object:
    """On a GPU that HAMi shares."""
    share = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4000"}
    ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    status = {"name": "main", "ready": False, "restartCount": 7, "image": "i", "imageID": "", "lastState": ended}
    status["state"] = {"waiting": {"reason": "CrashLoopBackOff"}}
    conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": "2025-09-28T04:43:32Z"}]
    told = {"phase": "Running", "conditions": conditions, "containerStatuses": [status]}
    container = {"name": "main", "image": "i", "resources": {"limits": share, "requests": share}}
    made = pod("train", "default", containers=[container], schedulerName="hami-scheduler", status=told)
    made["metadata"]["annotations"] = {"hami.io/vgpu-devices-allocated": "GPU-1,NVIDIA,4000,0:;"}
    return made


def stuck_toolkit() -> Object:
    made = toolkit_pod()
    made["spec"]["containers"][0]["name"] = TOOLKIT.rpartition("/")[2]
    return made


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools) as plane:
        plane.client.create("/api/v1/namespaces", {"metadata": {"name": "gpu-operator"}})
        yield plane


@pytest.fixture
def kubelet(tmp_path: Path) -> Iterator[LogServer]:
    with LogServer(tmp_path, {TOOLKIT: DIAL, TRAIN: OOM}) as server:
        yield server


@pytest.fixture
def cluster(
    plane: ControlPlane, kubelet: LogServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ControlPlane]:
    client = plane.client
    put(client, node())
    reach = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet.port}},
    }
    client.patch_status(f"/api/v1/nodes/{NODE}", reach)
    hami = pod("hami-scheduler-0", "kube-system")
    hami["metadata"]["labels"] = {"app.kubernetes.io/component": "hami-scheduler"}
    for each in (daemonset(BASE_DIR), stuck_toolkit(), crashing(), hami):
        put(client, each)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(plane.kubeconfig))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    (tmp_path / "Pulumi.onprem.yaml").write_text(FLEET)
    yield plane
    remove(client)
    client.request("DELETE", "/api/v1/namespaces/kube-system/pods/hami-scheduler-0?gracePeriodSeconds=0")


def diagnose(*arguments: str) -> Ran:
    return run_json("diagnose", *arguments)


def of_rule(ran: Ran, rule: str) -> dict[str, object]:
    (found,) = (each for each in ran.findings if each["rule"] == rule)
    return dict(found)


def test_a_crash_is_explained_by_its_log_and_its_recording_says_the_same(
    cluster: ControlPlane, kubelet: LogServer
) -> None:
    live = diagnose("--record", "kept")
    found = of_rule(live, "hami-crash-explained")
    assert (found["verdict"], found["is"]) == ("fail", "CUDA out of memory")
    assert diagnose("--from", "kept").out == live.out
    kept = Path("kept/logs/default/train/main.log").read_text()
    assert "CUDA out of memory" in kept
    assert "hf_abc" not in kept
    assert set(kubelet.asked) == {TOOLKIT, TRAIN}
    assert kubelet.asked[TRAIN] == {"limitBytes": [str(256 << 10)], "tailLines": ["200"]}


def test_what_the_toolkit_said_is_in_the_cause(cluster: ControlPlane) -> None:
    found = [each for each in diagnose().findings if "toolkit-daemonset" in json.dumps(each["where"])]
    assert "unable to dial: dial unix" in json.dumps(found)


def test_rules_that_read_no_logs_ask_for_none(cluster: ControlPlane, kubelet: LogServer) -> None:
    assert diagnose("--rule", "gpu-count-complete", "--record", "kept").out
    assert kubelet.asked == {}
    assert not Path("kept/logs").exists()


def test_a_log_that_may_not_be_read_leaves_the_crash_unknown(
    cluster: ControlPlane, kubelet: LogServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_all_but_logs(cluster.client)
    (tmp_path / "config").write_text(cluster.kubeconfig_for("no-logs"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    live = diagnose("--record", "kept")
    found = of_rule(live, "hami-crash-explained")
    assert found["verdict"] == "unknown"
    assert 'cannot get resource "pods/log"' in str(found["cause"])
    assert kubelet.asked == {}
    assert diagnose("--from", "kept").out == live.out


def test_a_kubelet_that_does_not_answer_costs_no_more_than_its_log(cluster: ControlPlane, kubelet: LogServer) -> None:
    kubelet.logs.clear()
    found = of_rule(diagnose(), "hami-crash-explained")
    assert found["verdict"] == "unknown"
    assert "no log of it was read: " in str(found["cause"])


def allow_all_but_logs(client: KubeClient) -> None:
    group = "rbac.authorization.k8s.io"
    rule = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["list"]}
    role = {"apiGroup": group, "kind": "ClusterRole", "name": "no-logs"}
    client.request("POST", f"/apis/{group}/v1/clusterroles", {"metadata": {"name": "no-logs"}, "rules": [rule]})
    subject = {"apiGroup": group, "kind": "User", "name": "no-logs"}
    binding = {"metadata": {"name": "no-logs"}, "roleRef": role, "subjects": [subject]}
    client.request("POST", f"/apis/{group}/v1/clusterrolebindings", binding)
