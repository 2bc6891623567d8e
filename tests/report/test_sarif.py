"""Findings as SARIF, valid by the schema of its makers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from nodeworthy.report import sarif
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.verdict import Place, Verdict
from tests.case_files import whole
from tests.run import run
from tests.work import calls

from .reports import DISKS, PATHS, finding, hostile, judged, many, one_of_each, report

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA)
INCIDENT = whole("containerd-paths/bad-source-incident")


def rendered(made: Report, **options: Any) -> dict[str, Any]:
    log = json.loads(sarif.render(made, **options))
    VALIDATOR.validate(log)
    (only,) = log["runs"]
    run_of_it: dict[str, Any] = only
    return run_of_it


def test_a_failure_is_a_result_an_unknown_an_open_one_an_error_a_notification() -> None:
    told = rendered(one_of_each())
    assert [(each["ruleId"], each["kind"], each["level"]) for each in told["results"]] == [
        ("disks-encrypted", "fail", "warning"),
        ("containerd-paths", "fail", "error"),
        ("containerd-paths", "fail", "error"),
        ("containerd-paths", "fail", "error"),
        ("containerd-paths", "open", "none"),
    ]
    assert [each.get("suppressions") for each in told["results"]].count([{"kind": "inSource"}]) == 1
    assert [each.get("properties") for each in told["results"]].count({"simulated": True}) == 1
    (invocation,) = told["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [each["associatedRule"]["id"] for each in invocation["toolExecutionNotifications"]] == ["rule-crashed"]


def test_rules_come_with_their_page() -> None:
    told = rendered(one_of_each())
    rules = told["tool"]["driver"]["rules"]
    assert [(each["id"], each["defaultConfiguration"]["level"]) for each in rules] == [
        ("containerd-paths", "error"),
        ("disks-encrypted", "warning"),
        ("rule-crashed", "error"),
    ]
    assert "**Remedy:** encrypt them" in rules[1]["help"]["markdown"]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in told["results"])


def test_a_rule_names_the_address_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    page = rendered(report(judged(finding())))["tool"]["driver"]["rules"][0]["helpUri"]
    assert Path(page.removeprefix("file://")).read_text(encoding="utf-8").count(f"# {PATHS.id}") == 1
    monkeypatch.setattr(sarif, "documentation", lambda: "https://docs.example.com/nodeworthy/")
    page = rendered(report(judged(finding())))["tool"]["driver"]["rules"][0]["helpUri"]
    assert page == f"https://docs.example.com/nodeworthy/rules/{PATHS.id}.html"


def test_places() -> None:
    told = rendered(report(judged(finding())), below="deploy")
    (result,) = told["results"]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/values.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 6, "startColumn": 14},
    }
    assert place["logicalLocations"] == [{"fullyQualifiedName": "toolkit.env", "kind": "member"}]
    assert result["relatedLocations"][0]["message"]["text"] == "the pool runs k8s-snap"


@pytest.mark.parametrize(
    ("path", "uri"), [("/etc/a b", "file:///etc/a%20b"), ("a#b?.yaml", "a%23b%3F.yaml"), ("é\udcff", "%C3%A9%FF")]
)
def test_a_path_is_a_uri(path: str, uri: str) -> None:
    (result,) = rendered(report(judged(finding(where=Place(path=path)))))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_what_is_in_no_file_is_named() -> None:
    (result,) = rendered(report(judged(finding(where=Place(host="gpu-7")))))["results"]
    assert result["locations"] == [{"logicalLocations": [{"fullyQualifiedName": "gpu-7", "kind": "host"}]}]


def test_what_passed_and_was_skipped_is_listed_when_asked_for() -> None:
    kinds = [each["kind"] for each in rendered(one_of_each(), asked=ReportOptions(show_passed=True))["results"]]
    assert kinds[-2:] == ["pass", "notApplicable"]
    kinds = [each["kind"] for each in rendered(one_of_each(), asked=ReportOptions(show_skipped=True))["results"]]
    assert kinds.count("notApplicable") == 1
    assert "pass" not in kinds


def test_an_unknown_of_a_warning_is_listed_when_asked_for() -> None:
    made = report(judged(), judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert rendered(made)["results"] == []
    for asked in (ReportOptions(show_unknown=True), ReportOptions(strict=True)):
        assert [each["kind"] for each in rendered(made, asked=asked)["results"]] == ["open"]


def test_an_empty_run_did_not_succeed() -> None:
    told = rendered(report())
    assert told["results"] == []
    assert told["invocations"][0]["executionSuccessful"] is False
    assert "nothing is proven" in told["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_hostile_words_stay_words() -> None:
    rendered(report(judged(hostile()), judged(hostile(Verdict.ERROR))), asked=ReportOptions(show_passed=True))
    assert sarif.render(report(judged(hostile()))).encode("utf-8")


def test_a_real_run() -> None:
    ran = run("check", ".", "--format", "sarif", "--show-passed", cwd=INCIDENT)
    assert ran.code == 1
    VALIDATOR.validate(json.loads(ran.out))


def test_ten_times_the_findings_are_ten_times_the_work() -> None:
    few, very_many = many(200), many(2_000)
    assert calls(lambda: sarif.render(very_many)) < 11 * calls(lambda: sarif.render(few))
