"""What `kubectl describe` prints is read as far as it tells, and of what it does not tell nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster.described import Descriptions, is_described
from nodeworthy.collect.cluster.dump_text import Unreadable
from nodeworthy.verdict import Place
from tests.case_files import whole
from tests.run import run, run_json

NODE_AND_POD = (whole("pending-explained/bad-cluster-described") / "described.txt").read_text()
DRIVER_AND_SET = (whole("gpu-stack-settled/bad-cluster-described") / "described.txt").read_text()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str) -> list[Any]:
    return [each.data for each in Descriptions().read([text], Place("described.txt"))]


def of_kind(kind: str, text: str) -> Any:
    return next(each for each in read(text) if each["kind"] == kind)


def test_a_node_is_read() -> None:
    node = of_kind("Node", NODE_AND_POD)
    assert node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == "g6.xlarge"
    assert node["metadata"]["creationTimestamp"] == "2026-09-01T10:00:00Z"
    assert node["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "node.cluster.x-k8s.io/uninitialized", "value": "", "effect": "NoSchedule"},
    ]
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "1"
    assert node["status"]["nodeInfo"]["containerRuntimeVersion"] == "containerd://2.1.4"
    ready = node["status"]["conditions"][-1]
    assert (ready["type"], ready["status"], ready["lastTransitionTime"]) == ("Ready", "True", "2026-09-01T10:01:00Z")


def test_a_pod_is_read() -> None:
    pod = of_kind("Pod", NODE_AND_POD)
    assert (pod["metadata"]["namespace"], pod["metadata"]["name"], pod["spec"]["nodeName"]) == ("ml", "train-0", "")
    assert pod["metadata"]["ownerReferences"] == [{"kind": "Job", "name": "train", "controller": True}]
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    assert pod["spec"]["tolerations"] == [
        {"operator": "Exists", "key": "nvidia.com/gpu", "effect": "NoSchedule"},
        {"operator": "Exists", "key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
    ]
    assert pod["status"]["phase"] == "Pending"


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("op=Exists", {"operator": "Exists"}),
        ("dedicated=gpu:NoSchedule", {"operator": "Equal", "key": "dedicated", "value": "gpu", "effect": "NoSchedule"}),
        ("dedicated:NoExecute op=Exists for 300s", {"operator": "Exists", "key": "dedicated", "effect": "NoExecute"}),
    ],
)
def test_tolerations_are_read_in_each_of_their_forms(written: str, read_as: dict[str, str]) -> None:
    text = NODE_AND_POD.replace("nvidia.com/gpu:NoSchedule op=Exists", written)
    assert of_kind("Pod", text)["spec"]["tolerations"][0] == read_as


def test_what_a_container_did_is_read() -> None:
    pod = of_kind("Pod", DRIVER_AND_SET)
    (status,) = pod["status"]["containerStatuses"]
    assert status["state"] == {"waiting": {"reason": "ImagePullBackOff"}}
    assert status["lastState"]["terminated"]["exitCode"] == 1
    assert status["restartCount"] == 1
    (first,) = pod["status"]["initContainerStatuses"]
    assert first["state"]["terminated"]["reason"] == "Completed"
    assert pod["spec"]["nodeName"] == "edge-1"


def test_the_ages_of_events_count_from_when_it_was_printed() -> None:
    """Its first event is as old as the pod; and one that comes again and again has lasted."""
    first, last = (each for each in read(DRIVER_AND_SET) if each["kind"] == "Event" and "nvidia" in each["message"])
    assert (first["lastTimestamp"], first["count"]) == ("2026-09-01T08:18:00Z", 7)
    assert (last["firstTimestamp"], last["reason"], last["type"]) == ("2026-09-01T08:15:00Z", "Failed", "Warning")


def test_an_object_is_read_by_its_fields() -> None:
    found = of_kind("LeaderWorkerSet", DRIVER_AND_SET)
    assert found["apiVersion"] == "leaderworkerset.x-k8s.io/v1"
    assert found["metadata"] == {
        "creationTimestamp": "2026-09-01T06:00:00Z",
        "generation": "1",
        "name": "llama",
        "namespace": "serve",
        "labels": {},
    }
    template = found["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]
    assert template["containers"] == [
        {"image": "registry.example.org/serve:3", "name": "serve", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    ]
    assert [each["type"] for each in found["status"]["conditions"]] == ["Available", "Progressing"]


def test_what_is_indented_or_follows_a_prompt_is_read() -> None:
    indented = "".join(f"    {line}\n" for line in NODE_AND_POD.splitlines())
    assert [each["kind"] for each in read(indented)] == [each["kind"] for each in read(NODE_AND_POD)]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (NODE_AND_POD, True),
        (DRIVER_AND_SET, True),
        ("apiVersion: v1\nkind: Pod\nName:  x\nLabels:  a\n", False),
        ("Name: nobody's\n", False),
        ("kind: List\nitems: []\n", False),
    ],
)
def test_a_description_is_told_from_yaml(text: str, *, is_one: bool) -> None:
    assert is_described(text) is is_one


def test_of_nodes_that_nobody_counts_there_may_be_more() -> None:
    """So that no pod waits for want of what they have, as far as this tells."""
    Path("all.txt").write_text(NODE_AND_POD.replace("0/1 nodes", "0/3 nodes"))
    told = {each["rule"]: each["verdict"] for each in run_json("diagnose", "--from", "all.txt").report["findings"]}
    assert told["pending-explained"] == "unknown"


@pytest.mark.parametrize(
    ("written", "instead"),
    [("nvidia.com/gpu  0          0", "nvidia.com/gpu  1          1"), ("kube-proxy-2x9kf ", "nvidia-device-plugin-x")],
)
def test_who_holds_gpus_or_offers_them_and_is_not_described_is_not_taken_for_absent(written: str, instead: str) -> None:
    Path("all.txt").write_text(NODE_AND_POD.replace(written, instead))
    told = {each["rule"]: each["verdict"] for each in run_json("diagnose", "--from", "all.txt").report["findings"]}
    assert told["pending-explained"] == "unknown"


def test_in_a_folder_descriptions_stand_beside_what_kubectl_got() -> None:
    """As sos calls files: by the command."""
    folder = Path("sos_commands/kubernetes")
    folder.mkdir(parents=True)
    (folder / "kubectl_describe_pod").write_text(DRIVER_AND_SET)
    (folder / "kubectl_get_-o_json_nodes").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    (folder / "kubectl_get_-o_yaml_events").write_text("apiVersion: v1\nkind: List\nitems: []\n")
    (folder / "kubectl_describe_nothing").write_text("No resources found\n")
    ran = run_json("diagnose", "--from", ".")
    told = [each["message"] for each in ran.report["findings"] if each["verdict"] == "fail"]
    assert any("the driver (nvidia-driver-daemonset) does not run" in each for each in told), ran.out


@pytest.mark.parametrize(
    "text",
    [
        "Name:  x\nLabels:  a\nAPI Version:  v1\nKind:  Pod\nSpec:\n"
        + "".join(f"{'  ' * depth}A:\n" for depth in range(1, 3000)),
        "Name:  x\nNode:  y\nStatus:  Pending\nLabels:  a\nContainers:\nEvents:\n  Warning  A  99999y  b  c\n",
        "Name:  x\nAllocatable:\nTaints:\nLabels:  a\nCreationTimestamp:  Mon, 01 Jan 0001 00:00:00 +1400\n",
        "Name:  x\nNode:  y\nStatus:  \nLabels:  a\nContainers:\n  c:\n    Restart Count:  99999999999999999999\n",
    ],
)
def test_nonsense_is_no_fault_of_ours(text: str) -> None:
    Path("all.txt").write_text(text)
    assert "a fault of nodeworthy's own" not in run("diagnose", "--from", "all.txt").err


def test_what_is_far_too_long_is_said() -> None:
    with pytest.raises(Unreadable, match="larger than 16 MiB"):
        list(Descriptions().read(["Name:  x\n" * 1000] * 2000, Place("described.txt")))
