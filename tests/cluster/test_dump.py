"""What `--from` reads, in whatever shape people keep it, and how bad input ends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import incident
from tests.cluster.objects import Object, cluster_policy, event, node
from tests.run import Ran, run_json

FLEET = ("--fleet", "Pulumi.onprem.yaml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def dumped(kinds: dict[str, list[Object]] | None = None) -> Path:
    return incident.write(Path("dump"), kinds or incident.incident(), incident.FLEET)


def diagnose(*arguments: str) -> Ran:
    return run_json("diagnose", "--from", "dump", *FLEET, *arguments)


def found(ran: Ran, rule: str) -> list[dict[str, Any]]:
    return [each for each in ran.findings if each["rule"] == rule]


def the_incident(ran: Ran) -> None:
    assert ran.code == 1, ran.err
    assert [(each["rule"], each["verdict"]) for each in ran.findings] == [("containerd-paths", "fail")]
    assert ran.findings[0]["victims"][0] == "Pod/default/gpu-textgen"


def test_file_names_and_folders_do_not_matter() -> None:
    folder = dumped()
    for index, path in enumerate(sorted(folder.glob("*.json"))):
        (folder / f"deep/{index}").mkdir(parents=True)
        path.rename(folder / f"deep/{index}/x.json")
    the_incident(diagnose())


def test_single_objects() -> None:
    folder = dumped({})
    for index, each in enumerate(each for kind in incident.incident().values() for each in kind):
        (folder / f"{index}.json").write_text(json.dumps(each))
    the_incident(diagnose())


def test_one_list_of_everything() -> None:
    dumped({"all": [each for kind in incident.incident().values() for each in kind]})
    the_incident(diagnose())


def test_a_cluster_info_dump() -> None:
    """Typed lists, whose items do not say their kind, and logs of all containers of a pod in one file."""
    folder = dumped({})
    for name, kind, version in (("nodes", "Node", "v1"), ("pods", "Pod", "v1"), ("events", "Event", "v1"),
                                ("daemonsets", "DaemonSet", "apps/v1")):  # fmt: skip
        for namespace in ("default", "gpu-operator"):
            items = [
                bare(each)
                for each in incident.incident()[name]
                if each["metadata"].get("namespace", namespace) == namespace
            ]
            (folder / namespace).mkdir(exist_ok=True)
            written = {
                "kind": f"{kind}List",
                "apiVersion": version,
                "metadata": {"resourceVersion": "1"},
                "items": items,
            }
            (folder / namespace / f"{name}.json").write_text(json.dumps(written, indent=4))
    logs = folder / "gpu-operator/nvidia-container-toolkit-daemonset-bhqw6"
    logs.mkdir()
    head = "==== START logs for container nvidia-container-toolkit-ctr of pod gpu-operator/nvidia-… ====\n"
    (logs / "logs.txt").write_text(head + incident.DIAL)
    ran = diagnose()
    the_incident(ran)
    assert "unable to dial: dial unix /runtime/sock-dir/containerd.sock" in ran.findings[0]["cause"]


def bare(data: Object) -> Object:
    return {name: value for name, value in data.items() if name not in ("kind", "apiVersion")}


def test_a_typed_list_that_names_its_kind_last() -> None:
    folder = dumped()
    items = [bare(each) for each in incident.incident()["pods"]]
    (folder / "pods.json").write_text(json.dumps({"items": items, "kind": "PodList", "apiVersion": "v1"}))
    the_incident(diagnose())


def test_the_newer_events() -> None:
    """events.k8s.io/v1: other names for the same, and a series instead of a count."""
    old = event()
    new = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": old["metadata"],
        "deprecatedCount": 200,
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
        "eventTime": "2025-09-28T03:40:06.218563Z",
        "note": old["message"],
        "reason": old["reason"],
        "regarding": old["involvedObject"],
        "reportingController": "kubelet",
        "reportingInstance": old["source"]["host"],
        "series": {"count": 279, "lastObservedTime": "2025-09-28T04:43:42.000001Z"},
    }
    dumped({**incident.incident(), "events": [new]})
    ran = diagnose()
    the_incident(ran)
    assert "kubelet said 279 times within 64 minutes" in ran.findings[0]["cause"]


def test_the_same_object_twice_counts_once() -> None:
    folder = dumped()
    (folder / "again.json").write_text((folder / "events.json").read_text())
    ran = diagnose()
    the_incident(ran)
    assert "279 times" in ran.findings[0]["cause"]
    assert ran.report["evaluated"]["objects"] == 17


def test_of_the_same_object_the_newer_counts() -> None:
    folder = dumped()
    recovered = json.loads((folder / "pods.json").read_text())
    for each in recovered["items"]:
        if each["metadata"]["name"] == "gpu-textgen":
            each["metadata"]["resourceVersion"] = "9999999"
            each["status"] = {"phase": "Succeeded"}
    (folder / "later.json").write_text(json.dumps(recovered))
    assert "Pod/default/gpu-textgen" not in diagnose().findings[0]["victims"]


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


@pytest.mark.parametrize(
    "written", ['{"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": null}', "List"]
)
def test_an_empty_list_in_any_spelling(written: str) -> None:
    """Go prints an empty slice as null; kubectl's own empty list does not say of what, but its file's name may."""
    kinds = incident.recovered()
    del kinds["events"]
    folder = dumped(kinds)
    if written == "List":
        (folder / "all-events.json").write_text('{"apiVersion": "v1", "items": [], "kind": "List", "metadata": {}}')
    else:
        (folder / "x.json").write_text(written)
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


BROKEN: dict[str, tuple[bytes, str]] = {
    "truncated": (b'{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod"', "not JSON"),
    "binary": (bytes(range(128, 256)), "no text"),
    "empty": (b"", "it is empty"),
    "nested": (b"[" * 200_000, "nested too deeply"),
    "number": (b'{"kind": "Pod", "metadata": ' + b"9" * 5000 + b"}", "not JSON"),
    "two": (b'{"kind": "List"} {"kind": "List"}', "follows the document"),
    "nameless": (b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": []}}', "has no name"),
    "items": (b'{"apiVersion": "v1", "kind": "List", "items": [7, 8, 9]}', "no object"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_and_the_rest_goes_on(name: str) -> None:
    content, why = BROKEN[name]
    (dumped() / "broken.json").write_bytes(content)
    ran = diagnose()
    (error,) = found(ran, "input-readable")
    assert error["verdict"] == "error"
    assert error["where"]["path"] == "dump/broken.json"
    assert why in error["message"]
    assert len(found(ran, "containerd-paths")) == 1


def test_the_place_of_what_is_broken() -> None:
    (dumped() / "broken.json").write_text('{"apiVersion": "v1",\n "kind": "List",\n "items": [\n  {"kind": Pod}]}')
    (error,) = found(diagnose(), "input-readable")
    assert (error["where"]["line"], error["where"]["column"]) == (4, 12)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_nobody_waits_for_a_pipe() -> None:
    folder = dumped()
    logs = folder / "logs/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6"
    logs.mkdir(parents=True)
    os.mkfifo(logs / "nvidia-container-toolkit-ctr.log")
    os.mkfifo(folder / "pipe.json")
    (error,) = found(diagnose(), "input-readable")
    assert error["message"] == "this is no regular file"


def test_what_is_no_object_of_kubernetes_is_passed_over() -> None:
    folder = dumped()
    for index, text in enumerate(
        ('{"a": 1}', "[1, 2]", '"x"', "null", '{"kind": 1, "items": {}}', '{"metadata": {"name": "x"}}')
    ):
        (folder / f"other-{index}.json").write_text(text)
    (folder / "notes.txt").write_text("{")
    the_incident(diagnose())


def test_windows_writes_utf_16() -> None:
    folder = dumped()
    for path in folder.glob("*.json"):
        path.write_text(path.read_text(), encoding="utf-16")
    the_incident(diagnose())


def test_a_folder_that_is_none_ends_with_2() -> None:
    Path("file").write_text("{}")
    for name in ("nowhere", "file"):
        ran = run_json("diagnose", "--from", name)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"nodeworthy diagnose: {name}")


def test_an_empty_folder_proves_nothing() -> None:
    Path("dump").mkdir()
    ran = run_json("diagnose", "--from", "dump")
    assert ran.code == 3
    assert len(found(ran, "looked-at")) == 4


def test_options_of_a_cluster_are_none_of_a_dump() -> None:
    dumped()
    for option in (("--context", "x"), ("--record", "kept")):
        ran = diagnose(*option)
        assert (ran.code, ran.out) == (2, "")
    assert not Path("kept").exists()


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
