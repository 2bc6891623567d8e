"""Who waits for HAMi: for memory that is used up, for a device plugin that crashes, for shares that kubelet counts otherwise."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.case_files import whole
from tests.run import Ran, run_json

WELL = whole("hami-installed-once/good-cluster-well") / "dump"
UNFIT = "0/3 nodes are available: 1 node unfit pod, 2 Preemption is not helpful for scheduling."
NVML = "E1122 09:12:44.118275 1 main.go:193] Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND."
Object = dict[str, Any]
Kinds = dict[str, list[Object]]


def well() -> Kinds:
    files = {path.stem.removeprefix("hami-"): path for path in WELL.glob("*.json")}
    return {name: json.loads(path.read_text(encoding="utf-8"))["items"] for name, path in files.items()}


def diagnose(folder: Path, kinds: Kinds, logs: dict[str, str] | None = None) -> Ran:
    (folder / "dump").mkdir()
    for name, items in kinds.items():
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        (folder / "dump" / f"{name}.json").write_text(text, encoding="utf-8")
    for path, text in (logs or {}).items():
        log = folder / "dump/logs" / path
        log.parent.mkdir(parents=True)
        log.write_text(text, encoding="utf-8")
    return run_json("diagnose", "--from", "dump", cwd=folder)


def named(kinds: Kinds, kind: str, name: str) -> Object:
    return next(each for each in kinds[kind] if each["metadata"]["name"].startswith(name))


def waiting(kinds: Kinds, **limits: str) -> Object:
    made = copy.deepcopy(named(kinds, "pods", "notebook-a"))
    made["metadata"] = {"name": "waits", "namespace": "research", "creationTimestamp": "2026-11-21T08:00:00Z"}
    del made["spec"]["nodeName"]
    asked = {f"nvidia.com/{name}": amount for name, amount in {"gpu": "1", **limits}.items()}
    made["spec"]["containers"][0]["resources"] = {"limits": asked, "requests": asked}
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": UNFIT}
    made["status"] = {"phase": "Pending", "conditions": [unplaced]}
    return made


def given(kinds: Kinds, each_gpu: int) -> None:
    """Every card of every node has given so much to one pod."""
    for node in kinds["nodes"]:
        written = node["metadata"].get("annotations", {}).get("hami.io/node-nvidia-register")
        for number, device in enumerate(json.loads(written) if written else ()):
            name = f"holds-{node['metadata']['name']}-{number}"
            pod = copy.deepcopy(named(kinds, "pods", "notebook-a"))
            pod["metadata"].update(name=name, annotations={
                "hami.io/vgpu-devices-allocated": f"{device['id']},NVIDIA,{each_gpu},0:;",
                "hami.io/vgpu-node": node["metadata"]["name"],
            })  # fmt: skip
            pod["spec"]["nodeName"] = node["metadata"]["name"]
            kinds["pods"].append(pod)


def test_memory_is_used_up_while_slots_are_free(tmp_path: Path) -> None:
    kinds = well()
    kinds["pods"] = [each for each in kinds["pods"] if each["metadata"]["namespace"] != "research"] + [
        each for each in kinds["pods"] if each["metadata"]["name"] == "notebook-a"
    ]
    given(kinds, 20000)
    kinds["pods"].append(waiting(kinds, gpumem="8000"))
    kinds["pods"] = [each for each in kinds["pods"] if each["metadata"]["name"] != "notebook-a"]
    ran = diagnose(tmp_path, kinds)
    (found,) = ran.findings
    assert (found["rule"], found["verdict"]) == ("hami-capacity-adds-up", "fail")
    assert found["is"].startswith("at most 3034 of 23034 MB of GPU memory left on a GPU, of ")
    assert found["should"] == "8000 MB of GPU memory on one GPU"
    assert "research/holds-gpu-1-0" in json.dumps(found["related"])
    assert found["victims"] == ["Pod/research/waits"]


def test_what_is_left_of_one_gpu_is_enough(tmp_path: Path) -> None:
    kinds = well()
    given(kinds, 12000)
    kinds["pods"].append(waiting(kinds, gpumem="8000"))
    rules = {each["rule"] for each in diagnose(tmp_path, kinds).findings}
    assert "hami-capacity-adds-up" not in rules


def crashing(kinds: Kinds, runtime_class: str = "") -> Kinds:
    for each in kinds["pods"]:
        if each["metadata"]["name"].startswith("hami-device-plugin"):
            if runtime_class:
                each["spec"]["runtimeClassName"] = runtime_class
            each["status"] = {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-22T09:00:00Z"}],
                "containerStatuses": [
                    {
                        "name": "device-plugin",
                        "ready": False,
                        "restartCount": 12,
                        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                        "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": NVML}},
                    },
                    {"name": "vgpu-monitor", "ready": True, "restartCount": 0, "state": {"running": {}}},
                ],
            }
    return kinds


@pytest.mark.parametrize("runtime_class", ["", "nvidia"])
def test_its_plugin_finds_no_driver_library(tmp_path: Path, runtime_class: str) -> None:
    (found,) = diagnose(tmp_path, crashing(well(), runtime_class)).findings
    assert found["rule"] == "hami-components-healthy"
    assert ("names no RuntimeClass" in found["cause"]) is not bool(runtime_class)
    assert ("runtimeClassName: nvidia" in found["remedy"]) is not bool(runtime_class)


def test_by_its_log(tmp_path: Path) -> None:
    kinds = crashing(well())
    for each in kinds["pods"]:
        if each["metadata"]["name"].startswith("hami-device-plugin"):
            del each["status"]["containerStatuses"][0]["lastState"]["terminated"]["message"]
    plugins = sorted(each["metadata"]["name"] for each in kinds["pods"] if "device-plugin" in each["metadata"]["name"])
    log = f"I1122 Starting OS watcher.\n{NVML}\nE1122 If this is a GPU node, did you set the default runtime?\n"
    logs = {f"hami-system/{name}/device-plugin.log": log for name in plugins}
    (found,) = diagnose(tmp_path, kinds, logs).findings
    assert "names no RuntimeClass" in found["cause"]


def test_who_waits_for_a_plugin_that_crashes_is_its_victim(tmp_path: Path) -> None:
    kinds = crashing(well())
    kinds["pods"].append(waiting(kinds, gpumem="8000"))
    for each in kinds["nodes"]:
        for amounts in (each["status"]["capacity"], each["status"].get("allocatable", {})):
            amounts.pop("nvidia.com/gpu", None)
    found = diagnose(tmp_path, kinds).findings
    assert [each["rule"] for each in found] == ["hami-components-healthy"]
    assert "Pod/research/waits" in found[0]["victims"]


@pytest.mark.parametrize(("offered", "told"), [("8", True), ("40", False)])
def test_kubelet_counts_otherwise(tmp_path: Path, offered: str, *, told: bool) -> None:
    kinds = well()
    node = named(kinds, "nodes", "gpu-1")
    node["status"]["capacity"]["nvidia.com/gpu"] = node["status"]["allocatable"]["nvidia.com/gpu"] = offered
    found = [each for each in diagnose(tmp_path, kinds).findings if each["rule"] == "hami-plugin-configured"]
    assert [each["where"]["object"] for each in found] == (["Node/gpu-1"] if told else [])
    if told:
        assert found[0]["is"] == "8 nvidia.com/gpu, and 4 GPUs for 40 pods"


def test_the_label_that_the_webhook_wants(tmp_path: Path) -> None:
    kinds = well()
    wanted = {"matchExpressions": [{"key": "share", "operator": "In", "values": ["yes", "always"]}]}
    kinds["mutatingwebhookconfigurations"][0]["webhooks"][0]["namespaceSelector"] = wanted
    named(kinds, "namespaces", "research")["metadata"]["labels"] = {"share": "no"}
    passed = waiting(kinds, gpumem="8000")
    passed["spec"].pop("schedulerName", None)
    kinds["pods"].append(passed)
    (found,) = [each for each in diagnose(tmp_path, kinds).findings if each["rule"] == "hami-pods-mutated"]
    assert found["is"] == "namespace research: share=no"
    assert found["should"] == "share in (yes, always)"
    assert found["remedy"].startswith("kubectl label namespace research share=yes")
