"""Whole clusters that look like incidents and are well: what stood behind the incident is there, and nothing is said.

The lines that programs print there are in tests/known/test_healthy_twins.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import incident
from tests.cluster.objects import NODE, Object, event, node, pod, running
from tests.run import run_json

GPU = "nvidia.com/gpu"
PLUGIN = "nvidia-device-plugin-daemonset"
Kinds = dict[str, list[Object]]


def cluster() -> Kinds:
    """All runs, and no event tells of anything."""
    return {**incident.recovered(), "events": []}


def of_stack(name: str, image: str, **more: Any) -> Object:
    return pod(f"{name}-x2x4k", daemonset=name, containers=[{"name": name, "image": f"nvcr.io/nvidia/{image}"}], **more)


def worker(gpus: int = 1, name: str = "train-0", **more: Any) -> Object:
    asks = {"limits": {GPU: str(gpus)}, "requests": {GPU: str(gpus)}}
    return pod(name, "ml", containers=[{"name": name, "image": "train:12.4", "resources": asks}], **more)


def said(reason: str, message: str, kind: str = "Pod", about: str = "train-0", on: str = NODE) -> Object:
    made = event(about, "ml", count=1, on=on)
    made["involvedObject"]["kind"] = kind
    return {**made, "reason": reason, "message": message, "type": "Normal"}


def labelled(kinds: Kinds, **labels: str) -> None:
    for each in kinds["nodes"]:
        each["metadata"]["labels"] |= {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}


def tainted(kinds: Kinds, **taint: str) -> None:
    kinds["nodes"][0]["spec"]["taints"] = [{"effect": "NoSchedule", **taint}]


def discovery_tolerates_the_taint(kinds: Kinds) -> None:
    tainted(kinds, key=GPU, value="true")
    tolerates = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
    kinds["pods"] += [
        of_stack("nfd-worker", "node-feature-discovery:v0.17.3", tolerations=tolerates),
        worker(tolerations=tolerates),
    ]
    for each in kinds["daemonsets"]:
        each["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]


def a_node_that_has_no_gpu_waits_for_its_network(kinds: Kinds) -> None:
    """Cilium's taint stands on it, and the nodes with GPUs have room."""
    fresh = node("cpu-7", {"node.kubernetes.io/instance-type": "m7i.4xlarge"})
    fresh["metadata"]["labels"] = {k: v for k, v in fresh["metadata"]["labels"].items() if "nvidia.com" not in k}
    for amounts in (fresh["status"]["capacity"], fresh["status"]["allocatable"]):
        del amounts[GPU]
    fresh["spec"]["taints"] = [{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}]
    kinds["nodes"].append(fresh)
    kinds["pods"].append(worker(4))


def a_pod_was_placed_after_its_node_came(kinds: Kinds) -> None:
    kinds["pods"].append(worker(8))
    nominated = said("Nominated", f"Pod should schedule on: nodeclaim/gpu-7xk2p, node/{NODE}")
    kinds["events"] += [
        said("FailedScheduling", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
        nominated,
        said("Scheduled", f"Successfully assigned ml/train-0 to {NODE}"),
    ]


def mig_is_set(kinds: Kinds) -> None:
    labelled(kinds, nvidia_com__mig_config="all-disabled", nvidia_com__mig_config_state="success")
    kinds["pods"].append(of_stack("nvidia-mig-manager", "cloud-native/k8s-mig-manager:v0.12.1"))


def the_upgrade_of_the_driver_is_done(kinds: Kinds) -> None:
    kinds["nodes"][0]["metadata"]["labels"]["nvidia.com/gpu-driver-upgrade-state"] = "upgrade-done"
    kinds["pods"].append(of_stack("nvidia-driver-daemonset", "driver:580.126.09-ubuntu22.04"))


def the_plugin_registered_at_its_fourth_start(kinds: Kinds) -> None:
    """It was there before kubelet's socket."""
    made = of_stack(PLUGIN, "k8s-device-plugin:v0.17.1")
    status = running(PLUGIN)
    status["containerStatuses"][0] |= {
        "restartCount": 3,
        "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2025-09-28T03:25:59Z"}},
    }
    made["status"] = status
    kinds["pods"] += [made, worker(8)]


def the_exporter_has_enough_memory_since(kinds: Kinds) -> None:
    made = of_stack("nvidia-dcgm-exporter", "k8s/dcgm-exporter:4.4.1-4.6.0-ubuntu22.04")
    made["status"]["containerStatuses"][0] |= {
        "restartCount": 1,
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2025-09-28T03:20:00Z"}},
    }
    kinds["pods"].append(made)


def a_pod_runs_whose_first_container_had_the_gpu_before(kinds: Kinds) -> None:
    ends = {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": "2025-09-28T03:26:00Z"}}
    made = worker(8, initContainers=[{"name": "fetch", "image": "fetch"}])
    made["status"]["initContainerStatuses"] = [{"name": "fetch", "ready": True, "restartCount": 0, "state": ends}]
    kinds["pods"].append(made)


def an_image_asks_for_no_newer_cuda(kinds: Kinds) -> None:
    made = worker()
    made["spec"]["containers"][0] |= {
        "image": "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
        "env": [{"name": "NVIDIA_REQUIRE_CUDA", "value": "cuda>=12.4"}],
    }
    labelled(
        kinds,
        nvidia_com__cuda_driver_major="580",
        nvidia_com__cuda_runtime_major="13",
        nvidia_com__cuda_runtime_minor="0",
    )
    kinds["pods"].append(made)


def crio_by_hooks_and_no_class(kinds: Kinds) -> None:
    for each in kinds["nodes"]:
        each["status"]["nodeInfo"] |= {
            "containerRuntimeVersion": "cri-o://1.31.5",
            "osImage": "Red Hat Enterprise Linux CoreOS",
        }
    kinds["daemonsets"], kinds["clusterpolicies"] = [], []
    kinds["pods"] = [of_stack(PLUGIN, "k8s-device-plugin:v0.17.1"), worker(2)]


def googles_own_driver_and_plugin(kinds: Kinds) -> None:
    labelled(kinds, cloud_google_com__gke_accelerator="nvidia-h100-80gb")
    kinds["nodes"][0]["metadata"]["labels"] |= {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}
    kinds["daemonsets"], kinds["clusterpolicies"] = [], []
    plugin = pod("nvidia-gpu-device-plugin-x2x4k", "kube-system", daemonset="nvidia-gpu-device-plugin")
    kinds["pods"] = [plugin, worker(8)]


def all_is_held_and_nobody_waits(kinds: Kinds) -> None:
    kinds["pods"] += [worker(4), worker(4, "train-1")]


def a_claim_that_was_prepared(kinds: Kinds) -> None:
    made = pod("dra-0", "ml", resourceClaims=[{"name": "gpu", "resourceClaimName": "card"}])
    kinds["pods"] += [of_stack("nvidia-dra-driver-gpu-kubelet-plugin", "k8s-dra-driver-gpu:v25.8.0"), made]
    result = {"driver": "gpu.nvidia.com", "pool": NODE, "device": "gpu-0", "request": "gpu"}
    metadata = {"name": "card", "namespace": "ml"}
    request = {
        "name": "gpu",
        "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 1},
    }
    kinds["resourceclaims"] = [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": metadata,
            "spec": {"devices": {"requests": [request]}},
            "status": {
                "allocation": {"devices": {"results": [result]}},
                "reservedFor": [{"resource": "pods", "name": "dra-0"}],
            },
        }
    ]


TWINS: tuple[Callable[[Kinds], None], ...] = (
    a_claim_that_was_prepared,
    a_node_that_has_no_gpu_waits_for_its_network,
    a_pod_runs_whose_first_container_had_the_gpu_before,
    a_pod_was_placed_after_its_node_came,
    all_is_held_and_nobody_waits,
    an_image_asks_for_no_newer_cuda,
    crio_by_hooks_and_no_class,
    discovery_tolerates_the_taint,
    googles_own_driver_and_plugin,
    mig_is_set,
    the_exporter_has_enough_memory_since,
    the_plugin_registered_at_its_fourth_start,
    the_upgrade_of_the_driver_is_done,
)


@pytest.mark.parametrize("twin", TWINS, ids=lambda each: each.__name__)
def test_nothing_is_said_of_a_cluster_that_is_well(tmp_path: Path, twin: Callable[[Kinds], None]) -> None:
    kinds = cluster()
    twin(kinds)
    incident.write(tmp_path / "dump", kinds, incident.FLEET)
    ran = run_json("diagnose", "--from", "dump", "--node", NODE, cwd=tmp_path)
    assert (ran.code, ran.findings) == (0, [])
    assert [each["broken"] for each in ran.report["chains"]] == [None]


def _waiting(gpus: int, name: str) -> Object:
    made = worker(gpus, name, on="")
    words = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available."
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words}
    return {**made, "status": {"phase": "Pending", "conditions": [unplaced]}}


def _crashes(kinds: Kinds, name: str) -> None:
    made = next(each for each in kinds["pods"] if each["metadata"]["name"].startswith(name))
    container = made["status"]["containerStatuses"][0]
    container |= {"ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    made["status"]["conditions"][1]["status"] = "False"


def _only_present_is_tolerated(kinds: Kinds) -> None:
    worn = [{"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}]
    image = "nvcr.io/nvidia/node-feature-discovery:v0.17.3"
    template = {"spec": {"tolerations": worn, "containers": [{"name": "nfd-worker", "image": image}]}}
    metadata = {"name": "nfd-worker", "namespace": "gpu-operator"}
    made = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": {"template": template}}
    kinds["daemonsets"].append(made)


def _is_refused(kinds: Kinds) -> None:
    words = (
        "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 8, Available: 0"
    )
    kinds["pods"][-1]["status"] = {
        "phase": "Failed",
        "reason": "UnexpectedAdmissionError",
        "message": f"Pod was rejected: {words}, which is unexpected",
    }


# The same clusters, ill: else that nothing is said would prove nothing.
ILL: dict[Callable[[Kinds], None], tuple[Callable[[Kinds], Any], str]] = {
    discovery_tolerates_the_taint: (_only_present_is_tolerated, "gpu-stack-settled"),
    a_pod_was_placed_after_its_node_came: (
        lambda kinds: kinds["pods"].append(_waiting(8, "train-1")),
        "pending-explained",
    ),
    all_is_held_and_nobody_waits: (lambda kinds: kinds["pods"].append(_waiting(2, "train-2")), "pending-explained"),
    mig_is_set: (lambda kinds: labelled(kinds, nvidia_com__mig_config_state="failed"), "gpu-stack-settled"),
    the_upgrade_of_the_driver_is_done: (
        lambda kinds: kinds["nodes"][0]["metadata"]["labels"].update(
            {"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}
        ),
        "gpu-stack-settled",
    ),
    the_plugin_registered_at_its_fourth_start: (
        lambda kinds: _crashes(kinds, f"{PLUGIN}-x2x4k"),
        "gpu-stack-settled",
    ),
    the_exporter_has_enough_memory_since: (
        lambda kinds: _crashes(kinds, "nvidia-dcgm-exporter-x2x4k"),
        "gpu-stack-settled",
    ),
    a_pod_runs_whose_first_container_had_the_gpu_before: (_is_refused, "admission-explained"),
}


@pytest.mark.parametrize("twin", ILL, ids=lambda each: each.__name__)
def test_the_same_cluster_ill_is_told(tmp_path: Path, twin: Callable[[Kinds], None]) -> None:
    kinds = cluster()
    twin(kinds)
    falls_ill, rule = ILL[twin]
    falls_ill(kinds)
    incident.write(tmp_path / "dump", kinds, incident.FLEET)
    ran = run_json("diagnose", "--from", "dump", cwd=tmp_path)
    assert rule in {each["rule"] for each in ran.findings}
