"""HAMi under a name and labels of one's own, an installation beside another, and what of it was not read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.case_files import whole
from tests.run import Ran, run_json

WELL = whole("hami-installed-once/good-cluster-well") / "dump"
Kinds = dict[str, list[dict[str, Any]]]


def well() -> Kinds:
    files = {path.stem.removeprefix("hami-"): path for path in WELL.glob("*.json")}
    return {name: json.loads(path.read_text(encoding="utf-8"))["items"] for name, path in files.items()}


def written(folder: Path, kinds: Kinds) -> Path:
    (folder / "dump").mkdir(parents=True)
    for name, items in kinds.items():
        (folder / "dump" / f"{name}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return folder


def diagnose(folder: Path, *rules: str) -> Ran:
    chosen = [word for rule in rules for word in ("--rule", rule)]
    return run_json("diagnose", "--from", "dump", *chosen, "--show-passed", cwd=folder)


def verdicts(ran: Ran, rule: str) -> set[str]:
    return {each["verdict"] for each in ran.findings if each["rule"] == rule}


def called_otherwise(kinds: Kinds, name: str, namespace: str) -> Kinds:
    """The same release under a name of one's own, with labels of one's own."""
    theirs = {kind: [each for each in items if "hami" in each["metadata"]["name"]] for kind, items in kinds.items()}
    text = json.dumps(theirs)
    text = text.replace("hami-scheduler-", f"{name}-sched-").replace("hami-device-plugin", f"{name}-nodes")
    found: Kinds = json.loads(text.replace('"hami-system"', f'"{namespace}"'))
    for items in found.values():
        for each in items:
            own = each["metadata"]
            own["name"] = own["name"].replace("hami-scheduler", f"{name}-sched").replace("hami", name)
            own["labels"] = {"team": "platform", "app": "hands-out" if "nodes" in own["name"] else "places"}
            template = each.get("spec", {}).get("template", {})
            if "metadata" in template:
                template["metadata"]["labels"] = own["labels"]
            if each["kind"] == "Service":
                each["spec"]["selector"] = own["labels"]
            if each["kind"] == "EndpointSlice":
                own["labels"] = {"kubernetes.io/service-name": own["name"].removesuffix("-abcde")}
    for each in found["mutatingwebhookconfigurations"]:
        each["webhooks"][0]["clientConfig"]["service"]["name"] = f"{name}-sched"
    return found


def test_alone_under_a_name_of_ones_own(tmp_path: Path) -> None:
    kinds = well()
    own = called_otherwise(kinds, "gpushare", "sharing")
    others = {kind: [each for each in items if "hami" not in each["metadata"]["name"]] for kind, items in kinds.items()}
    ran = diagnose(written(tmp_path, {kind: [*others[kind], *own[kind]] for kind in kinds}))
    assert verdicts(ran, "hami-installed-once") == {"pass"}
    assert verdicts(ran, "hami-components-healthy") == {"pass"}


@pytest.mark.parametrize("namespace", ["sharing", "hami-system"])
def test_beside_one_that_is_labelled(tmp_path: Path, namespace: str) -> None:
    kinds = well()
    own = called_otherwise(kinds, "hami-old", namespace)
    ran = diagnose(written(tmp_path, {kind: [*items, *own[kind]] for kind, items in kinds.items()}))
    (found,) = [each for each in ran.findings if each["rule"] == "hami-installed-once"]
    assert (found["verdict"], found["message"]) == ("fail", "HAMi is installed 2 times")


@pytest.mark.parametrize("kind", ["prometheuses", "servicemonitors"])
def test_what_measures_it_was_asked_for_and_not_saved(tmp_path: Path, kind: str) -> None:
    kinds = well()
    del kinds[kind]
    written(tmp_path, kinds)
    assert verdicts(diagnose(tmp_path, "hami-measured"), "hami-measured") == {"unknown"}
    assert verdicts(diagnose(tmp_path), "hami-measured") <= {"skip"}


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("metrics-fit-their-disk", "prometheuses"),
        ("database-replicated", "statefulsets"),
        ("one-driver", "clusterpolicies"),
        ("operator-release-works", "clusterpolicies"),
    ],
)
def test_a_rule_that_was_asked_for_whose_kind_nobody_saved(tmp_path: Path, rule: str, kind: str) -> None:
    kinds = well()
    kinds.pop(kind, None)
    ran = diagnose(written(tmp_path, kinds), rule)
    assert (ran.code, verdicts(ran, rule)) == (3, {"unknown"})


def test_a_pod_that_waits_for_nodes_that_nobody_saved(tmp_path: Path) -> None:
    kinds = well()
    waits = copy.deepcopy(next(each for each in kinds["pods"] if each["metadata"]["name"] == "trainer"))
    waits["metadata"]["name"] = "waits"
    waits["metadata"]["annotations"] = {}
    del waits["spec"]["nodeName"]
    waits["status"] = {"phase": "Pending"}
    kinds["pods"].append(waits)
    del kinds["nodes"]
    ran = diagnose(written(tmp_path, kinds), "hami-capacity-adds-up")
    (found,) = [each for each in ran.findings if each["verdict"] == "unknown" and each["rule"].startswith("hami-cap")]
    assert found["where"]["object"] == "Pod/research/waits"
    assert "no nodes are in what was read" in found["message"]
