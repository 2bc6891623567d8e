"""What `--from` reads, in whatever shape people keep it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cluster import incident
from tests.cluster.dumps import diagnose, dumped, the_incident
from tests.cluster.objects import Object, event


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
