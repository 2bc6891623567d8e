"""`node --in-cluster` against a real API server, scheduler and controllers. No pod really runs: a stand-in says how each
goes, and on one node runs its command on this machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.recording import as_text, load
from tests.node.recordings import INCIDENT, MENDED
from tests.run import Ran, run

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import wait_for
from .stand_in_kubelet import StandInKubelet, always, ended, hangs, runs_beside, waits
from .tools import Tools

IMAGE = "registry.example/nodeworthy:1"
HOME = "nodeworthy"
JOBS = f"/apis/batch/v1/namespaces/{HOME}/jobs"
PODS = f"/api/v1/namespaces/{HOME}/pods"
FIT, UNFIT = (as_text(load(each)).encode() for each in (MENDED, INCIDENT))


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, controllers=True) as plane:
        apply(plane, tools, run("node", "--in-cluster", "--print-role", "--taint").out)
        account = f"/api/v1/namespaces/{HOME}/serviceaccounts/default"
        wait_for(lambda: plane.client.answers(account))
        yield plane


@pytest.fixture(scope="module")
def kubelets(plane: ControlPlane) -> Iterator[StandInKubelet]:
    with StandInKubelet(plane) as kubelets:
        yield kubelets


@pytest.fixture
def nodes(
    plane: ControlPlane, kubelets: StandInKubelet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StandInKubelet]:
    """As the account that --print-role makes, and with no other right."""
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/nodeworthy-in-cluster/token"
    token = plane.client.create(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    written = json.loads(plane.kubeconfig_for())
    written["users"][0]["user"] = {"token": token["status"]["token"]}
    (tmp_path / "kubeconfig").write_text(json.dumps(written))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.chdir(tmp_path)
    yield kubelets
    kubelets.forget()
    assert jobs(plane) == []
    wait_for(lambda: plane.client.get(PODS)["items"] == [])


def apply(plane: ControlPlane, tools: Tools, manifests: str, *more: str) -> None:
    kubectl = [str(tools.path("kubectl")), f"--kubeconfig={plane.kubeconfig}", "apply", *more, "-f", "-"]
    told = subprocess.run(kubectl, input=manifests, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert told.returncode == 0, told.stderr


def jobs(plane: ControlPlane) -> list[dict[str, Any]]:
    """Without those that are on their way out."""
    return [each for each in plane.client.get(JOBS)["items"] if "deletionTimestamp" not in each["metadata"]]


def look(*arguments: str) -> Ran:
    return run("node", "--in-cluster", "--image", IMAGE, *arguments, "--format", "json")


def why(ran: Ran, host: str) -> str:
    (found,) = [each for each in ran.findings if each["where"].get("host") == host and each["rule"] == "looked-at"]
    assert found["verdict"] == "error"
    return str(found["message"])


def test_every_node_is_looked_at_where_it_is(nodes: StandInKubelet) -> None:
    """Tainted nodes, too; the command that a pod has is one that nodeworthy knows."""
    nodes.add("fit", always(ended(0, FIT)), team="ml")
    nodes.add("unfit", always(ended(0, b"warning: noise\n" + UNFIT + b"more noise\n")), team="ml")
    nodes.add("other", hangs)
    ran = look("--selector", "team=ml", "--yes", "--record", "kept")
    assert ran.code == 1, ran.err
    assert ran.report["evaluated"]["hosts"] == 2
    assert {each["where"]["host"] for each in ran.findings} == {"node://unfit"}
    assert "containerd-paths" in {each["rule"] for each in ran.findings}
    assert sorted(each["spec"]["nodeName"] for each in nodes.taken.values()) == ["fit", "unfit"]
    assert sorted(each.name for each in Path("kept").iterdir()) == ["node-fit.json", "node-unfit.json"]
    assert {each["spec"]["priority"] for each in nodes.taken.values()} == {-1000}
    assert re.search(r"2 Jobs in namespace nodeworthy of https://\S+: fit, unfit\n", ran.err)
    assert "2 of 2 nodes read" in ran.err


@pytest.mark.parametrize("random", ["8c51f0aa", "31415926", "3141e592"])
def test_a_dry_run_makes_nothing_and_shows_what_the_server_takes(
    random: str, nodes: StandInKubelet, plane: ControlPlane, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the run's own random digits look like: the last is a number to kubectl, and a label is none."""
    monkeypatch.setattr("secrets.token_hex", lambda _: random)
    nodes.add("fit", hangs, team="ml")
    nodes.add("kept-out", hangs, team="ml", nodeworthy__verify="disabled")
    ran = run("node", "--in-cluster", "--image", IMAGE, "--selector", "team=ml", "--dry-run")
    assert ran.code == 0, ran.err
    assert "left out, for they opted out: node://kept-out (nodeworthy/verify=disabled)" in ran.out
    assert ran.out.count("kind: Job") == 1
    assert (jobs(plane), nodes.taken) == ([], {})
    apply(plane, tools, ran.out, "--dry-run=server")


@pytest.fixture
def booted(tools: Tools) -> Iterator[int]:
    """The first process of what passes for a node: with a name and numbers of its own."""
    tools.need_root()
    inside = "hostname gpu-booted; echo ready; exec sleep 300"
    command = ["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
    with subprocess.Popen([*command, "sh", "-c", inside], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        process.kill()


def test_what_its_pod_runs_reads_the_node(nodes: StandInKubelet, booted: int) -> None:
    nodes.add("here", runs_beside(booted))
    look("node://here", "--yes", "--rule", "clock-right", "--record", "kept")
    kept = load(Path("kept/node-here.json"))
    assert (kept.host, kept.unreached) == ("node://here", None)
    assert (kept.by_name["name"].stdout, kept.parts[-1].name) == ("gpu-booted", "done")


def test_who_opted_out_is_left_out(nodes: StandInKubelet) -> None:
    nodes.add("fit", always(ended(0, FIT)), team="ml")
    nodes.add("theirs", hangs, team="ml", nodeworthy__verify="disabled")
    ran = look("--selector", "team=ml", "--yes")
    assert ran.code == 0, ran.err
    assert "left out, for they opted out: node://theirs (nodeworthy/verify=disabled)" in ran.err
    assert ran.report["summary"]["skip"] > 0
    alone = look("node://theirs", "--yes")
    assert alone.code == 3
    assert "no Job is made" in alone.err
    assert [each["spec"]["nodeName"] for each in nodes.taken.values()] == ["fit"]


def test_the_scheduler_keeps_it_from_who_opts_out_meanwhile(nodes: StandInKubelet, plane: ControlPlane) -> None:
    from nodeworthy.collect.in_cluster.job import Terms, job

    nodes.add("late", always(ended(0, FIT)), nodeworthy__verify="disabled")
    terms = Terms("aaaa", IMAGE, "30s", None, 60, 60, None)
    plane.client.create(JOBS, job("late-one", "late", terms))
    try:
        wait_for(lambda: "didn't match Pod's node affinity" in json.dumps(plane.client.get(PODS)))
        assert nodes.taken == {}
    finally:
        plane.client.request("DELETE", f"{JOBS}/late-one?propagationPolicy=Background")
    wait_for(lambda: jobs(plane) == [])


EVICTED = ended(0, b"")._replace(status={"phase": "Failed", "reason": "Evicted", "message": "low on memory"})
BAD = {
    "pull": (waits("ImagePullBackOff", 'Back-off pulling image "x"'), "its pod does not start: ImagePullBackOff: Back"),
    "refuses": (ended(1, b"nodeworthy: not here\n"), "the last that its pod said: nodeworthy: not here"),
    "fails": (ended(1, b""), "BackoffLimitExceeded"),
    "killed": (ended(137, b"", "OOMKilled"), "it ended with 137 (OOMKilled)"),
    "cut": (ended(0, FIT[: len(FIT) // 2]), "its log is no whole recording"),
    "strange": (ended(0, b"hello\n"), "its log holds no recording"),
    "tight": (EVICTED, "Evicted: low on memory"),
}


def test_why_a_node_was_not_reached(nodes: StandInKubelet, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are judged all the same; what was evicted once is tried once more."""
    monkeypatch.setattr("nodeworthy.collect.in_cluster.looking.START_SECONDS", 0.0)
    for name, (went, _) in BAD.items():
        nodes.add(name, always(went))
    tries = iter((EVICTED, ended(0, FIT)))
    nodes.add("second", lambda _: next(tries))
    ran = look(*(f"node://{name}" for name in nodes.nodes), "--yes")
    assert ran.code == 3, ran.out
    assert [name for name, (_, said) in BAD.items() if said not in why(ran, f"node://{name}")] == []
    assert "node://second" not in {each["where"].get("host") for each in ran.findings}
    assert next(tries, None) is None


def test_a_node_that_dies(nodes: StandInKubelet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.collect.in_cluster.looking.NODE_SECONDS", 1.0)
    nodes.add_dying("dying")
    nodes.add("fit", always(ended(0, FIT)))
    ran = look("node://dying", "node://fit", "--yes")
    assert ran.code == 3
    assert "its kubelet does not answer since" in why(ran, "node://dying")
    assert "stopped posting node status" in why(ran, "node://dying")


def test_one_that_is_never_over(nodes: StandInKubelet) -> None:
    """Kubernetes ends it by its own clock."""
    nodes.add("slow", hangs)
    ran = look("node://slow", "--yes", "--deadline", "1s", "--job-deadline", "3s")
    assert "DeadlineExceeded" in why(ran, "node://slow")


def test_no_such_node_and_nobody_agrees(nodes: StandInKubelet, plane: ControlPlane) -> None:
    assert "there is no such node" in why(look("node://gone", "--yes"), "node://gone")
    nodes.add("fit", always(ended(0, FIT)))
    ran = look("node://fit")
    assert (ran.code, "1 Job in namespace" in ran.err, "there is no terminal" in ran.err) == (2, True, True)
    assert nodes.taken == {}


def test_a_node_is_marked_by_what_it_says(nodes: StandInKubelet, plane: ControlPlane) -> None:
    boot = load(MENDED).by_name.get("boot id")
    nodes.add("fit", always(ended(0, FIT)))
    if boot is not None:
        info = {"nodeInfo": {"bootID": boot.stdout.strip()}}
        plane.client.patch_status("/api/v1/nodes/fit", info)
    ran = look("node://fit", "--yes", "--taint")
    assert ran.code == 0, ran.err
    node = plane.client.get("/api/v1/nodes/fit")
    assert "nodeworthy/verified" in node["metadata"]["labels"]
    assert "nodeworthy/unverified" not in {each["key"] for each in node["spec"].get("taints", ())}


def test_who_may_not_make_jobs(
    nodes: StandInKubelet, plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "somebody").write_text(plane.kubeconfig_for("somebody"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "somebody"))
    ran = look("node://fit", "--yes")
    assert ran.code == 3
    assert 'cannot get resource "nodes"' in ran.err
    reader = {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view-nodes"}}
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]
    plane.client.create(f"{rbac}/clusterroles", {"metadata": {"name": "view-nodes"}, "rules": rules})
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "somebody"}
    binding = {"metadata": {"name": "view-nodes"}, "subjects": [subject], **reader}
    plane.client.create(f"{rbac}/clusterrolebindings", binding)
    nodes.add("fit", always(ended(0, FIT)))
    wait_for(lambda: look("node://fit", "--yes").out != "")
    refused = look("node://fit", "--yes")
    assert 'User "somebody" cannot create resource "jobs"' in why(refused, "node://fit")


def test_a_namespace_that_allows_no_such_pods(nodes: StandInKubelet, plane: ControlPlane) -> None:
    label = "pod-security.kubernetes.io/enforce"
    patch = "application/merge-patch+json"

    def enforce(level: str) -> None:
        labels = {"metadata": {"labels": {label: level}}}
        plane.client.expect("PATCH", f"/api/v1/namespaces/{HOME}", labels, content_type=patch)

    nodes.add("fit", always(ended(0, FIT)))
    enforce("baseline")
    try:
        assert "violates PodSecurity" in why(look("node://fit", "--yes"), "node://fit")
    finally:
        enforce("privileged")


def begun(nodes: StandInKubelet, *arguments: str) -> subprocess.Popen[bytes]:
    """A run of its own, once two of its pods have come to their nodes."""
    for name in ("one", "two", "three"):
        nodes.add(name, hangs, team="ml")
    command = [sys.executable, "-m", "nodeworthy", "node", "--in-cluster", "--image", IMAGE, "--selector", "team=ml"]
    process = subprocess.Popen([*command, "--yes", "--max-workers", "2", *arguments], stderr=subprocess.PIPE)
    wait_for(lambda: len(nodes.taken) == 2)
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_left_where_it_is_stopped(
    nodes: StandInKubelet, plane: ControlPlane, number: signal.Signals, code: int
) -> None:
    with begun(nodes) as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, err
    assert jobs(plane) == []


def test_what_a_killed_run_leaves_ends_by_itself(nodes: StandInKubelet, plane: ControlPlane) -> None:
    """By Kubernetes' clocks: it ends each Job, and clears it away later."""
    with begun(nodes, "--deadline", "1s", "--job-deadline", "15s") as process:
        process.kill()
        process.communicate(timeout=PATIENCE)
    left = jobs(plane)
    assert len(left) == 2
    assert {each["spec"]["ttlSecondsAfterFinished"] for each in left} == {600}
    wait_for(lambda: plane.client.get(PODS)["items"] == [])
    for each in left:
        plane.client.request("DELETE", f"{JOBS}/{each['metadata']['name']}?propagationPolicy=Background")
    wait_for(lambda: jobs(plane) == [])
