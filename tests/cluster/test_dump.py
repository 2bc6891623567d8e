"""What a dump has and has not, and what a diagnosis makes of it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from nodeworthy.collect.cluster.pod_logs import WantedLog
from nodeworthy.collect.cluster.recording import Recording
from tests.cluster import incident
from tests.cluster.dumps import diagnose, dumped, found, the_incident
from tests.cluster.objects import cluster_policy, event, node


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_somebody_elses_cluster_policy_is_none_of_ours() -> None:
    kyverno = {**cluster_policy(), "apiVersion": "kyverno.io/v1"}
    kyverno["spec"] = {"toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": "unix:///nonsense"}]}}
    dumped({**incident.incident(), "clusterpolicies": [kyverno]})
    assert found(diagnose(), "toolkit-env-wellformed") == []


@pytest.mark.parametrize("kind", ["nodes", "pods", "events", "daemonsets"])
def test_without_a_core_kind_a_diagnosis_is_blind(kind: str) -> None:
    kinds = incident.recovered()
    del kinds[kind]
    dumped(kinds)
    ran = diagnose("--allow-unknown")
    assert [each["where"]["subject"] for each in found(ran, "looked-at")] == [kind]
    assert ran.code == 0
    assert diagnose().code == 3


def test_an_empty_list_is_something_that_was_looked_at() -> None:
    dumped({**incident.recovered(), "events": []})
    assert (diagnose().code, diagnose().findings) == (0, [])


def test_a_pod_of_a_namespace_that_was_not_dumped_is_a_victim() -> None:
    kinds = incident.incident()
    kinds["pods"] = [each for each in kinds["pods"] if each["metadata"]["namespace"] != "default"]
    dumped(kinds)
    the_incident(diagnose())


def test_a_pod_that_is_gone_is_none() -> None:
    dumped({**incident.incident(), "events": [event("gone-before-we-looked")]})
    assert diagnose().findings[0]["victims"] == [
        "Pod/default/gpu-textgen",
        "Pod/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6",
    ]


def test_another_kind_that_is_missing_is_skipped_unless_asked_for() -> None:
    kinds = incident.recovered()
    del kinds["clusterpolicies"]
    dumped(kinds)
    assert diagnose().code == 0
    asked = diagnose("--rule", "toolkit-env-wellformed")
    assert asked.code == 3
    assert [each["verdict"] for each in asked.findings] == ["unknown"]


def test_one_namespace_only() -> None:
    dumped()
    assert diagnose("--namespace", "gpu-operator").findings[0]["victims"] == [
        "Pod/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6"
    ]
    elsewhere = diagnose("--namespace", "default")
    (symptom,) = found(elsewhere, "toolkit-reaches-containerd")
    assert (symptom["verdict"], symptom["victims"]) == ("fail", ["Pod/default/gpu-textgen"])
    assert "whether a toolkit brings it was not seen" in symptom["message"]


def test_pods_that_run_on_no_node_of_the_dump() -> None:
    dumped({**incident.incident(), "nodes": []})
    ran = diagnose()
    assert ("looked-at", "unknown") in [(each["rule"], each["verdict"]) for each in ran.findings]
    assert "no toolkit brings it" not in ran.out


def test_a_toolkit_whose_selector_fits_no_node_does_not_run_there() -> None:
    second = json.loads(json.dumps(incident.incident()["daemonsets"][0]))
    second["metadata"]["name"] = "nvidia-container-toolkit-daemonset-old"
    second["spec"]["template"]["spec"]["nodeSelector"] = {"site": "closed"}
    kinds = incident.incident()
    dumped({**kinds, "daemonsets": [*kinds["daemonsets"], second]})
    the_incident(diagnose())


def test_an_annotation_suppresses_with_a_reason() -> None:
    kinds = incident.incident()
    kinds["daemonsets"][0]["metadata"]["annotations"] = {
        "nodeworthy/ignore.containerd-paths": "being replaced this week"
    }
    dumped(kinds)
    ran = diagnose()
    assert ran.code == 0
    assert [each["suppressed"] for each in ran.findings] == [True]


def test_nodes_without_a_name_of_their_pool_are_named() -> None:
    dumped({**incident.recovered(), "nodes": [node(labels={"nodeworthy/pool": "h100"})]})
    (unknown,) = diagnose().findings
    assert unknown["rule"] == "containerd-paths"
    assert "its label nodeworthy/pool names 'h100'" in unknown["cause"]
    assert "onprem" in unknown["cause"]


def test_a_recording_is_for_its_owner_alone(tmp_path: Path) -> None:
    recording = Recording(str(tmp_path / "kept"), None)
    recording.log(WantedLog("gpu", "toolkit-x", "toolkit", previous=False), "said\n")
    recording.finish()
    kept = sorted((tmp_path / "kept").rglob("*"))
    assert {stat.S_IMODE(each.stat().st_mode) for each in kept if each.is_file()} == {0o600}
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    assert [each.name for each in kept if each.is_file()] == ["toolkit.log", "recording.json"]
