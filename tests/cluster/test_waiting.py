"""Pods that wait: what another rule says of them is said once, and a thousand choices are no thousand walks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.case_files import whole
from tests.run import run
from tests.work import calls

INCIDENT = whole("verification-yields/bad-cluster-incident") / "dump"
GPU = "nvidia.com/gpu"
WORDS = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."


def waiting(name: str, gpus: int, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "resources": {"limits": {GPU: str(gpus)}, "requests": {GPU: str(gpus)}}}
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": WORDS}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "creationTimestamp": "2025-10-14T17:00:00Z"},
        "spec": {"containers": [container], **spec},
        "status": {"phase": "Pending", "conditions": [unplaced]},
    }


def findings(folder: Path) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for each in run("diagnose", "--from", ".", "--format", "json", cwd=folder).report["findings"]:
        found.setdefault(each["rule"], []).append(each)
    return found


def copied(tmp_path: Path, more: list[Any], nodes: list[Any] | None = None) -> Path:
    for path in INCIDENT.glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        data["items"] += {"pods": more, "nodes": nodes or []}.get(path.stem, [])
        (tmp_path / path.name).write_text(json.dumps(data), encoding="utf-8")
    return tmp_path


def test_who_waits_for_what_verification_holds_is_its_victim(tmp_path: Path) -> None:
    found = findings(copied(tmp_path, [waiting("train", 8)]))
    assert set(found) == {"verification-yields"}
    assert "Pod/ml/train" in found["verification-yields"][0]["victims"]


def test_more_than_any_node_has_is_told_once(tmp_path: Path) -> None:
    found = findings(copied(tmp_path, [waiting("train", 9)]))
    assert set(found) == {"verification-yields", "gpu-fits-a-node"}


def on_its_own(index: int) -> dict[str, Any]:
    """By a nodeSelector, or as a DaemonSet's pods say it."""
    if index % 2:
        return {"nodeSelector": {"kubernetes.io/hostname": f"n{index}"}}
    name = {"key": "metadata.name", "operator": "In", "values": [f"n{index}"]}
    required = {"nodeSelectorTerms": [{"matchFields": [name]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def test_each_pod_for_a_node_of_its_own_takes_no_longer(tmp_path: Path) -> None:
    few, ten_times = _each_on_its_own(tmp_path / "few", 25), _each_on_its_own(tmp_path / "many", 250)
    found: dict[str, list[dict[str, Any]]] = {}
    assert calls(lambda: found.update(findings(ten_times))) < 12 * calls(lambda: findings(few))
    assert len(found["gpu-count-complete"]) == 250
    assert "pending-explained" not in found


def _each_on_its_own(folder: Path, count: int) -> Path:
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{index}", "labels": {"kubernetes.io/hostname": f"n{index}"}},
            "status": {"capacity": {GPU: "8"}, "allocatable": {GPU: "0"}},
        }
        for index in range(count)
    ]
    pods = [waiting(f"p{index}", 1, **on_its_own(index)) for index in range(count)]
    folder.mkdir()
    return copied(folder, pods, nodes)
