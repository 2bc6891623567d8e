"""A dump is what kubectl prints: JSON or YAML, a folder, one file, or a pipe."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from nodeworthy.collect.cluster.dump_text import PrintedLogs, without_logs
from tests.cluster import incident
from tests.cluster.dumps import FLEET, diagnose, dumped, the_incident
from tests.run import Ran, run, run_json


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def everything() -> dict[str, Any]:
    """As `kubectl get nodes,pods,… -o json` prints it."""
    folder = dumped()
    items = [each for path in sorted(folder.rglob("*.json")) for each in _items(json.loads(path.read_text()))]
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}


def _items(data: dict[str, Any]) -> list[dict[str, Any]]:
    kind = data.get("kind", "").removesuffix("List")
    own = {"kind": kind, "apiVersion": data.get("apiVersion")} if kind else {}
    return [{**own, **each} for each in data["items"]] if "items" in data else [data]


def as_yaml(data: Any) -> str:
    return yaml.safe_dump(data, sort_keys=True, default_flow_style=False)


def judged(name: str) -> Ran:
    return run_json("diagnose", "--from", name, *FLEET)


def through_a_pipe(text: str, monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    return judged("-")


def one_after_the_other() -> str:
    """As a loop over `kubectl get` prints lists, and `kubectl cluster-info dump` with the logs of containers."""
    texts = [path.read_text() for path in sorted(dumped().rglob("*.json"))]
    name = "container cuda of pod default/gpu-textgen ===="
    log = f"\n==== START logs for {name}\n{{ no JSON [\n==== END logs for {name}\n"
    return log.join(texts)


def test_lists_one_after_the_other_with_logs_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    text = one_after_the_other()
    the_incident(diagnose())
    wanted = diagnose().report["findings"]
    Path("all.txt").write_text(text)
    for ran in (judged("all.txt"), through_a_pipe(text, monkeypatch)):
        assert ran.report["findings"] == wanted


@pytest.mark.parametrize("size", [7, 64, 5_000])
def test_logs_are_left_out_however_the_text_comes(size: int) -> None:
    text = one_after_the_other()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    logs = PrintedLogs()
    kept = "".join(without_logs(pieces, logs))
    assert {whose: set(text.split()) for whose, text in logs.of.items()} == {
        ("default", "gpu-textgen", "cuda"): {"{", "no", "JSON", "["}
    }
    assert "no JSON" not in kept
    assert "====" not in kept
    assert kept.replace("\n", "") == "".join(path.read_text() for path in sorted(Path("dump").rglob("*.json"))).replace(
        "\n", ""
    )


def test_a_must_gather() -> None:
    """One YAML file an object of a cluster or a pod, one list of a kind in a namespace, in the folder of the image."""
    root = Path("must-gather.local.1/quay-io-operator-sha256-0")
    lists: dict[Path, list[dict[str, Any]]] = {}
    for each in everything()["items"]:
        lists.setdefault(root / gathered(each), []).append(each)
    for path, items in lists.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = {"apiVersion": "v1", "kind": "List", "items": items} if len(items) > 1 else items[0]
        path.write_text(f"---\n{as_yaml(whole)}")
    (root / "version").write_text("nvidia/must-gather\n")
    (root.parent / "event-filter.html").write_text("<html></html>")
    the_incident(judged("must-gather.local.1"))


def gathered(data: dict[str, Any]) -> Path:
    metadata, kind = data["metadata"], f"{data['kind'].lower()}s"
    if "namespace" not in metadata:
        return Path("cluster-scoped-resources", "core", kind, f"{metadata['name']}.yaml")
    folder = Path("namespaces", metadata["namespace"])
    if kind == "pods":
        return folder / "pods" / str(metadata["name"]) / f"{metadata['name']}.yaml"
    return folder / "core" / f"{kind}.yaml"


def test_one_file_and_a_pipe_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    data = everything()
    the_incident(diagnose())
    wanted = diagnose().report
    parts = [as_yaml(each) for each in data["items"]]
    for text in (json.dumps(data, indent=4), as_yaml(data), "---\n".join(parts), "".join(parts)):
        Path("all.txt").write_text(text)
        for ran in (judged("all.txt"), through_a_pipe(text, monkeypatch)):
            the_incident(ran)
            assert ran.report["findings"] == wanted["findings"]
            assert ran.report["evaluated"]["objects"] == wanted["evaluated"]["objects"]


def test_a_folder_of_yaml() -> None:
    dumped()
    wanted = diagnose().report["findings"]
    for path in sorted(Path("dump").rglob("*.json")):
        path.with_suffix(".yaml").write_text(as_yaml(json.loads(path.read_text())))
        path.unlink()
    Path("dump/values.yaml").write_text("toolkit: {env: []}\n")
    Path("dump/chart.yaml").write_text("name: {{ .Values.name }}\n")
    ran = diagnose()
    the_incident(ran)
    assert ran.report["findings"] == wanted


def test_yaml_that_breaks_off_is_told() -> None:
    dumped()
    Path("dump/more.yaml").write_text("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: 'Pod\n")
    found = [each for each in diagnose().findings if each["rule"] == "input-readable"]
    assert [(each["where"]["path"], each["verdict"]) for each in found] == [("dump/more.yaml", "error")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1}', "no object of Kubernetes stands in it"),
        ("", "no object of Kubernetes stands in it"),
        ("NAME   READY\npod-1  1/1\n", "no object of Kubernetes stands in it; this is a table"),
        ("NVRM: Xid (PCI:0000:53:00): 79\n", "what is known of a log's lines, nodeworthy explain tells"),
        ("[    9.4] NVRM: Xid 79\n", "what is known of a log's lines, nodeworthy explain tells"),
        ("{", "not JSON"),
        ("a: [\n", "not YAML"),
    ],
)
def test_a_file_that_is_none_is_a_mistake_of_the_call(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("all.json").write_text(text)
    for ran in (run("diagnose", "--from", "all.json"), through_a_pipe_unjudged(text, monkeypatch)):
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert why in ran.err


def through_a_pipe_unjudged(text: str, monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    return run("diagnose", "--from", "-")


def test_an_empty_list_is_an_answer_and_proves_nothing() -> None:
    Path("pods.json").write_text('{"apiVersion": "v1", "items": [], "kind": "List", "metadata": {}}')
    assert run("diagnose", "--from", "pods.json").code == 3


def test_what_is_not_there(tmp_path: Path) -> None:
    assert incident.FLEET
    ran = run("diagnose", "--from", "gone")
    assert (ran.code, ran.err) == (2, "nodeworthy diagnose: gone: there is no such folder and no such file\n")
