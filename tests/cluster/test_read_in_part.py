"""What was not read, or not to its end, is never told as absent: a cut file, events that nobody saved, a kind left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import incident
from tests.cluster.objects import Object, node, pod
from tests.run import Ran, run, run_json

GPUS = {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}}
SHARE = {"limits": {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "90000"}}


def worker(name: str, on: str = "", resources: Object | None = None, **more: Any) -> Object:
    made = pod(name, "ml", on=on, **more)
    made["spec"]["containers"][0]["resources"] = resources or GPUS
    return made


def waiting(*conditions: Object) -> Object:
    return worker("waits", status={"phase": "Pending", "conditions": list(conditions)})


def kinds(**more: list[Object]) -> dict[str, list[Object]]:
    running = [worker("one", "gpu-1"), worker("two", "gpu-2")]
    found = {"nodes": [node("gpu-1"), node("gpu-2")], "pods": running, "events": [], "daemonsets": [], **more}
    for each in found["nodes"]:
        each["status"]["conditions"][0]["lastHeartbeatTime"] = "2025-09-28T06:00:00Z"
    return found


def diagnose(folder: Path, *options: str) -> Ran:
    return run_json("diagnose", "--from", "dump", *options, cwd=folder)


def header(folder: Path) -> str:
    return run("diagnose", "--from", "dump", cwd=folder).out.splitlines()[0]


def found(ran: Ran, rule: str) -> dict[str, Any]:
    (one,) = [each for each in ran.findings if each["rule"] == rule]
    return one


def cut(path: Path, behind: str) -> None:
    """As kubectl leaves it when its connection breaks."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index(behind)], encoding="utf-8")


def test_pods_that_were_cut_off(tmp_path: Path) -> None:
    dump = incident.write(tmp_path / "dump", kinds())
    cut(dump / "pods.json", '"name": "two"')
    ran = diagnose(tmp_path)
    assert [each["rule"] for each in ran.findings if each["verdict"] == "error"] == ["input-readable"]
    assert header(tmp_path).startswith("16 GPUs: 16 allocatable, at least 8 held, at most 8 free")
    assert "not all pods were read: dump/pods.json can't be read to its end" in ran.report["ledger"]["in_part"]
    cut(dump / "pods.json", '"apiVersion"')
    assert header(tmp_path).startswith("16 GPUs: 16 allocatable, held not known, free not known")
    told = run("diagnose", "--from", "dump", "--ledger", cwd=tmp_path).out
    assert "Who holds GPUs is not known." in told
    assert "No GPU is held" not in told


def test_nodes_that_were_cut_off(tmp_path: Path) -> None:
    dump = incident.write(tmp_path / "dump", kinds())
    cut(dump / "nodes.json", '"kubernetes.io/hostname": "gpu-2"')
    assert header(tmp_path).startswith("at least 8 GPUs: 8 allocatable, 8 held, 0 free")


def test_no_pods_at_all(tmp_path: Path) -> None:
    dump = incident.write(tmp_path / "dump", kinds())
    (dump / "pods.json").unlink()
    assert header(tmp_path).startswith("16 GPUs: 16 allocatable, held not known, free not known, 0 unhealthy")
    told = run("diagnose", "--from", "dump", "--ledger", cwd=tmp_path).out
    assert "No GPU is held" not in told


@pytest.mark.parametrize("kind", ["pods", "nodes", "daemonsets"])
def test_no_rule_says_that_something_is_not_there(tmp_path: Path, kind: str) -> None:
    """Of nodes that offer no GPUs, for their plugin stands behind where the file ends."""
    nodes = [node("gpu-1"), node("gpu-2")]
    for each in nodes:
        each["status"]["capacity"]["nvidia.com/gpu"] = each["status"]["allocatable"]["nvidia.com/gpu"] = "0"
    dump = incident.write(tmp_path / "dump", kinds(nodes=nodes, pods=[waiting()]))
    whole = {each["rule"] for each in diagnose(tmp_path).findings if each["verdict"] == "fail"}
    assert whole == {"pending-explained"}
    text = (dump / f"{kind}.json").read_text(encoding="utf-8")
    (dump / f"{kind}.json").write_text(text[: text.rindex("]")], encoding="utf-8")
    told = [each["rule"] for each in diagnose(tmp_path).findings if each["verdict"] == "fail"]
    assert told == (["pending-explained"] if kind == "daemonsets" else [])


PLACED_NOWHERE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def test_a_scheduler_that_says_no_more_than_no(tmp_path: Path) -> None:
    incident.write(tmp_path / "dump", kinds(pods=[waiting(PLACED_NOWHERE)]))
    one = found(diagnose(tmp_path), "pending-explained")
    assert one["verdict"] == "unknown"
    assert "no scheduler has looked" not in json.dumps(one)
    assert "default-scheduler placed them nowhere" in one["message"]


def test_events_that_nobody_saved(tmp_path: Path) -> None:
    dump = incident.write(tmp_path / "dump", kinds(pods=[waiting()]))
    assert "no scheduler has looked at them" in found(diagnose(tmp_path), "pending-explained")["message"]
    (dump / "events.json").unlink()
    one = found(diagnose(tmp_path), "pending-explained")
    assert one["verdict"] == "unknown"
    assert "no events are in what was read" in one["message"]
