"""The ledger counts as the scheduler does, and says what it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.run import run

GPU = "nvidia.com/gpu"


def node(name: str, gpus: int, allocatable: int | None = None) -> dict[str, Any]:
    there = gpus if allocatable is None else allocatable
    labels = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    status = {"capacity": {GPU: str(gpus)}, "allocatable": {GPU: str(there)}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def pod(name: str, on: str | None, gpus: int, phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    container = {"name": "main", "resources": {"limits": {GPU: str(gpus)}, "requests": {GPU: str(gpus)}}}
    spec = {"containers": [container], "priority": 7, **({"nodeName": on} if on else {})}
    meta = {"name": name, "namespace": "ml", "creationTimestamp": "2025-10-14T17:00:00Z", **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": phase}}


def told(tmp_path: Path, nodes: list[Any], pods: list[Any], *options: str) -> dict[str, Any]:
    for plural, items in {"nodes": nodes, "pods": pods, "events": [], "daemonsets": []}.items():
        data = {"apiVersion": "v1", "kind": "List", "items": items}
        (tmp_path / f"{plural}.json").write_text(json.dumps(data), encoding="utf-8")
    ran = run("diagnose", "--from", ".", "--ledger", "--format", "json", *options, cwd=tmp_path)
    ledger: dict[str, Any] = json.loads(ran.out)["ledger"]
    return ledger


def test_who_terminates_holds_and_who_is_over_does_not(tmp_path: Path) -> None:
    pods = [
        pod("works", "a", 2),
        pod("ends", "a", 1, deletionTimestamp="2025-10-14T18:00:00Z"),
        pod("mirror", "a", 1, annotations={"kubernetes.io/config.mirror": "1"}),
        pod("done", "a", 4, phase="Succeeded"),
        pod("failed", "a", 4, phase="Failed"),
    ]
    (row,) = told(tmp_path, [node("a", 8, 7)], pods)["nodes"]
    assert (row["capacity"], row["allocatable"], row["held"], row["free"], row["unhealthy"]) == (8, 7, 4, 3, 1)
    held = {each["pods"][0]: each for each in row["held_by"]}
    assert held["ends"]["terminating"] == held["mirror"]["static"] == 1
    assert {each["doing"] for each in held.values()} == {"unknown"}


def test_what_waits_is_told_with_its_priority(tmp_path: Path) -> None:
    (waiting,) = told(tmp_path, [node("a", 8)], [pod("next", None, 4, phase="Pending")])["waiting"]
    assert (waiting["by"], waiting["amount"], waiting["priority"]) == ("pod ml/next", 4, 7)
    assert waiting["since"] == "2025-10-14T17:00:00+00:00"


def test_idle_gpus_cost_what_a_source_says(tmp_path: Path) -> None:
    (row,) = told(tmp_path, [node("a", 8)], [pod("works", "a", 2)])["types"]
    assert row["price"]["source"]
    assert row["idle_usd_per_day"] == round(6 * 24 * row["price"]["per_gpu_hour"], 3)
    nowhere = node("b", 8)
    nowhere["metadata"]["labels"] = {}
    assert told(tmp_path, [nowhere], [])["types"][0]["idle_usd_per_day"] is None


def test_of_one_namespace_it_says_that_it_counts_in_part(tmp_path: Path) -> None:
    found = told(tmp_path, [node("a", 8)], [pod("works", "a", 2)], "--namespace", "ml")
    assert "only namespace ml" in found["in_part"]


def test_pods_on_nodes_that_were_not_seen_are_counted(tmp_path: Path) -> None:
    assert told(tmp_path, [node("a", 8)], [pod("far", "gone", 2)])["held_on_unseen_nodes"] == 1


def test_for_people_it_stands_before_the_findings(tmp_path: Path) -> None:
    told(tmp_path, [node("a", 8)], [pod("works\u001b[31m", "a", 2)])
    out = run("diagnose", "--from", ".", "--ledger", cwd=tmp_path).out
    assert out.startswith("type ")
    assert "p5.48xlarge" in out
    assert "\u001b" not in out


def test_every_report_has_it(tmp_path: Path) -> None:
    told(tmp_path, [node("a", 8, 7)], [pod("works", "a", 2), pod("next", None, 4, phase="Pending")])
    ran = run("diagnose", "--from", ".", "--format", "json", cwd=tmp_path)
    assert json.loads(ran.out)["ledger"]["nodes"][0]["held"] == 2
    first = run("diagnose", "--from", ".", cwd=tmp_path).out.splitlines()[0]
    assert first == ("8 GPUs: 7 allocatable, 2 held, 5 free, 1 unhealthy, 4 waited for (--ledger tells whose)")
    for form in ("html", "markdown"):
        assert "p5.48xlarge" in run("diagnose", "--from", ".", "--format", form, cwd=tmp_path).out


def test_where_no_gpu_is_there_is_no_line_of_it(tmp_path: Path) -> None:
    told(tmp_path, [], [])
    assert "--ledger" not in run("diagnose", "--from", ".", cwd=tmp_path).out
