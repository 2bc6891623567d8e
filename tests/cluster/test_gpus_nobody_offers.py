"""A node that has GPUs and offers none: whose fault it is, told once, with the pods that wait for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.cluster import incident
from tests.cluster.objects import NODE, Object, crash_looping, creating, device_plugin, node, pod, running
from tests.run import run_json

PLUGIN = "nvidia-device-plugin-daemonset"
TYPE = {"node.kubernetes.io/instance-type": "p5e.48xlarge"}


def offering(capacity: str, allocatable: str, name: str = NODE, labels: dict[str, str] | None = None) -> Object:
    made = node(name, labels)
    made["status"]["capacity"]["nvidia.com/gpu"] = capacity
    made["status"]["allocatable"]["nvidia.com/gpu"] = allocatable
    return made


def waits(name: str = "train-0") -> Object:
    said = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    placed = {"lastTransitionTime": "2025-09-28T03:50:00Z", "message": said, "reason": "Unschedulable"}
    made = pod(name, "research", status={"conditions": [{**placed, "status": "False", "type": "PodScheduled"}]})
    del made["spec"]["nodeName"]
    made["status"]["phase"] = "Pending"
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    return made


def plugin(status: Object | None = None) -> Object:
    return pod(f"{PLUGIN}-7npm6", daemonset=PLUGIN, status=status or crash_looping("nvidia-device-plugin", 7))


def cluster(*pods: Object, on: Object) -> dict[str, list[Object]]:
    right = {**incident.recovered(), "nodes": [on], "events": []}
    kept = [each for each in right["pods"] if not each["metadata"]["name"].startswith(PLUGIN)]
    return {**right, "pods": [*kept, *pods]}


def told(folder: Path, kinds: dict[str, list[Object]]) -> list[dict[str, Any]]:
    incident.write(folder / "dump", kinds)
    return run_json("diagnose", "--from", "dump", cwd=folder).findings


@pytest.mark.parametrize(("capacity", "allocatable"), [("8", "0"), ("0", "0")])
def test_a_toolkit_at_fault_is_the_one_cause(tmp_path: Path, capacity: str, allocatable: str) -> None:
    """What was never registered is not unhealthy, and nobody has to reset a GPU."""
    k3s = {"kubeletVersion": "v1.33.5+k3s1", "containerRuntimeVersion": "containerd://2.1.4-k3s1"}
    dark = offering(capacity, allocatable)
    dark["status"]["nodeInfo"].update(k3s)
    kinds = incident.incident()
    others = [each for each in kinds["pods"] if not each["metadata"]["name"].startswith(PLUGIN)]
    without = plugin(creating("nvidia-device-plugin"))
    (finding,) = told(tmp_path, {**kinds, "nodes": [dark], "pods": [*others, without, waits()]})
    assert finding["rule"] == "containerd-paths"
    assert "Pod/research/train-0" in finding["victims"]
    assert containerd_of("k3s").socket in finding["remedy"]


def test_a_plugin_that_crashes_is_named(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, cluster(plugin(), waits(), on=offering("8", "0")))
    assert (finding["rule"], finding["where"]["object"]) == ("gpu-count-complete", f"DaemonSet/gpu-operator/{PLUGIN}")
    assert "CrashLoopBackOff after 7 restarts" in finding["is"]
    assert finding["victims"] == [f"Pod/gpu-operator/{PLUGIN}-7npm6", "Pod/research/train-0"]
    assert finding["remedy"].endswith(f"kubectl logs --previous -n gpu-operator {PLUGIN}-7npm6")


def test_where_no_other_node_offers_them_the_pods_that_wait_tell_it(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, cluster(plugin(), waits(), on=offering("0", "0")))
    assert finding["rule"] == "pending-explained"
    assert f"{PLUGIN}-7npm6 is in CrashLoopBackOff" in finding["cause"]


def test_a_plugin_that_found_no_gpu_runs_and_offers_none(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, cluster(plugin(running("nvidia-device-plugin")), on=offering("0", "0")))
    assert finding["rule"] == "gpu-count-complete"
    assert finding["message"] == f"the device plugin runs, and offers no GPU on node '{NODE}'"


def test_nodes_without_any_plugin_are_one_finding(tmp_path: Path) -> None:
    nodes = [offering("0", "0", f"gpu-{number}", TYPE) for number in range(2)]
    kinds: dict[str, list[Object]] = {"nodes": nodes, "pods": [], "events": [], "daemonsets": []}
    (finding,) = told(tmp_path, kinds)
    assert finding["rule"] == "one-device-plugin"
    assert finding["message"] == "no device plugin advertises the GPUs on node 'gpu-0' and node 'gpu-1'"


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"nvidia.com/gpu.deploy.device-plugin": "false"}, id="left out"),
        pytest.param({"nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change"}, id="cut anew"),
        pytest.param({"nvidia.com/gpu.workload.config": "vm-passthrough"}, id="for virtual machines"),
    ],
)
def test_what_is_meant_to_offer_none_is_no_fault(tmp_path: Path, labels: dict[str, str]) -> None:
    assert told(tmp_path, cluster(on=offering("0", "0", labels=labels))) == []


def test_of_a_node_that_is_not_ready_this_is_told_and_not_that_it_offers_none(tmp_path: Path) -> None:
    silent = offering("0", "0")
    silent["status"]["conditions"][0].update(status="Unknown", message="Kubelet stopped posting node status.")
    (finding,) = told(tmp_path, cluster(on=silent))
    assert (finding["rule"], finding["is"]) == ("gpu-stack-settled", "Kubelet stopped posting node status.")


def test_a_driver_of_dynamic_resources_offers_them_otherwise(tmp_path: Path) -> None:
    kinds = cluster(on=offering("0", "0"))
    driver = device_plugin()
    driver["metadata"]["name"] = "nvidia-dra-driver-gpu-kubelet-plugin"
    driver["spec"]["template"]["spec"]["containers"][0]["image"] = "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0"
    assert told(tmp_path, {**kinds, "daemonsets": [kinds["daemonsets"][0], driver]}) == []


@pytest.mark.parametrize(
    ("labels", "rules"),
    [
        pytest.param({"nvidia.com/mig.strategy": "single"}, ["gpu-count-complete"], id="the operator's default"),
        pytest.param({"nvidia.com/gpu.product": "NVIDIA-H200-MIG-3g.71gb"}, [], id="cut into slices"),
        pytest.param({"nvidia.com/mig.config": "all-3g.71gb"}, [], id="to be cut"),
    ],
)
def test_a_strategy_for_slices_is_no_slice(tmp_path: Path, labels: dict[str, str], rules: list[str]) -> None:
    """A lost GPU is missed where the operator's default is taken for slices."""
    seven = offering("7", "7", labels={**TYPE, **labels})
    found = told(tmp_path, cluster(plugin(running("nvidia-device-plugin")), on=seven))
    assert [each["rule"] for each in found] == rules
