"""A fault on some nodes of a pool names these nodes, and how many GPUs it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import incident
from tests.cluster.objects import (
    Object,
    cluster_policy,
    crash_looping,
    creating,
    daemonset,
    device_plugin,
    event,
    node,
    pod,
    running,
)
from tests.run import run, run_json

NODES = [f"gpu-{number}" for number in range(1, 8)]
TOOLKIT, PLUGIN = "nvidia-container-toolkit-ctr", "nvidia-device-plugin-daemonset"
WITH_FLEET = ("--fleet", "Pulumi.onprem.yaml")


def seven(struck: str, *, offered: int = 8, events: bool = True) -> dict[str, list[Object]]:
    """On one of them the toolkit crashes; its kubelet may have taken the GPUs back meanwhile."""
    nodes = [node(name) for name in NODES]
    for each in nodes:
        if each["metadata"]["name"] == struck:
            each["status"]["capacity"]["nvidia.com/gpu"] = each["status"]["allocatable"]["nvidia.com/gpu"] = (
                f"{offered}"
            )
    serving = daemonset(incident.BASE_DIR)
    serving["status"] = {"currentNumberScheduled": 7, "desiredNumberScheduled": 7, "numberReady": 6}
    pods = [pod("train", "ml", on=struck, runtimeClassName="nvidia", status=creating("main"))]
    for name in NODES:
        well = name != struck
        pods.append(incident.toolkit_pod(name, name, running(TOOLKIT) if well else crash_looping(TOOLKIT)))
        status = running("plugin") if well else creating("plugin")
        pods.append(pod(f"{PLUGIN}-{name}", daemonset=PLUGIN, on=name, runtimeClassName="nvidia", status=status))
    return {
        "nodes": nodes,
        "pods": pods,
        "events": [event("train", "ml", on=struck)] if events else [],
        "daemonsets": [serving, device_plugin()],
        "clusterpolicies": [cluster_policy(incident.fixed_env())],
        "runtimeclasses": [incident.runtime_class()],
    }


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("options", [(), WITH_FLEET])
def test_one_node_of_seven(tmp_path: Path, options: tuple[str, ...], *, events: bool) -> None:
    incident.write(tmp_path / "dump", seven("gpu-7", events=events), incident.FLEET)
    (found,) = run_json("diagnose", "--from", "dump", *options, cwd=tmp_path).findings
    assert found["rule"] == "toolkit-reaches-containerd"
    assert found["message"].endswith("on node 'gpu-7'")
    assert "8 of 56 GPUs are on this node" in found["cause"]
    nodes = {each["object"] for each in found["related"] if str(each.get("object")).startswith("Node/")}
    assert nodes == {"Node/gpu-7"}
    assert "--previous" in found["remedy"], "the same folders are right on six nodes"


def test_all_of_them_is_the_pool(tmp_path: Path) -> None:
    kinds = seven("gpu-7")
    for each in kinds["pods"]:
        if "toolkit" in each["metadata"]["name"]:
            each["status"] = crash_looping(TOOLKIT)
    kinds["events"] = [event(f"train-{name}", "ml", on=name) for name in NODES]
    incident.write(tmp_path / "dump", kinds, incident.FLEET)
    (found,) = run_json("diagnose", "--from", "dump", *WITH_FLEET, cwd=tmp_path).findings
    assert found["message"].endswith("on pool 'onprem'")
    assert "56 GPUs are on these nodes" in found["cause"]


def test_people_are_told_the_one_node(tmp_path: Path) -> None:
    incident.write(tmp_path / "dump", seven("gpu-7"))
    said = run("diagnose", "--from", "dump", "--format", "brief", cwd=tmp_path).out
    assert "cannot do its work on node 'gpu-7', in namespace ml" in said
    assert "gpu-1" not in said


def test_gpus_that_nobody_offers_any_more_are_counted(tmp_path: Path) -> None:
    incident.write(tmp_path / "dump", seven("gpu-7", offered=0))
    told = run("diagnose", "--from", "dump", cwd=tmp_path).out
    assert told.startswith("48 GPUs: 48 allocatable, 0 held, 48 free, 0 unhealthy, 8 more that nobody offers")
    ran = run_json("diagnose", "--from", "dump", cwd=tmp_path)
    assert ran.report["ledger"]["not_offered"] == {"gpu-7": 8}
    assert (
        "gpu-7 has 8 GPUs and offers none of them." in run("diagnose", "--from", "dump", "--ledger", cwd=tmp_path).out
    )
