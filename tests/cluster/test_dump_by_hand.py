"""Dumps that were cut down by hand, or written from memory: what little they say is enough where it decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import containerd_of, defaults
from tests.cluster import incident
from tests.cluster.dumps import diagnose, dumped, found, the_incident
from tests.cluster.objects import Object, cluster_policy


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def by_hand(folders: tuple[str, str], pod_status: Object) -> dict[str, list[Object]]:
    """The incident in as few words as it can be told: names, mounts, an event, no label of any GPU."""
    volumes = [{"name": name, "hostPath": {"path": path}} for name, path in zip("cs", folders, strict=True)]
    mounts = [{"name": "c", "mountPath": "/runtime/config-dir/"}, {"name": "s", "mountPath": "/runtime/sock-dir/"}]
    template = {"spec": {"containers": [{"name": "t", "volumeMounts": mounts}], "volumes": volumes}}
    toolkit = {"name": "nvidia-container-toolkit-daemonset", "namespace": "gpu-operator"}
    about = {"kind": "Pod", "name": "gpu-textgen", "namespace": "default"}
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: "
        'no runtime for "nvidia" is configured'
    )
    said = {
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": about,
        "message": message,
        "count": 279,
    }
    waits = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}
    wanted = {"metadata": {"name": "gpu-textgen", "namespace": "default"}, "spec": {"nodeName": "n1"}, "status": waits}
    own = {
        "metadata": {**toolkit, "name": f"{toolkit['name']}-bhqw6"},
        "spec": {"nodeName": "n1"},
        "status": pod_status,
    }
    return {
        "nodes": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}],
        "daemonsets": [
            {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": toolkit, "spec": {"template": template}}
        ],
        "pods": [{"apiVersion": "v1", "kind": "Pod", **each} for each in (wanted, own)],
        "events": [{"apiVersion": "v1", "kind": "Event", **said}],
    }


def test_the_incident_in_as_few_words_as_it_can_be_told() -> None:
    stock = defaults()
    crashing = {"containerStatuses": [{"ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
    dumped(by_hand((str(Path(stock.config).parent), str(Path(stock.socket).parent)), crashing))
    ran = diagnose()
    the_incident(ran)
    assert "279 times" in ran.findings[0]["cause"]
    assert "CrashLoopBackOff" in ran.findings[0]["cause"]


def test_an_object_without_an_api_version_is_known_by_its_kind() -> None:
    kinds = incident.incident()
    for each in kinds["daemonsets"]:
        del each["apiVersion"]
    dumped(kinds)
    the_incident(diagnose())


SCHEDULED: Object = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "s", "namespace": "default"},
    "involvedObject": {"kind": "Pod", "name": "gpu-textgen", "namespace": "default"},
    "reason": "Scheduled",
    "message": "Successfully assigned default/gpu-textgen to n1",
}
MENDED: dict[str, dict[str, Any]] = {
    "containers": {
        "phase": "Running",
        "containerStatuses": [{"ready": True, "restartCount": 14, "state": {"running": {}}}],
    },
    "a phase": {"phase": "Running"},
}


@pytest.mark.parametrize("status", MENDED.values(), ids=MENDED)
def test_the_same_mended(status: Object) -> None:
    dumped(mended(status))
    ran = diagnose("--show-passed")
    assert ran.code == 0, ran.findings
    told = {each["rule"]: each["verdict"] for each in ran.findings}
    assert (told["containerd-paths"], told["toolkit-reaches-containerd"]) == ("pass", "pass")


def mended(toolkit: Object) -> dict[str, list[Object]]:
    right = containerd_of("k8s-snap", incident.BASE_DIR)
    kinds = by_hand((str(Path(str(right.config)).parent), str(Path(str(right.socket)).parent)), toolkit)
    return {**kinds, "events": [SCHEDULED], "pods": kinds["pods"][1:]}


@pytest.mark.parametrize(("phase", "code"), [("Succeeded", 0), ("Pending", 3)])
def test_a_pod_of_the_runtime_that_has_run_proves_the_toolkit(phase: str, code: int) -> None:
    kinds = mended({})
    kinds["pods"][0]["metadata"] = {"name": "gpu-textgen", "namespace": "default"}
    kinds["pods"][0] |= {"spec": {"nodeName": "n1", "runtimeClassName": "nvidia"}, "status": {"phase": phase}}
    dumped(kinds)
    assert diagnose().code == code


def test_a_policy_alone_is_judged_by_the_fleet() -> None:
    dumped({"nodes": by_hand(("/a", "/b"), {})["nodes"], "clusterpolicies": [cluster_policy()]})
    assert {each["verdict"] for each in found(diagnose(), "containerd-paths")} == {"fail", "unknown"}


def test_objects_that_were_cut_down_by_hand_are_understood() -> None:
    """What people leave in a dump that they send: no owners, no selectors, no reporting host."""
    kinds = incident.incident()
    toolkit = kinds["daemonsets"][0]
    del toolkit["spec"]["selector"], toolkit["status"], toolkit["metadata"]["labels"]
    for each in kinds["pods"]:
        each["metadata"].pop("ownerReferences", None)
        each["metadata"].pop("labels")
    about = kinds["events"][0]
    for name in ("source", "reportingInstance", "firstTimestamp", "eventTime"):
        del about[name]
    del about["involvedObject"]["kind"]
    dumped(kinds)
    the_incident(diagnose())


def test_without_its_pods_the_incident_is_one_finding_too() -> None:
    kinds = incident.incident()
    del kinds["pods"]
    for each in kinds["events"]:
        del each["source"], each["reportingInstance"]
    dumped(kinds)
    ran = diagnose()
    assert {each["rule"]: each["verdict"] for each in ran.findings} == {
        "containerd-paths": "fail",
        "looked-at": "unknown",
    }
    (cause,) = found(ran, "containerd-paths")
    assert cause["victims"] == ["Pod/default/gpu-textgen"]
