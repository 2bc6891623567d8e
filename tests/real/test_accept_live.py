"""`accept --on kubernetes` against a real API server, scheduler and controllers, with the rights of --print-role and no
other, in a namespace that forbids all that Kubernetes' strictest standard forbids."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.in_cluster.job import RUN
from nodeworthy.collect.node.recording import as_text, load
from nodeworthy.collect.workload.live import turn
from nodeworthy.collect.workload.live.job_state import Patience
from nodeworthy.collect.workload.live.running import Times
from nodeworthy.collect.workload.live.workbench import Workbench
from nodeworthy.commands.accept import live
from tests.accept.stand_in_driver import compile_into
from tests.node.recordings import MENDED
from tests.run import Ran, run

from .control_plane import ControlPlane
from .gpu_kubelets import GPU, GpuKubelets, RunsLauncher, environment_of, measured
from .kube_client import wait_for
from .quick_level import WELL, WRONG, says
from .stand_in_kubelet import Object, always, ended, hangs, waits
from .test_control_plane_in_cluster import apply
from .tools import Tools

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


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, controllers=True) as plane:
        apply(plane, tools, run("accept", "--print-role", "--taint").out)
        labels = {"metadata": {"labels": {RESTRICTED: "restricted"}}}
        plane.client.expect("PATCH", f"/api/v1/namespaces/{HOME}", labels, content_type=MERGE)
        account = f"/api/v1/namespaces/{HOME}/serviceaccounts/default"
        wait_for(lambda: plane.client.answers(account), seconds=120)
        yield plane


@pytest.fixture(scope="module")
def kubelets(plane: ControlPlane) -> Iterator[GpuKubelets]:
    with GpuKubelets(plane) as kubelets:
        yield kubelets


@pytest.fixture
def nodes(
    plane: ControlPlane, kubelets: GpuKubelets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GpuKubelets]:
    (tmp_path / "kubeconfig").write_text(kubeconfig(plane))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(live, "TIMES", Times(poll=0.2, opt_out=0.5))
    monkeypatch.setattr(live, "GONE_POLL_SECONDS", 0.1)
    yield kubelets
    kubelets.deaf.clear()
    wait_for(lambda: left(plane) == [], seconds=120)
    kubelets.forget()


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


def test_what_a_pod_runs_is_measured_and_nothing_is_left(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """The launcher and its program for real; the scheduler places them, below everybody, and the ledger is even."""
    for name in ("gpu-1", "gpu-2"):
        nodes.add_gpu_node(name, RunsLauncher(nodes))
    ran = accept("gpu-1", "gpu-2", "--record", "kept", "--show-passed")
    assert ran.code == 3, ran.err  # of this storage nobody said how fast it must be
    measures = [one for each in ran.report["runs"] if each["test"] == "disk-and-network" for one in each["measures"]]
    assert {(each["node"], each["name"]) for each in measures} == {
        (node, name) for node in ("gpu-1", "gpu-2") for name in ("write_gbps", "read_gbps")
    }
    passed = [each["where"]["host"] for each in ran.findings if each["rule"] == "verification-yields"]
    assert sorted(passed) == ["gpu-1", "gpu-2"]
    assert {each["spec"]["priority"] for each in nodes.taken.values()} == {-1000}
    assert left(plane) == []
    again = run("accept", "--from", "kept", *ONE_TEST[2:], "--format", "json")
    assert (again.code, states(again)) == (ran.code, states(ran))
    assert ran.err.count(": begins\n") == ran.err.count(": ran\n") == 2


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


def test_whoever_comes_goes_first(nodes: GpuKubelets, plane: ControlPlane) -> None:
    nodes.add_gpu_node("gpu-1", comes(plane, other_pod("theirs", "gpu-1", 8)))
    ran = accept("gpu-1")
    try:
        assert ran.code == 3
        state, why = states(ran)["gpu-1"]
        assert (state, why.startswith("it made room (PodFailurePolicy: ")) == ("not run", True), why
        assert len([each for each in nodes.taken if each.startswith("nodeworthy-")]) == 1  # and is not begun again
        theirs = plane.client.get("/api/v1/namespaces/default/pods/theirs")
        assert theirs["spec"]["nodeName"] == "gpu-1"
    finally:
        remove_theirs(plane)


def test_where_others_work_nothing_is_begun(nodes: GpuKubelets, plane: ControlPlane) -> None:
    nodes.add_gpu_node("gpu-1")
    plane.client.create("/api/v1/namespaces/default/pods", other_pod("theirs", "gpu-1", 1))
    pod = "/api/v1/namespaces/default/pods/theirs"
    wait_for(lambda: plane.client.get(pod)["spec"].get("nodeName") == "gpu-1", seconds=120)
    ran = accept("gpu-1")
    remove_theirs(plane)
    assert states(ran)["gpu-1"] == ("not run", "its GPUs are in use: default/theirs holds 1")
    assert [each for each in nodes.taken if each.startswith("nodeworthy-")] == []


def test_the_last_free_node_is_left_to_others(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1")
    given = ("--on", "kubernetes", "--image", "registry.example/t:1", "--yes", *ONE_TEST, "--format", "json")
    ran = run("accept", "gpu-1", *given)
    assert "it is the last free node of its pool (p5.48xlarge-NVIDIA-H100-80GB-HBM3)" in states(ran)["gpu-1"][1]
    assert nodes.taken == {}


def test_kubernetes_ends_it_at_its_deadline(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1", hangs)
    began = time.monotonic()
    ran = accept("gpu-1", "--job-deadline", "30s")
    assert states(ran)["gpu-1"] == ("not run", "Kubernetes ended it at its deadline; before: it runs")
    assert time.monotonic() - began >= 29


def test_whoever_opts_out_meanwhile_is_left(nodes: GpuKubelets) -> None:
    def opts_out(pod: Object) -> Any:
        nodes.change("gpu-1", {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}})
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", opts_out)
    ran = accept("gpu-1")
    state, why = states(ran)["gpu-1"]
    assert (state, "has opted out meanwhile, by its label nodeworthy/verify=disabled" in why) == ("not run", True)


def test_at_the_end_of_the_window_it_leaves(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is begun that would end behind it; what runs then is ended."""
    evening = datetime(2026, 11, 27, 21, 0, tzinfo=UTC)
    later: list[float] = []
    monkeypatch.setattr(live, "LOCAL_TIME", lambda: evening + timedelta(hours=len(later)))
    nodes.add_gpu_node("gpu-1", hangs)
    tight = accept("gpu-1", "--window", "20:00-21:01")
    assert "and the window 20:00-21:01 has not as much" in states(tight)["gpu-1"][1]
    assert nodes.taken == {}

    def passes(pod: Object) -> Any:
        later.append(1)
        return hangs(pod)

    nodes.nodes["gpu-1"] = passes
    ran = accept("gpu-1", "--window", "20:00-22:00")
    assert "the window 20:00-22:00 has ended" in states(ran)["gpu-1"][1]


def test_a_node_that_was_booted_again_or_dies(nodes: GpuKubelets) -> None:
    def boots(pod: Object) -> Any:
        nodes.offer(pod["spec"]["nodeName"], 8, boot="boot-2")
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", boots)
    ran = accept("gpu-1")
    assert "gpu-1 was booted again, or is another machine" in states(ran)["gpu-1"][1]

    def dies(pod: Object) -> Any:
        nodes.silent.add("gpu-1")
        nodes.client.patch_status(f"/api/v1/nodes/{pod['spec']['nodeName']}", nodes._status("Unknown"))
        return hangs(pod)

    nodes.nodes["gpu-1"] = dies
    gone = accept("gpu-1")
    assert gone.code == 3
    assert states(gone)["gpu-1"][0] == "error"
    assert "its kubelet does not answer since" in states(gone)["gpu-1"][1]


BAD = {
    "pull": (waits("ImagePullBackOff", 'Back-off pulling image "x"'), "error", "ImagePullBackOff: Back-off pulling"),
    "empty": (ended(127, b"", "StartError"), "error", "the image needs python3 on its PATH"),
    "killed": (ended(137, b"", "OOMKilled"), "error", "it ended with 137 (OOMKilled)"),
    "silent": (ended(0, b"hello\n"), "error", "the mark of its beginning is missing"),
    "forged": (ended(0, b"==== nodeworthy 0000000000000000 begins ====\n"), "error", "the mark of its beginning"),
    "floods": (ended(0, b"x" * (17 << 20)), "error", "prints more than 16 MiB"),
}


def test_why_a_test_did_not_run(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch, starting=0.0)
    for name, (went, _, _) in BAD.items():
        nodes.add_gpu_node(name, always(went))
    ran = accept(*BAD, "--max-nodes", "6")
    assert ran.code == 3
    found = states(ran)
    assert {
        name: found[name]
        for name, (_, state, says) in BAD.items()
        if (found[name][0], says in found[name][1]) != (state, True)
    } == {}


def test_a_quota_and_a_node_without_room_are_told(
    nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch, scheduling=2.0)
    nodes.add_gpu_node("gpu-1")
    nodes.offer("gpu-1", 8, cpu="500m")
    ran = accept("gpu-1")
    assert "Insufficient cpu" in states(ran)["gpu-1"][1]
    quota = f"/api/v1/namespaces/{HOME}/resourcequotas"
    plane.client.create(quota, {"metadata": {"name": "gpus"}, "spec": {"hard": {f"requests.{GPU}": "4"}}})
    wait_for(lambda: "hard" in plane.client.get(f"{quota}/gpus").get("status", {}), seconds=120)
    refused = accept("gpu-1")
    plane.client.request("DELETE", f"{quota}/gpus")
    assert "exceeded quota: gpus" in states(refused)["gpu-1"][1]
    assert refused.code == 3


def test_a_pod_that_stays_is_told_on_ourselves(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger: its node never lets go. And a node that offers fewer GPUs afterwards."""
    monkeypatch.setattr(live, "GONE_SECONDS", 1.0)
    nodes.add_gpu_node("gpu-1", RunsLauncher(nodes))
    nodes.add_gpu_node("gpu-2", RunsLauncher(nodes))
    nodes.deaf.add("gpu-1")

    def loses(pod: Object) -> Any:
        went = RunsLauncher(nodes)(pod)
        nodes.offer("gpu-2", 7)
        return went

    nodes.nodes["gpu-2"] = loses
    nodes.nodes["gpu-1"] = hangs
    nodes.change("gpu-1", {"metadata": {"labels": {"nodeworthy/verify": None}}})

    ran = accept("gpu-1", "gpu-2", "--job-deadline", "30s", "--max-nodes", "2")
    found = {each["where"]["host"]: each for each in ran.findings if each["rule"] == "verification-yields"}
    assert ran.code == 1
    assert "its pods still hold GPUs of gpu-1" in found["gpu-1"]["message"]
    assert (found["gpu-2"]["is"], found["gpu-2"]["should"]) == ("7", "8")


SUITE = "node-suite"
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: real}
    accept: {gate: quick, image: registry.example/t:1}
    pools:
      h200: {gpu: h200, gpusPerNode: 8, distribution: k8s-snap, containerdBaseDir: /var/lib/k8s-containerd/k8s-containerd}
"""


def marks(plane: ControlPlane, name: str) -> tuple[str | None, bool, bool, str]:
    """The taint's value, whether it is verified and accepted, and why it is tainted."""
    node = plane.client.get(f"/api/v1/nodes/{name}")
    taints = {each["key"]: each.get("value", "") for each in node["spec"].get("taints", ())}
    labels, notes = node["metadata"]["labels"], node["metadata"].get("annotations", {})
    is_marked = ("nodeworthy/verified" in labels, "nodeworthy/accepted" in labels)
    return (taints.get("nodeworthy/unverified"), *is_marked, notes.get("nodeworthy/unverified-because", ""))


@pytest.fixture
def suite(plane: ControlPlane, tools: Tools, tmp_path: Path) -> Callable[[], Ran]:
    """The suite of the node, by Jobs of its own account in a namespace of its own."""
    plane.client.request("POST", "/api/v1/namespaces", {"metadata": {"name": SUITE}})
    apply(plane, tools, run("node", "--in-cluster", "--print-role", "--taint", "--namespace", SUITE).out)
    wait_for(lambda: plane.client.answers(f"/api/v1/namespaces/{SUITE}/serviceaccounts/default"), seconds=120)
    (tmp_path / "Pulumi.real.yaml").write_text(FLEET, encoding="utf-8")
    given = ("--in-cluster", "--image", "x", "--namespace", SUITE, "--fleet", "Pulumi.real.yaml")
    more = ("--pool", "h200", "--taint", "--yes")

    def looks() -> Ran:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("KUBECONFIG", str(plane.kubeconfig))
            return run("node", "node://gpu-1", *given, *more)

    return looks


def test_the_gate_opens_for_whoever_passed_both_and_shuts_behind_whoever_fails(
    nodes: GpuKubelets, plane: ControlPlane, suite: Callable[[], Ran]
) -> None:
    """From its registration to its fall: tainted, verified, accepted, open; then one bit is wrong."""
    said = {"gpu-1": WELL}
    work = measured(says(said))

    def goes(pod: Object) -> Any:
        is_suite = pod["metadata"]["namespace"] == SUITE
        return ended(0, as_text(load(MENDED)).encode()) if is_suite else work(pod)

    nodes.add_gpu_node("gpu-1", goes, tainted=True)
    given = ("gpu-1", "--taint", "--allow-unknown", "--fleet", "Pulumi.real.yaml")
    early = accept(*given, tests=("--level", "quick"))
    assert early.code == 0, early.out + early.err
    taint, verified, accepted, why = marks(plane, "gpu-1")
    assert (taint, verified, accepted) == ("", False, True)
    assert "the suite of the node has not passed in this boot" in why

    looked = suite()
    assert looked.code == 0, looked.out + looked.err
    assert marks(plane, "gpu-1") == (None, True, True, "")

    # Another boot: both are asked for anew, and the one without the other opens nothing.
    nodes.offer("gpu-1", 8, boot="boot-2")
    nodes.change("gpu-1", {"spec": {"taints": [{"key": "nodeworthy/unverified", "effect": "NoSchedule"}]}})
    assert suite().code == 0
    taint, verified, _, why = marks(plane, "gpu-1")
    assert (taint, verified) == ("", True)
    assert "the gate asks for accept at level quick, and the node has booted since it passed" in why
    assert accept(*given, tests=("--level", "quick")).code == 0
    assert marks(plane, "gpu-1") == (None, True, True, "")

    said["gpu-1"] = WRONG
    failed = accept(*given, tests=("--level", "quick"))
    assert failed.code == 1, failed.out
    taint, _, accepted, why = marks(plane, "gpu-1")
    assert (taint, accepted) == ("gpu-computes-right", False)
    assert why.startswith("gpu-computes-right: ")


def test_what_did_not_run_whole_marks_nobody(nodes: GpuKubelets, plane: ControlPlane) -> None:
    said = {"gpu-1": WELL[1:]}
    nodes.add_gpu_node("gpu-1", measured(says(said)), tainted=True)
    ran = accept("gpu-1", "--taint", "--allow-unknown", tests=("--level", "quick"))
    assert ran.code == 3
    assert "node gpu-1 is left as it is: level quick did not run whole: gpu-sanity: " in ran.err
    assert marks(plane, "gpu-1") == ("", False, False, "")
    part = accept("gpu-1", "--taint")
    assert (part.code, "--test tries a part" in part.err) == (2, True)


OF_GROUP = ("--level", "full", "--test", "multi-node")


def group_states(ran: Ran) -> tuple[str, str]:
    (row,) = [each for each in ran.report["runs"] if each["test"] == "multi-node"]
    return row["state"], row["why"]


@pytest.mark.parametrize(("barrier", "gang"), [("90", 1.0), ("4", 900.0)])
def test_half_a_group_lets_its_gpus_go(
    nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch, barrier: str, gang: float
) -> None:
    """By whoever watches; and where nobody does, by the pods themselves, which say who is missing."""
    patient(monkeypatch, gang=gang, scheduling=900.0)
    launcher = RunsLauncher(nodes, NODEWORTHY_BARRIER=barrier)
    for name in ("gpu-1", "gpu-2", "gpu-3"):
        nodes.add_gpu_node(name, launcher)
    nodes.offer("gpu-3", 8, cpu="500m")
    ran = accept("gpu-1", "gpu-2", "gpu-3", "--job-deadline", "5m", tests=OF_GROUP)
    state, why = group_states(ran)
    assert (ran.code, state) == (3, "not run"), ran.out
    if gang < 900:
        assert "2 of 3 are there; Unschedulable: " in why
        assert "Insufficient cpu" in why
    else:  # they go before or after the scheduler has said why the third does not come
        assert "2 of 3 are there; " in why or (" of 3 did not come within 4 s" in why and "not-met on " in why)
    for each in launcher.processes.values():
        each.wait(timeout=60)


def test_a_group_meets_and_is_tried_after_what_each_does_alone(nodes: GpuKubelets) -> None:
    """Without torch it comes as far as that, which is an error and no pass. A lonely node is in no group."""
    for name in ("gpu-1", "gpu-2"):
        nodes.add_gpu_node(name, RunsLauncher(nodes))
    tests = (*OF_GROUP, "--test", "disk-and-network")
    ran = accept("gpu-1", "gpu-2", tests=tests)
    state, why = group_states(ran)
    assert (ran.code, state) == (3, "error"), ran.out
    assert "no torch" in why or "torch" in why
    order = [each["metadata"]["labels"]["job-name"].rpartition("-")[2] for each in nodes.taken.values()]
    assert sorted(order[-2:]) == ["group", "group"]
    nodes.change("gpu-2", {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}})
    lonely = accept("gpu-1", "gpu-2", tests=tests)
    assert ("not run", True) in {
        (each["state"], "needs 2 nodes" in (each["why"] or "")) for each in lonely.report["runs"]
    }


def begun(nodes: GpuKubelets, *more: str, sent: int = 0, at: int = 0, when: str = "before") -> subprocess.Popen[str]:
    program = str(Path(__file__).with_name("killed_accept.py"))
    given = ("accept", "--on", "kubernetes", "--image", "registry.example/t:1", "--yes", "--yes-last", *ONE_TEST)
    command = [sys.executable, program, str(sent), str(at), when, *given, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_whose_turn_is_lost_makes_room(
    nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes its Lease, or has it now; what is his then stays."""
    monkeypatch.setattr(turn, "RENEWED_SECONDS", 0.2)
    leases = LEFT[-1]

    def deletes(pod: Object) -> Any:
        for each in plane.client.get(leases)["items"]:
            plane.client.request("DELETE", f"{leases}/{each['metadata']['name']}")
        return hangs(pod)

    def takes(pod: Object) -> Any:
        theirs = {"metadata": {"labels": {RUN: "theirs"}}, "spec": {"holderIdentity": "ada"}}
        for each in plane.client.get(leases)["items"]:
            plane.client.expect("PATCH", f"{leases}/{each['metadata']['name']}", theirs, content_type=MERGE)
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", deletes)
    ran = accept("gpu-1")
    assert states(ran)["gpu-1"][0] == "not run"
    assert "its turn is lost (Lease nodeworthy/nodeworthy-accept-" in states(ran)["gpu-1"][1]
    assert "somebody has deleted it" in states(ran)["gpu-1"][1]
    nodes.nodes["gpu-1"] = takes
    taken = accept("gpu-1")
    assert "it is that of ada now" in states(taken)["gpu-1"][1]
    (lease,) = plane.client.get(leases)["items"]
    plane.client.request("DELETE", f"{leases}/{lease['metadata']['name']}")


def test_two_runs_refuse_each_other(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1", hangs)
    first = begun(nodes, "gpu-1")
    wait_for(lambda: bool(nodes.taken), seconds=120)
    second = accept("gpu-1")
    first.send_signal(signal.SIGINT)
    _, told = first.communicate(timeout=120)
    # The node is in use by then, which alone would keep the second off it: the turn is asked for before.
    assert second.code == 3
    assert "another run of accept is under way on this pool, by " in second.err
    assert f"process {first.pid}, run " in second.err
    assert (first.returncode, "removed what this run had made: 2 objects of nodeworthy/run=" in told) == (130, True)


# At which of its questions to the server it is ended: from what it looks at first to the removal of what it made.
POINTS = [(at, when) for at in (6, 8, 10, 12, 14, 15, 16, 18, 20) for when in ("before", "after")]
SIGNALS = pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])


def ended_at(nodes: GpuKubelets, points: Sequence[tuple[int, str]], sent: signal.Signals) -> list[str]:
    """Each on a pool of its own, some side by side: this machine has few processors. What they said."""
    told = []
    for first in range(0, len(points), 6):
        running = []
        for number, (at, when) in enumerate(points[first : first + 6], start=first):
            nodes.add_gpu_node(f"gpu-{number}", hangs, labels={"nodeworthy/pool": f"p{number}"})
            running.append(begun(nodes, f"gpu-{number}", "--job-deadline", "40s", sent=sent, at=at, when=when))
        for each in running:
            told.append(each.communicate(timeout=240)[1])
            assert each.returncode == (-sent if sent == signal.SIGKILL else 128 + sent), told[-1]
    return told


def cleared_away(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """By the next run, wherever it looks; and nothing of anybody else's."""
    jobs = plane.client.get(JOBS)["items"]
    assert {each["spec"]["ttlSecondsAfterFinished"] for each in jobs} <= {600}
    for name in nodes.nodes:
        nodes.nodes[name] = RunsLauncher(nodes)
    foreign = {"metadata": {"name": "theirs", "labels": {"app.kubernetes.io/managed-by": "nodeworthy"}}, "data": {}}
    plane.client.create(MAPS, foreign)
    time.sleep(5.1)  # until their turns are over
    try:
        ran = accept("gpu-0")
        assert ran.code == 3, ran.err
        assert ran.err.count(", which a run had left that was killed") >= len(jobs)
        wait_for(lambda: left(plane) == ["theirs"], seconds=60)
    finally:
        plane.client.request("DELETE", f"{MAPS}/theirs")


@SIGNALS
def test_whoever_ends_it_somewhere_leaves_nothing(
    nodes: GpuKubelets, plane: ControlPlane, sent: signal.Signals
) -> None:
    """At some of the points that are all tried at night."""
    ended_at(nodes, random.Random(sent).sample(POINTS[6:], 1), sent)
    if sent == signal.SIGTERM:
        wait_for(lambda: left(plane) == [], seconds=60)
    else:
        assert left(plane) != []
        cleared_away(nodes, plane)


@pytest.mark.night
@SIGNALS
def test_whatever_ends_it_nothing_stays(nodes: GpuKubelets, plane: ControlPlane, sent: signal.Signals) -> None:
    """Whoever is asked to end leaves nothing; what one that was killed leaves holds no GPU beyond its deadline, and
    the next run removes it, by its uid."""
    ended_at(nodes, POINTS, sent)
    if sent == signal.SIGTERM:
        wait_for(lambda: left(plane) == [], seconds=60)
        return
    assert plane.client.get(JOBS)["items"] != []
    wait_for(lambda: plane.client.get(PODS)["items"] == [], seconds=110)
    cleared_away(nodes, plane)


# A group's Service, and a turn that a dead run has left, are of other tests.
RIGHTS = [
    ("clusterroles", "nodes", "list"),
    ("clusterroles", "pods", "list"),
    ("clusterroles", "priorityclasses", "get"),
    *[("roles", kind, verb) for kind in ("jobs", "configmaps") for verb in ("create", "list", "delete")],
    ("roles", "services", "list"),
    ("roles", "pods/log", "get"),
    *[("roles", "leases", verb) for verb in ("get", "list", "create", "delete")],
]


@contextmanager
def without(plane: ControlPlane, kind: str, resource: str, verb: str) -> Iterator[None]:
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    path = f"{rbac}/{kind}" if kind == "clusterroles" else f"{rbac}/namespaces/{HOME}/{kind}"
    rules = plane.client.get(f"{path}/nodeworthy-accept")["rules"]
    less = [
        {**each, "verbs": [one for one in each["verbs"] if one != verb or resource not in each["resources"]]}
        for each in rules
    ]
    patch = {"rules": [each for each in less if each["verbs"]]}
    plane.client.expect("PATCH", f"{path}/nodeworthy-accept", patch, content_type=MERGE)
    try:
        wait_for(lambda: not may(plane, kind, resource, verb), seconds=60)
        yield
    finally:
        plane.client.expect("PATCH", f"{path}/nodeworthy-accept", {"rules": rules}, content_type=MERGE)
        wait_for(lambda: may(plane, kind, resource, verb), seconds=60)


def remove_all(plane: ControlPlane) -> None:
    for path in (JOBS, MAPS, LEFT[-1]):
        for each in plane.client.get(path)["items"]:
            if each["metadata"]["name"] != "kube-root-ca.crt":
                plane.client.request("DELETE", f"{path}/{each['metadata']['name']}?propagationPolicy=Background")
    wait_for(lambda: left(plane) == [], seconds=60)


@pytest.mark.night
def test_each_right_is_needed(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """With all of them it leaves nothing (every test here); without one it says which."""
    nodes.add_gpu_node("gpu-1", RunsLauncher(nodes))
    missed = []
    for kind, resource, verb in RIGHTS:
        with without(plane, kind, resource, verb):
            ran = accept("gpu-1")
        said = f"{ran.err} {ran.out}"
        if f"cannot {verb} resource" not in said and "not to be read" not in said:
            missed.append((resource, verb))
        remove_all(plane)
    assert missed == []


GROUPS = {"jobs": "batch", "leases": "coordination.k8s.io", "priorityclasses": "scheduling.k8s.io"}


def may(plane: ControlPlane, kind: str, resource: str, verb: str) -> bool:
    name, _, sub = resource.partition("/")
    where = {"namespace": HOME} if kind == "roles" else {}
    named = {"name": "nodeworthy-verification"} if resource == "priorityclasses" else {}
    asked = {"group": GROUPS.get(resource, ""), "resource": name, "subresource": sub, "verb": verb, **where, **named}
    user = f"system:serviceaccount:{HOME}:nodeworthy-accept"
    body = {"spec": {"user": user, "resourceAttributes": asked}}
    review = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(plane.client.create(review, body)["status"]["allowed"])


@pytest.mark.night
def test_nodes_that_offer_no_whole_gpus_are_left_out_and_told(nodes: GpuKubelets) -> None:
    """Time-slicing, HAMi, slices of whatever makes them, MIG's own resources, nothing."""
    hami = {"hami.io/node-nvidia-register": "GPU-1,10,81559,100,NVIDIA-H100,0,true:"}
    nodes.add_gpu_node("sliced", gpus=32, labels={"nvidia.com/gpu.replicas": "4"})
    nodes.add_gpu_node("hami", gpus=80)
    nodes.change("hami", {"metadata": {"annotations": hami}})
    nodes.add_gpu_node("more", gpus=80, labels={"nvidia.com/gpu.count": "8"})
    nodes.add_gpu_node("mig", gpus=0)
    nodes.offer("mig", 0, **{"nvidia.com/mig-1g.10gb": "7"})
    nodes.add_gpu_node("dra", gpus=0)
    ran = accept("sliced", "hami", "more", "mig", "dra")
    told = {name: why for name, (_, why) in states(ran).items()}
    assert told == {
        "sliced": "its nvidia.com/gpu are 4 slices of each GPU, which measure nothing",
        "hami": "its nvidia.com/gpu are slices that HAMi makes of each GPU, which measure nothing",
        "more": "its 80 nvidia.com/gpu are slices of 8, which measure nothing",
        "mig": "it offers no nvidia.com/gpu but MIG's slices (nvidia.com/mig-1g.10gb)",
        "dra": "it offers no nvidia.com/gpu (none, or by DRA only)",
    }
    assert (ran.code, nodes.taken) == (3, {})


def suspend(plane: ControlPlane) -> bool:
    """Takes the one Job of the run back, as Kueue does; whether there was one."""
    jobs = [each["metadata"]["name"] for each in plane.client.get(JOBS)["items"]]
    for name in jobs:
        plane.client.expect("PATCH", f"{JOBS}/{name}", {"spec": {"suspend": True}}, content_type=MERGE)
    return bool(jobs)


def test_what_a_queue_takes_back_is_not_let_in_again(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """Kueue would begin it anew as soon as there is room."""

    def taken_back(pod: Object) -> Any:
        suspend(plane)
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", taken_back)
    ran = accept("gpu-1", "--queue", "gpus")
    assert states(ran)["gpu-1"] == ("not run", "its queue has taken it back"), ran.err
    assert [row["not_run"] for row in ran.report["runs"] if row["test"] == "disk-and-network"] == ["preempted"]
    assert left(plane) == []


def test_what_a_queue_does_not_let_in(nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch, queue=1.0)
    nodes.add_gpu_node("gpu-1", hangs)
    make = Workbench.make
    monkeypatch.setattr(Workbench, "make", lambda self, wanted: make(self, _held_back(wanted)))
    ran = accept("gpu-1", "--queue", "gpus")
    assert states(ran)["gpu-1"] == ("not run", "its queue has not let it in"), ran.err
    assert left(plane) == []


def _held_back(wanted: Any) -> Any:
    """As Kueue's webhook does with what bears the name of a queue."""
    is_job = wanted["kind"] == "Job"
    return {**wanted, "spec": {**wanted["spec"], "suspend": True}} if is_job else wanted


def given(nodes: GpuKubelets, libraries: Path, *, apart: bool) -> Callable[[Object], Any]:
    """The program itself in each pod, before a driver that shows as many GPUs as were asked for: others, or the same."""

    def goes(pod: Object) -> Any:
        second = environment_of(pod)["NODEWORTHY_ASKING"].endswith("(second of two jobs)")
        said = {"LD_LIBRARY_PATH": str(libraries), "STUB_NAME": "NVIDIA Stand-In"}
        said |= {"STUB_GPUS": environment_of(pod)["NODEWORTHY_GPUS"], "STUB_NODE": "1" if second and apart else "0"}
        return RunsLauncher(nodes, **said)(pod)

    return goes


def test_a_node_is_asked_for_parts_of_it_and_says_what_came(nodes: GpuKubelets, tmp_path: Path) -> None:
    (tmp_path / "driver").mkdir()
    libraries = compile_into(tmp_path / "driver")
    for number, apart in enumerate((True, False), start=1):
        nodes.add_gpu_node(f"gpu-{number}", given(nodes, libraries, apart=apart))
    full = ("--level", "full", "--test", "allocation", "--max-nodes", "2", "--without-torch")
    ran = accept("gpu-1", "gpu-2", "--record", "kept", "--rule", "allocation-honoured", tests=full)
    told = {each["where"]["host"]: each["message"] for each in ran.findings if each["verdict"] == "fail"}
    assert told == {"gpu-2": "one GPU was given to two jobs at once"}, (ran.out, ran.err)
    rows = {each["nodes"][0]: each for each in ran.report["runs"] if each["test"] == "allocation"}
    assert rows["gpu-1"]["state"] == "pass", rows
    asked = [(each["value"], each["at"]["want"]) for each in rows["gpu-1"]["measures"] if each["name"] == "asked"]
    halves = [(4, f"4 GPUs ({each} of two jobs)") for each in ("first", "second")]
    assert sorted(asked) == sorted([(1, "1 GPU"), *halves, (8, "8 GPUs")])
    assert sum(1 for each in rows["gpu-1"]["measures"] if each["name"] == "freed_s") == 4
    again = run("accept", "--from", "kept", "--test", "allocation", "--rule", "allocation-honoured", "--format", "json")
    assert [each["message"] for each in again.findings] == [each["message"] for each in ran.findings]


def test_a_node_costs_few_questions_however_many_there_are(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one node costs beside what a run costs anyway: it is looked up, its Job is made,
    what its pod printed is read, and the Job is removed."""
    from nodeworthy.collect.cluster.connection import Connection

    monkeypatch.setattr(live, "TIMES", Times(poll=1.0, opt_out=3600.0))
    asked: list[str] = []
    sent = Connection._sent

    def counted(self: Connection, method: str, path: str, *given: Any, **named: Any) -> Any:
        asked.append(f"{method} {path}")
        return sent(self, method, path, *given, **named)

    monkeypatch.setattr(Connection, "_sent", counted)
    counts = []
    for number in range(12):
        nodes.add_gpu_node(f"gpu-{number}", always(ended(0, b"")))
    for some in (2, 12):
        asked.clear()
        accept(*(f"gpu-{number}" for number in range(some)), "--max-nodes", "12")
        polled = sum(1 for each in asked if each.startswith("GET ") and each.endswith(("/jobs", "/pods")))
        counts.append(len(asked) - polled)
    assert (counts[1] - counts[0]) / 10 <= 4, counts
