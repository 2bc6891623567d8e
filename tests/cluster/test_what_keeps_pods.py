"""What schedulers and autoscalers say of pods that wait for GPUs, in their own words, and what is made of it."""

from __future__ import annotations

from pathlib import Path

from tests.cluster import incident
from tests.cluster.objects import Object, node, pod
from tests.run import run_json

CLAIM = 'persistentvolumeclaim "data" not found'
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
GANG = "pod group is not ready, 2 Pending, 4 minAvailable; Pending: 2 Undetermined"
FULL = "pod didn't trigger scale-up: 1 max node group size reached"


def waits(name: str, said: str, scheduler: str = "default-scheduler") -> Object:
    message = f"0/2 nodes are available: {said}. preemption: 0/2 nodes are available: 2 Preemption is not helpful."
    words = said if scheduler != "default-scheduler" else message
    placed = {"message": words, "reason": "Unschedulable", "status": "False", "type": "PodScheduled"}
    made = pod(name, "research", schedulerName=scheduler, status={"conditions": [placed], "phase": "Pending"})
    del made["spec"]["nodeName"]
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    return made


def holds(name: str, on: str, *, deleted: bool = False) -> Object:
    made = pod(name, "research", on=on)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    if deleted:
        made["metadata"]["deletionTimestamp"] = "2025-09-28T04:00:00Z"
    return made


def told(folder: Path, nodes: list[Object], pods: list[Object], events: list[Object]) -> dict[str, tuple[str, str]]:
    """By the first of its victims: the cause, and the remedy."""
    kinds = {"nodes": nodes, "pods": pods, "events": events, "daemonsets": []}
    incident.write(folder / "dump", kinds)
    found = run_json("diagnose", "--from", "dump", "--rule", "pending-explained", cwd=folder).findings
    assert {each["verdict"] for each in found} <= {"fail"}
    return {each["victims"][0].rpartition("/")[2]: (each["cause"], each["remedy"]) for each in found}


def test_words_that_count_no_nodes_are_causes_too(tmp_path: Path) -> None:
    pods = [waits("claims", CLAIM), waits("unbound", UNBOUND), *(waits(f"gang-{n}", GANG, "volcano") for n in (0, 1))]
    pods[1]["spec"]["tolerations"] = [{"operator": "Exists"}]
    found = told(tmp_path, [node("gpu-0"), node("gpu-1")], pods, [])
    assert CLAIM in found["claims"][0]
    assert UNBOUND in found["unbound"][0]
    assert "16 nvidia.com/gpu together, 16 are free" in found["gang-0"][0]
    assert "describe podgroups" in found["gang-0"][1]


def of_claim(name: str, reason: str, message: str) -> Object:
    about = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": name, "namespace": "research"}
    made = says(name, reason, message, 1)
    return {**made, "involvedObject": about, "source": {"component": "persistentvolume-controller"}}


def test_which_claim_has_no_volume_and_why(tmp_path: Path) -> None:
    unbound, made_for_it = waits("unbound", UNBOUND), waits("scratch", UNBOUND)
    unbound["spec"]["volumes"] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "dataset"}},
        {"name": "old", "persistentVolumeClaim": {"claimName": "results"}},
    ]
    made_for_it["spec"]["volumes"] = [{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {}}}]
    made_for_it["spec"]["tolerations"] = [{"operator": "Exists"}]
    missing = 'storageclass.storage.k8s.io "fast-nvme" not found'
    found = told(
        tmp_path,
        [node("gpu-0"), node("gpu-1")],
        [unbound, made_for_it],
        [of_claim("dataset", "ProvisioningFailed", missing)],
    )
    cause, remedy = found["unbound"]
    assert f"claim 'dataset': ProvisioningFailed: {missing}" in cause
    assert "results" not in cause
    assert remedy == "make the StorageClass 'fast-nvme', or name one that there is: kubectl get storageclass"
    assert found["scratch"][1].startswith("kubectl describe pvc -n research scratch-tmp")


def says(name: str, reason: str, message: str, number: int) -> Object:
    about = {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": "research"}
    metadata = {"name": f"{name}.{number}", "namespace": "research"}
    what = {"message": message, "reason": reason, "source": {"component": "hami-scheduler"}, "type": "Warning"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": about, **what}


def test_hamis_words_tell_more_than_the_schedulers(tmp_path: Path) -> None:
    """One event for each reason: what is said of the most nodes is the cause."""
    locked = node("gpu-1")
    locked["metadata"]["annotations"]["hami.io/mutex.lock"] = "2025-09-28T03:00:00Z,research,gone"
    events = [
        says("shares", "FilteringFailed", "1 nodes CardInsufficientMemory(gpu-0)", 1),
        says("shares", "FilteringFailed", "2 nodes CardTimeSlicingExhausted(gpu-0,gpu-1)", 2),
        says("bound", "BindingFailed", "node gpu-1 has been locked within 5m0s", 3),
    ]
    pods = [waits("shares", "2 NodeUnfitPod"), waits("bound", "1 NodeUnfitPod")]
    pods[1]["spec"]["tolerations"] = [{"operator": "Exists"}]
    found = told(tmp_path, [node("gpu-0"), locked], pods, events)
    assert found["shares"][0].startswith("HAMi's scheduler says CardTimeSlicingExhausted of the most nodes")
    assert "deviceSplitCount" in found["shares"][1]
    assert found["bound"][1].endswith("kubectl annotate node gpu-1 hami.io/mutex.lock-")


def test_whoever_starts_nodes_says_why_none_comes(tmp_path: Path) -> None:
    about = {"apiVersion": "v1", "kind": "Pod", "name": "train", "namespace": "research"}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "train.1", "namespace": "research"}}
    says = {"message": FULL, "reason": "NotTriggerScaleUp", "source": {"component": "cluster-autoscaler"}}
    when = {"involvedObject": about, "lastTimestamp": "2025-09-28T04:40:00Z", "type": "Normal"}
    pods = [waits("train", "1 Insufficient nvidia.com/gpu"), holds("other", "gpu-0")]
    found = told(tmp_path, [node("gpu-0")], pods, [{**event, **says, **when}])
    assert f"cluster-autoscaler starts no node for them: {FULL}" in found["train"][0]


def test_a_cordoned_node_with_room_is_the_shortest_way(tmp_path: Path) -> None:
    cordoned = node("gpu-1")
    cordoned["spec"]["unschedulable"] = True
    pods = [waits("train", "1 Insufficient nvidia.com/gpu"), holds("other", "gpu-0")]
    assert told(tmp_path, [node("gpu-0"), cordoned], pods, [])["train"][1].startswith("kubectl uncordon gpu-1")


def test_a_pod_that_is_being_deleted_is_named(tmp_path: Path) -> None:
    pods = [waits("train", "1 Insufficient nvidia.com/gpu"), holds("other", "gpu-0", deleted=True)]
    cause, remedy = told(tmp_path, [node("gpu-0")], pods, [])["train"]
    assert "research/other is being deleted" in cause
    assert remedy.endswith("kubectl describe pod -n research other")
