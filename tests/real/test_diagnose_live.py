"""`diagnose` against a real API server: what it reads, what it is refused, and what it writes down."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.cluster.kinds import KINDS
from tests.cluster.incident import FLEET, recovered
from tests.cluster.objects import pod
from tests.run import Ran, run_json

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import KubeClient
from .stand_in_operator import PATHS, put, put_incident, remove

CONFLICT = "conflicting NVIDIADriver NodeSelectors found for resource: gold, nodeSelector: map[]"
GROUPS = sorted({group for kind in KINDS for group in kind.groups})


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """The incident's cluster."""
    client = control_plane.client
    client.create("/api/v1/namespaces", {"metadata": {"name": "gpu-operator"}})
    client.create_crd("nvidia.com", "v1", "ClusterPolicy", plural="clusterpolicies")
    put_incident(client)
    yield control_plane
    remove(client)


@pytest.fixture(autouse=True)
def _here(cluster: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    (tmp_path / "Pulumi.onprem.yaml").write_text(FLEET)


def diagnose(*arguments: str) -> Ran:
    return run_json("diagnose", "--fleet", "Pulumi.onprem.yaml", *arguments)


def as_user(cluster: ControlPlane, user: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / f"{user}.kubeconfig"
    path.write_text(cluster.kubeconfig_for(user))
    monkeypatch.setenv("KUBECONFIG", str(path))


def allow(client: KubeClient, user: str, *resources: str, namespace: str | None = None) -> None:
    """Lists of these, and nothing else."""
    group = "/apis/rbac.authorization.k8s.io/v1"
    where, kind = (f"/namespaces/{namespace}", "Role") if namespace else ("", "ClusterRole")
    name = f"{user}-{kind.lower()}"
    rule = {"apiGroups": list(GROUPS), "resources": list(resources), "verbs": ["list"]}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    client.create(f"{group}{where}/{kind.lower()}s", {"metadata": {"name": name}, "rules": [rule]})
    binding = {"metadata": {"name": name}, "roleRef": role, "subjects": [subject]}
    client.create(f"{group}{where}/{kind.lower()}bindings", binding)


def verdicts(ran: Ran) -> set[tuple[str, str]]:
    return {(found["rule"], found["verdict"]) for found in ran.findings}


def test_the_incident_is_one_finding_with_its_victims() -> None:
    ran = diagnose()
    assert ran.code == 1, ran.err
    (found,) = ran.findings
    assert (found["rule"], found["verdict"]) == ("containerd-paths", "fail")
    assert found["where"]["object"] == "DaemonSet/gpu-operator/nvidia-container-toolkit-daemonset"
    assert found["victims"] == [
        "Pod/default/gpu-textgen",
        "Pod/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6",
    ]
    assert "279 times" in found["cause"]
    assert ran.report["moment"] == "cluster"


@pytest.mark.parametrize("arguments", [(), ("--namespace", "gpu-operator"), ("--rule", "containerd-paths")])
def test_a_recording_says_what_the_cluster_said(arguments: tuple[str, ...]) -> None:
    live = diagnose("--record", "kept", *arguments)
    assert live.out
    assert diagnose("--from", "kept", *arguments).out == live.out
    asked = {kind.key for kind in KINDS if kind.is_asked_for}
    assert {"nodes", "pods", "statefulsets"} <= asked
    assert {path.name for path in Path("kept").iterdir()} == {f"{each}.json" for each in (*asked, "recording")}


def test_a_recording_holds_no_secret(cluster: ControlPlane) -> None:
    secret = "nvapi-0123456789abcdefghijkl"
    container = {
        "name": "c",
        "image": "i",
        "args": ["--password", "hunter2hunter2", f"--api-key={secret}"],
        "env": [{"name": "HF_TOKEN", "value": "hf_abcdefghijklmnopqrstuvwx"}, {"name": "MODEL", "value": "llama"}],
    }
    put(cluster.client, pod("with-a-secret", "default", containers=[container]))
    diagnose("--record", "kept")
    kept = "".join(path.read_text() for path in Path("kept").iterdir())
    assert "with-a-secret" in kept
    assert "llama" in kept
    for hidden in (secret, "hunter2hunter2", "hf_abcdefgh", "managedFields"):
        assert hidden not in kept


def test_a_refused_kind_is_unknown_and_replays_so(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    allow(cluster.client, "no-daemonsets", "nodes", "pods", "events", "clusterpolicies")
    as_user(cluster, "no-daemonsets", monkeypatch, tmp_path)
    ran = diagnose("--record", "kept")
    assert ("containerd-paths", "unknown") in verdicts(ran)
    assert ("looked-at", "unknown") in verdicts(ran)
    refused = next(found for found in ran.findings if found["rule"] == "looked-at")
    assert "daemonsets.apps is forbidden" in refused["message"]
    assert diagnose("--from", "kept").out == ran.out


def test_a_kind_is_read_in_the_version_that_the_server_has(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its group prefers another version, in which there is no such kind."""
    client = cluster.client
    client.create_crd("nvidia.com", "v1alpha1", "NVIDIADriver", plural="nvidiadrivers")
    of_kind = "/apis/nvidia.com/v1alpha1/nvidiadrivers"
    driver = {"apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver", "metadata": {"name": "gold"}, "spec": {}}
    client.create(of_kind, driver)
    said = {"type": "Error", "status": "True", "reason": "ConflictingNodeSelector", "message": CONFLICT}
    client.patch_status(f"{of_kind}/gold", {"state": "notReady", "conditions": [said]})
    ran = diagnose("--record", "kept")
    (found,) = (each for each in ran.findings if each["rule"] == "gpu-stack-settled")
    assert (found["verdict"], found["where"]["object"]) == ("fail", "NVIDIADriver/gold")
    assert CONFLICT in found["is"]
    assert diagnose("--from", "kept").out == ran.out
    allow(client, "no-drivers", *(kind.plural for kind in KINDS if kind.plural != "nvidiadrivers"))
    as_user(cluster, "no-drivers", monkeypatch, tmp_path)
    ran = diagnose("--record", "kept-by-another")
    (found,) = (each for each in ran.findings if each["rule"] == "gpu-stack-settled")
    assert found["verdict"] == "unknown"
    assert "the server refused to list nvidiadrivers.nvidia.com" in found["message"]
    assert diagnose("--from", "kept-by-another").out == ran.out
    client.expect("DELETE", f"{of_kind}/gold")


def test_the_symptom_fails_even_where_the_cause_may_not_be_read(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    as_user(cluster, "no-daemonsets", monkeypatch, tmp_path)
    ran = diagnose()
    assert ran.code == 1
    symptoms = (found for found in ran.findings if found["rule"] == "toolkit-reaches-containerd")
    (failed,) = (found for found in symptoms if found["verdict"] == "fail")
    assert failed["victims"] == ["Pod/default/gpu-textgen"]


def test_in_one_namespace_what_belongs_to_none_may_be_refused(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    its_own = [kind.plural for kind in KINDS if kind.namespaced]
    assert "daemonsets" in its_own
    allow(cluster.client, "tenant", *its_own, namespace="gpu-operator")
    as_user(cluster, "tenant", monkeypatch, tmp_path)
    ran = diagnose("--namespace", "gpu-operator", "--record", "kept", "--show-passed")
    assert "unknown" not in {
        found["verdict"] for found in ran.findings if found["rule"] != "toolkit-reaches-containerd"
    }
    assert ("containerd-paths", "skip") in verdicts(ran)
    assert diagnose("--from", "kept", "--show-passed").out == ran.out


def test_who_may_nothing_knows_nothing(cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    as_user(cluster, "nobody", monkeypatch, tmp_path)
    ran = diagnose()
    assert ran.code == 3
    assert {found["verdict"] for found in ran.findings} == {"unknown"}


def test_pages_are_read_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = diagnose()
    monkeypatch.setattr("nodeworthy.collect.cluster.live.PAGE", "3")
    in_pages = diagnose("--max-workers", "1")
    assert in_pages.report["evaluated"]["objects"] > 12
    assert in_pages.out == at_once.out


def test_an_expired_token_ends_with_3(cluster: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = json.loads(cluster.kubeconfig_for())
    written["users"][0]["user"]["token"] = "expired"
    (tmp_path / "expired").write_text(json.dumps(written))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "expired"))
    ran = diagnose()
    assert (ran.code, ran.out) == (3, "")
    assert "expired" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_server_that_is_not_there_ends_with_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    use_server(f"https://127.0.0.1:{port}", tmp_path, monkeypatch)
    ran = diagnose("--record", "kept")
    assert (ran.code, ran.out) == (3, "")
    assert (
        ran.err == f"nodeworthy diagnose: https://127.0.0.1:{port} can't be reached: [Errno 111] Connection refused\n"
    )
    assert list(Path("kept").iterdir()) == []


def test_a_server_that_says_nothing_costs_its_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.collect.cluster.connection.READ_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use_server(f"http://127.0.0.1:{silent.getsockname()[1]}", tmp_path, monkeypatch)
        begun = time.monotonic()
        ran = diagnose()
    assert (ran.code, ran.out) == (3, "")
    assert time.monotonic() - begun < 3
    assert "no answer" in ran.err


def test_nobody_waits_for_a_server_after_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use_server(f"http://127.0.0.1:{silent.getsockname()[1]}", tmp_path, monkeypatch)
        argv = [sys.executable, "-m", "nodeworthy", "diagnose", "--record", "kept", "--max-workers", "1"]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        asked, _ = silent.accept()
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    asked.close()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert time.monotonic() - begun < 3
    assert list(Path("kept").iterdir()) == []


def test_a_server_of_something_else_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as web:
        threading.Thread(target=answer_in_html, args=(web,), daemon=True).start()
        use_server(f"http://127.0.0.1:{web.getsockname()[1]}", tmp_path, monkeypatch)
        ran = diagnose("--max-workers", "1")
    assert (ran.code, ran.out) == (3, "")
    assert "no Kubernetes API server" in ran.err


def answer_in_html(web: socket.socket) -> None:
    client, _ = web.accept()
    with client:
        client.recv(4096)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>")


def use_server(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = {
        "clusters": [{"name": "c", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(written))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))


def test_the_cluster_after_the_fix_is_clean(cluster: ControlPlane) -> None:
    """Last, because it changes the cluster: what the operator does after the remedy."""
    client = cluster.client
    client.request("DELETE", PATHS["Pod"].format("default") + "/gpu-textgen?gracePeriodSeconds=0")
    client.request("DELETE", PATHS["Pod"].format("gpu-operator") + "?gracePeriodSeconds=0")
    client.request("DELETE", PATHS["DaemonSet"].format("gpu-operator"))
    client.request("DELETE", PATHS["ClusterPolicy"] + "/cluster-policy")
    fixed = recovered()
    for kind in ("daemonsets", "clusterpolicies", "pods"):
        for each in fixed[kind]:
            put(client, each)
    ran = diagnose()
    assert (ran.code, ran.findings) == (0, [])
