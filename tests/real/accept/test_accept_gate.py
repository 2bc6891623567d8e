"""The gate of `accept --on kubernetes`, which opens for nodes that passed; and nodes that are tried together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.recording import as_text, load
from tests.node.recordings import MENDED
from tests.real.accept.stage import accept, patient
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import GpuKubelets, RunsLauncher, measured
from tests.real.kube_client import wait_for
from tests.real.quick_level import WELL, WRONG, says
from tests.real.stand_in_kubelet import Object, ended
from tests.real.test_control_plane_in_cluster import apply
from tests.real.tools import Tools
from tests.run import Ran, run

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
