"""What is on a node, as an API server prints it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from nodeworthy.rollout.guests import guest, local_volumes, set_by_hand

NOW = datetime(2025, 10, 14, 12, 0, tzinfo=UTC)
BUDGET = {
    "metadata": {"name": "keep", "namespace": "research"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1},
    "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1},
}


def pod(owner: str = "Job", annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    owners = [{"kind": owner, "name": "x", "uid": "1", "controller": True}] if owner else []
    return {
        "metadata": {
            "name": "train-0",
            "namespace": "research",
            "uid": "u",
            "labels": {"app": "web"},
            "annotations": annotations or {},
            "ownerReferences": owners,
        },
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8", "cpu": "4"}}}], **spec},
        "status": {"phase": "Running", "startTime": "2025-10-14T11:00:00Z"},
    }


def test_a_job_with_an_end_and_its_budget() -> None:
    found = guest(pod(activeDeadlineSeconds=7200), [BUDGET], NOW)
    assert (found.gpus, found.seconds_left, found.is_gpu_job, found.stays, found.blocks) == (8, 3600, True, False, "")
    assert found.budgets[0].told == "research/keep allows 0 disruptions (1 healthy, 1 wanted)"
    elsewhere = {**BUDGET, "metadata": {"name": "keep", "namespace": "default"}}
    assert guest(pod(), [elsewhere], NOW).budgets == ()
    assert guest(pod(), [], NOW).seconds_left is None


def test_who_goes_with_the_node() -> None:
    assert guest(pod("DaemonSet"), [], NOW).stays
    assert guest(pod("Node", {"kubernetes.io/config.mirror": "1"}), [], NOW).stays
    assert guest({**pod(), "status": {"phase": "Succeeded"}}, [], NOW).stays
    assert not guest(pod("ReplicaSet"), [], NOW).is_gpu_job


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, ""),
        (
            {"deletionTimestamp": "2025-10-14T12:30:00Z", "finalizers": ["batch.kubernetes.io/job-tracking"]},
            "and has until 12:30:00Z for it (its terminationGracePeriodSeconds)",
        ),
        (
            {"deletionTimestamp": "2025-10-14T11:30:00Z", "finalizers": ["example.com/a", "example.com/b"]},
            "kept by its finalizer example.com/a and example.com/b, since 11:30:00Z",
        ),
        ({"deletionTimestamp": "2025-10-14T11:30:00Z"}, "and its kubelet has not let it go, since 11:30:00Z"),
    ],
)
def test_what_keeps_one_that_is_ending(said: dict[str, Any], told: str) -> None:
    data = pod()
    found = guest({**data, "metadata": {**data["metadata"], **said}}, [], NOW)
    assert (found.leaving, found.is_leaving) == (told, bool(told))


DISK = [{"name": "cache", "emptyDir": {}}]
MEMORY = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (pod(""), "has no controller: nobody makes it anew"),
        (
            pod(annotations={"karpenter.sh/do-not-disrupt": "true"}),
            "has the annotation karpenter.sh/do-not-disrupt=true",
        ),
        (
            pod(annotations={"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}),
            "has the annotation cluster-autoscaler.kubernetes.io/safe-to-evict=false",
        ),
        (pod(volumes=DISK), "keeps data on this node alone: emptyDir cache"),
        (pod(volumes=MEMORY), ""),
        (pod(annotations={"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}), ""),
    ],
)
def test_who_may_not_be_evicted_unless_named(data: dict[str, Any], told: str) -> None:
    assert guest(data, [], NOW).blocks == told


def test_a_volume_of_this_host_is_lost_with_it() -> None:
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["gpu-1"]}]}]
    claim = {"namespace": "research", "name": "data"}
    spec = {"local": {"path": "/mnt/nvme"}, "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    volume = {"metadata": {"name": "pv-1"}, "spec": {**spec, "claimRef": claim}}
    assert local_volumes([volume], "gpu-1") == ("pv-1 of research/data",)
    assert local_volumes([volume], "gpu-2") == ()
    assert local_volumes([{**volume, "spec": spec}], "gpu-1") == ()


def test_what_people_wrote_and_not_what_programs_do() -> None:
    def fields(manager: str, *names: str) -> dict[str, Any]:
        labels: dict[str, Any] = {f"f:{name}": {} for name in names}
        return {"manager": manager, "fieldsV1": {"f:metadata": {"f:labels": {".": {}, **labels}}}}

    labels = {"gpu.monitoring/profiling-dedicated": "true", "nvidia.com/gpu.count": "4", "kubernetes.io/hostname": "n"}
    node: dict[str, Any] = {
        "metadata": {
            "labels": labels,
            "managedFields": [
                fields("kubectl-label", "gpu.monitoring/profiling-dedicated"),
                fields("gpu-feature-discovery", "nvidia.com/gpu.count"),
                fields("kubelet", "kubernetes.io/hostname"),
            ],
        },
        "spec": {"taints": [{"key": "team", "value": "ml", "effect": "NoSchedule"}]},
    }
    assert set_by_hand(node) == {"labels": {"gpu.monitoring/profiling-dedicated": "true"}}
    by_hand = {"manager": "kubectl-taint", "fieldsV1": {"f:spec": {"f:taints": {}}}}
    node["metadata"]["managedFields"].append(by_hand)
    assert set_by_hand(node)["taints"] == {"team:NoSchedule": "ml"}
