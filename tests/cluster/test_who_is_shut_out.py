"""A pod that waits while GPUs are there is told which of its lines shuts out which nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cluster import incident
from tests.cluster.objects import Object, node, pod
from tests.run import run_json

SELECTOR = "spec.nodeSelector.gpu-size"
TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
TAINT = {"key": "team", "value": "vision", "effect": "NoSchedule"}


def waits(**spec: Any) -> Object:
    placed = {
        "message": "0/3 nodes are available",
        "reason": "Unschedulable",
        "status": "False",
        "type": "PodScheduled",
    }
    made = pod("train", "research", status={"conditions": [placed], "phase": "Pending"}, **spec)
    del made["spec"]["nodeName"]
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    return made


def holds(name: str, on: str) -> Object:
    made = pod(name, "research", on=on)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    return made


def of(pool: str, name: str, *, taints: list[Object] | None = None, **labels: str) -> Object:
    made = node(name)
    made["metadata"]["labels"] = {**made["metadata"].get("labels", {}), "nodeworthy/pool": pool}
    made["metadata"]["labels"] |= {key.replace("_", "-"): value for key, value in labels.items()}
    made.setdefault("spec", {})["taints"] = taints or []
    return made


def lines(folder: Path, nodes: list[Object], pods: list[Object]) -> list[tuple[str, str]]:
    incident.write(folder / "dump", {"nodes": nodes, "pods": pods, "events": [], "daemonsets": []})
    [found] = run_json("diagnose", "--from", "dump", "--rule", "pending-explained", cwd=folder).findings
    assert found["verdict"] == "fail"
    return [(each["subject"], each["says"]) for each in found["related"] if "subject" in each]


def test_a_selector_that_no_node_fits_is_named_with_each_pool(tmp_path: Path) -> None:
    nodes = [of("h100", "h-0", gpu_size="8"), of("h100", "h-1", gpu_size="8"), of("l4", "l-0")]
    assert lines(tmp_path, nodes, [waits(nodeSelector={"gpu-size": "80"})]) == [
        (
            SELECTOR,
            "nodeSelector gpu-size: 80 shuts out pool 'h100' (2 nodes, up to 8 nvidia.com/gpu each): gpu-size=8 there",
        ),
        (
            SELECTOR,
            "nodeSelector gpu-size: 80 shuts out pool 'l4' (one node, up to 8 nvidia.com/gpu each): "
            "no label gpu-size there",
        ),
    ]


def test_where_those_that_it_chooses_are_full_the_free_ones_are_named(tmp_path: Path) -> None:
    expressions = [{"key": "gpu-size", "operator": "In", "values": ["8", "16"]}, {"key": "old", "operator": "Exists"}]
    term = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}
    nodes = [of("old", "o-0", gpu_size="8", old="yes"), of("new", "n-0", gpu_size="8")]
    assert lines(tmp_path, nodes, [holds("first", "o-0"), waits(affinity=affinity)]) == [
        (
            f"{TERMS}[0].matchExpressions[1]",
            "node affinity old Exists shuts out pool 'new' (one node, up to 8 nvidia.com/gpu each): no label old there",
        )
    ]


def test_a_selector_and_a_missing_toleration_are_one_finding(tmp_path: Path) -> None:
    nodes = [of("mine", "m-0", gpu_size="8", taints=[TAINT]), of("theirs", "t-0", gpu_size="4")]
    assert lines(tmp_path, nodes, [waits(nodeSelector={"gpu-size": "8"})]) == [
        (
            SELECTOR,
            "nodeSelector gpu-size: 8 shuts out pool 'theirs' (one node, up to 8 nvidia.com/gpu each): gpu-size=4 there",
        )
    ]
    nodes = [of("mine", "m-0", gpu_size="8"), of("theirs", "t-0", gpu_size="8", taints=[TAINT])]
    assert lines(tmp_path, nodes, [holds("first", "m-0"), waits()]) == [
        (
            "spec.tolerations",
            "the lack of a toleration of team=vision:NoSchedule shuts out pool 'theirs' "
            "(one node, up to 8 nvidia.com/gpu each)",
        )
    ]


def test_a_cordon_is_no_line_of_the_pod(tmp_path: Path) -> None:
    cordoned = of("mine", "m-0")
    cordoned["spec"]["unschedulable"] = True
    assert lines(tmp_path, [cordoned, of("mine", "m-1")], [holds("first", "m-1"), waits()]) == []
