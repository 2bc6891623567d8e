"""Events live for an hour: what they say of a pod that runs since is history, and no finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster import incident
from tests.cluster.objects import Object, creating, device_plugin, event, pod, running
from tests.run import Ran, run_json

GPU = "nvidia.com/gpu"
EIGHT = {"limits": {GPU: "8"}, "requests": {GPU: "8"}}
REFUSED = (
    "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
    "Requested: 8, Available: 0, which is unexpected"
)
QUOTA = (
    'Error creating: pods "train-{}" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, '
    "used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8"
)
COUNTED = (
    'Error creating: Pod "train-5d8f9c7b6-x2x9k" is invalid: spec.containers[0].resources.limits[nvidia.com/gpu]: '
    "Invalid value: 500m: must be an integer"
)


def diagnose(folder: Path, kinds: dict[str, list[Object]]) -> Ran:
    incident.write(folder / "dump", kinds, incident.FLEET)
    return run_json("diagnose", "--from", "dump", "--fleet", "Pulumi.onprem.yaml", cwd=folder)


def told(ran: Ran) -> list[tuple[str, str]]:
    return [(each["rule"], each["verdict"]) for each in ran.findings]


def healthy() -> dict[str, list[Object]]:
    """The toolkit ready since three, before what the events tell; all runs."""
    kinds = incident.recovered()
    toolkit = next(each for each in kinds["pods"] if "toolkit" in each["metadata"]["name"])
    toolkit["status"] = running("nvidia-container-toolkit-ctr", "2025-09-28T03:00:00Z")
    return {**kinds, "events": []}


def worker(name: str = "train-0", maker: tuple[str, str] = ("StatefulSet", "train"), **more: Any) -> Object:
    made = pod(name, "ml", **more)
    made["metadata"]["ownerReferences"] = [{"kind": maker[0], "name": maker[1], "controller": True}]
    made["spec"]["containers"][0]["resources"] = EIGHT
    return made


def of(kind: str, name: str, reason: str, message: str) -> Object:
    said = event(name, "ml")
    said["involvedObject"]["kind"] = kind
    return {**said, "reason": reason, "message": message}


def test_a_sandbox_that_could_not_be_made_until_its_pod_ran(tmp_path: Path) -> None:
    kinds = healthy()
    kinds["events"] = [event()]
    assert told(diagnose(tmp_path, kinds)) == []


def test_a_pod_that_is_gone_where_another_has_come_up_since(tmp_path: Path) -> None:
    kinds = healthy()
    kinds["events"] = [event("gpu-textgen-before")]
    assert told(diagnose(tmp_path, kinds)) == []


def test_a_pod_that_still_waits_where_another_has_come_up_since(tmp_path: Path) -> None:
    kinds = healthy()
    kinds["events"] = [event("late")]
    kinds["pods"].append(pod("late", "default", runtimeClassName="nvidia", status=creating("c")))
    (found,) = diagnose(tmp_path, kinds).findings
    assert found["rule"] == "toolkit-reaches-containerd"
    assert found["victims"] == ["Pod/default/late"]


def test_a_pod_that_is_gone_and_nothing_has_come_up_since(tmp_path: Path) -> None:
    kinds = healthy()
    kinds["events"] = [event("gpu-textgen-before")]
    kinds["pods"] = [each for each in kinds["pods"] if each["metadata"]["name"] != "gpu-textgen"]
    assert told(diagnose(tmp_path, kinds)) == [("toolkit-reaches-containerd", "fail")]


def test_where_no_toolkit_runs_either(tmp_path: Path) -> None:
    """The image brings the runtime, since a restart of containerd."""
    kinds = {**healthy(), "daemonsets": [], "clusterpolicies": []}
    kinds["pods"] = [pod("gpu-textgen", "default", runtimeClassName="nvidia")]
    kinds["events"] = [event()]
    kinds["pods"][0]["status"] = running("textgen", "2025-09-28T04:50:00Z")
    assert told(diagnose(tmp_path, kinds)) == []


@pytest.mark.parametrize("runs", [True, False])
def test_a_pod_that_a_kubelet_refused_and_that_runs_since(tmp_path: Path, *, runs: bool) -> None:
    kinds = healthy()
    kinds["events"] = [of("Pod", "train-0", "UnexpectedAdmissionError", REFUSED)]
    refused = {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": f"Pod was rejected: {REFUSED}"}
    kinds["pods"].append(worker() if runs else worker(status=refused))
    assert [rule for rule, _ in told(diagnose(tmp_path, kinds))] == ([] if runs else ["admission-explained"])


@pytest.mark.parametrize(("made", "rules"), [("2025-09-28T04:50:00Z", []), (None, ["pending-explained"])])
def test_a_quota_that_let_its_maker_go_on_since(tmp_path: Path, made: str | None, rules: list[str]) -> None:
    kinds = healthy()
    kinds["events"] = [of("ReplicaSet", "train-5d8f9c7b6", "FailedCreate", QUOTA.format("5d8f9c7b6-x2x9k"))]
    if made is not None:
        kinds["pods"].append(worker("train-5d8f9c7b6-k4k2p", ("ReplicaSet", "train-5d8f9c7b6")))
        kinds["pods"][-1]["metadata"]["creationTimestamp"] = made
    assert [rule for rule, _ in told(diagnose(tmp_path, kinds))] == rules


@pytest.mark.parametrize("message", [QUOTA.format("x2x9k"), COUNTED])
@pytest.mark.parametrize(("jobs", "is_told"), [([], False), (["train"], True), (None, True)])
def test_a_job_that_is_gone_with_its_pods(
    tmp_path: Path, message: str, jobs: list[str] | None, *, is_told: bool
) -> None:
    """Where no Job was looked at, it may be there."""
    kinds = healthy()
    kinds["events"] = [of("Job", "train", "FailedCreate", message)]
    if jobs is not None:
        kinds["jobs"] = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ml"}}]
        kinds["jobs"][0]["metadata"]["name"] = jobs[0] if jobs else "another"
    assert bool(told(diagnose(tmp_path, kinds))) is is_told


@pytest.mark.parametrize("mended", [True, False])
def test_a_daemonset_that_names_no_runtime_class_any_more(tmp_path: Path, *, mended: bool) -> None:
    kinds = healthy()
    plugin = device_plugin()
    plugin["metadata"]["namespace"] = "ml"
    if mended:
        del plugin["spec"]["template"]["spec"]["runtimeClassName"]
    kinds["daemonsets"].append(plugin)
    missing = 'Error creating: pods "nvidia-device-plugin-daemonset-" is forbidden: RuntimeClass "nvidia" not found'
    kinds["events"] = [of("DaemonSet", plugin["metadata"]["name"], "FailedCreate", missing)]
    assert [rule for rule, _ in told(diagnose(tmp_path, kinds))] == ([] if mended else ["runtime-class-agrees"])


@pytest.mark.parametrize("mended", [True, False])
def test_a_template_that_was_mended_since(tmp_path: Path, *, mended: bool) -> None:
    """The ReplicaSet of the old template is there with its events, and the new one's pods run."""
    kinds = healthy()
    kinds["events"] = [of("ReplicaSet", "train-5d8f9c7b6", "FailedCreate", COUNTED)]
    if mended:
        kinds["pods"].append(worker("train-7c9d8b5f4-k4k2p", ("ReplicaSet", "train-7c9d8b5f4")))
        kinds["pods"][-1]["status"]["startTime"] = "2025-09-28T04:50:00Z"
    assert [rule for rule, _ in told(diagnose(tmp_path, kinds))] == ([] if mended else ["gpu-quantity"])


def test_what_a_scheduler_said_of_a_pod_before_this_one_of_its_name(tmp_path: Path) -> None:
    kinds = healthy()
    waiting = worker(on="")
    waiting["metadata"]["creationTimestamp"] = "2025-09-28T04:50:00Z"
    words = "0/1 nodes are available: 1 Insufficient memory."
    waiting["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words}],
    }
    kinds["pods"].append(waiting)
    before = words.replace("memory", "cpu")
    kinds["events"] = [of("Pod", "train-0", "FailedScheduling", before)]
    kinds["nodes"][0]["status"]["conditions"][0]["lastHeartbeatTime"] = "2025-09-28T06:00:00Z"
    (found,) = diagnose(tmp_path, kinds).findings
    assert found["message"].endswith("Insufficient memory")
