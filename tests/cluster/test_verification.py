"""Verification that holds GPUs is one cause, with everybody whom it keeps away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.run import Ran, run

GPUS = {"limits": {"nvidia.com/gpu": "8"}}
NODES = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": name}} for name in ("a", "b")]


def pod(name: str, node: str, owner: tuple[str, str], phase: str = "Running", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "checks", "ownerReferences": [{"kind": owner[0], "name": owner[1]}]}
    containers = [{"name": "nhc", "image": "nhc:1", "resources": GPUS}]
    status = {"phase": phase, "startTime": "2025-10-14T18:01:00Z"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": node, "containers": containers, **spec},
        "status": status,
    }


def rejection(node: str = "") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "x", "namespace": "ml"},
        "involvedObject": {"kind": "Pod", "namespace": "ml", "name": "train-0"},
        "reason": "UnexpectedAdmissionError",
        "message": "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
        "Requested: 4, Available: 0, which is unexpected",
        "source": {"host": node} if node else {},
        "lastTimestamp": "2025-10-14T18:32:00Z",
    }


def diagnose(folder: Path, pods: list[Any], events: list[Any], jobs: list[Any] | None = None) -> Ran:
    kinds = {"nodes": NODES, "pods": pods, "events": events, "daemonsets": [], "jobs": jobs}
    for name, items in kinds.items():
        if items is not None:
            (folder / f"{name}.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    return run("diagnose", "--from", str(folder), "--rule", "verification-yields", "--format", "json")


def job(name: str, seconds: int | None) -> dict[str, Any]:
    spec = {} if seconds is None else {"activeDeadlineSeconds": seconds}
    return {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": name, "namespace": "checks"}, "spec": spec}


def test_pods_of_several_jobs_are_one_finding(tmp_path: Path) -> None:
    pods = [pod(f"nhc-run-2934{i}-x8k2p", node, ("Job", f"nhc-run-2934{i}")) for i, node in enumerate("ab")]
    jobs = [job("nhc-run-29340", None), job("nhc-run-29341", None)]
    found = diagnose(tmp_path, pods, [rejection("b")], jobs).findings
    assert [each["message"] for each in found] == ["verification holds 16 GPUs on a, b, without a bound"]
    assert found[0]["victims"] == ["Pod/ml/train-0"]


def test_an_event_that_names_no_node(tmp_path: Path) -> None:
    found = diagnose(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"))], [rejection()]).findings
    assert found[0]["victims"] == ["Pod/ml/train-0"]


def test_a_pod_that_was_rejected_elsewhere_is_no_victim(tmp_path: Path) -> None:
    found = diagnose(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"))], [rejection("b")]).findings
    assert found[0]["victims"] == []


def test_bounded_and_in_time_but_it_gives_way_to_nobody(tmp_path: Path) -> None:
    pods = [pod("nhc-x", "a", ("Workflow", "nhc"), activeDeadlineSeconds=7200)]
    found = diagnose(tmp_path, pods, [rejection("a")]).findings
    assert "and gives way to nobody" in found[0]["message"]
    pods = [pod("nhc-x", "a", ("Workflow", "nhc"), activeDeadlineSeconds=7200, priority=-10)]
    assert diagnose(tmp_path, pods, [rejection("a")]).findings == []


def test_what_is_over_holds_nothing(tmp_path: Path) -> None:
    ran = diagnose(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"), phase="Succeeded")], [rejection("a")])
    assert [each["rule"] for each in ran.findings if each["verdict"] == "fail"] == []


def test_what_only_looks_alike(tmp_path: Path) -> None:
    pods = [pod("trainer-0", "a", ("Job", "trainer"))]
    pods[0]["spec"]["containers"][0] |= {"name": "train", "image": "train:1"}
    pods[0]["metadata"]["namespace"] = "ml"
    assert diagnose(tmp_path, pods, [rejection("a")]).findings == []


BOUNDED: dict[str, Any] = {"activeDeadlineSeconds": 7200, "priority": -10}


def opted_out(folder: Path, pods: list[Any], label: str) -> Ran:
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "labels": {label: "disabled"}}}
    diagnose(folder, pods, [])
    (folder / "nodes.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node]}))
    return run("diagnose", "--from", str(folder), "--rule", "verification-yields", "--format", "json")


@pytest.mark.parametrize("label", ["nodeworthy/verify", "coreweave.com/hpc-verify"])
def test_a_node_that_opted_out(tmp_path: Path, label: str) -> None:
    """Whatever its bound and its priority."""
    (found,) = opted_out(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"), **BOUNDED)], label).findings
    assert found["message"] == "verification holds 8 GPUs on a, which opted out of it"
    assert "nothing is verified" not in found["cause"]


def test_above_all_other_work_it_is_in_the_way_before_anybody_was_rejected(tmp_path: Path) -> None:
    high: dict[str, Any] = {
        "activeDeadlineSeconds": 7200,
        "priority": 1_000_000,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    (found,) = diagnose(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"), **high)], []).findings
    assert "its priority is 1000000" in found["cause"]
    usual: dict[str, Any] = {"activeDeadlineSeconds": 7200}
    assert diagnose(tmp_path, [pod("nhc-x", "a", ("Workflow", "nhc"), **usual)], []).findings == []


def test_what_somebody_tries_by_hand_is_only_asked_to_end(tmp_path: Path) -> None:
    tried = pod("gpu-burn", "a", ("", ""), activeDeadlineSeconds=600, priority=1000)
    tried["spec"]["containers"][0] = {"name": "gpu-burn", "image": "gpu-burn:1", "resources": GPUS}
    assert opted_out(tmp_path, [tried], "nodeworthy/verify").findings == []
