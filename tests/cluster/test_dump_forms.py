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


def test_one_file_and_a_pipe_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    data = everything()
    the_incident(diagnose())
    wanted = diagnose().report
    for text in (json.dumps(data, indent=4), as_yaml(data), "---\n".join(as_yaml(each) for each in data["items"])):
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
        ("NAME   READY\npod-1  1/1\n", "no object of Kubernetes stands in it"),
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
