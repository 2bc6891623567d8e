"""Rules of one's own judge as ours do, and what is wrong with one is told as its own error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.own_rules.texts import PINNED, RULE, cases, rules, values
from tests.run import run, run_json

BODY = RULE.partition("    version = ")[0]


@pytest.fixture
def ours(here: Path) -> Path:
    rules(here / "gpu_rules")
    values(here)
    return here


def test_it_judges_where_it_is_named(ours: Path) -> None:
    assert run("check", ".").code == 0
    ran = run_json("check", ".", "--rules", "gpu_rules")
    assert ran.code == 1
    (found,) = (each for each in ran.findings if each["rule"] == PINNED)
    assert (found["is"], found["should"]) == ("latest", "a released version")
    assert found["remedy"] == "set toolkit.version to a released version"
    (ours / ".nodeworthy.yaml").write_text("rules: gpu_rules\n")
    assert run("check", ".").code == 1
    assert run("check", ".", "--no-settings").code == 0


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "markdown", "html"])
def test_every_report_shows_it(ours: Path, form: str) -> None:
    assert PINNED in run("check", ".", "--rules", "gpu_rules", "--format", form).out


def test_it_is_listed_and_explained(ours: Path) -> None:
    assert PINNED not in run("rules").out
    assert "(your own)" in next(
        line for line in run("rules", "--rules", "gpu_rules").out.splitlines() if PINNED in line
    )
    data = json.loads(run("rules", "--rules", "gpu_rules", "--format", "json").out)
    assert [each["id"] for each in data["rules"] if each["own"]] == [PINNED]
    assert run("explain", PINNED).code == 2
    (ours / ".nodeworthy.yaml").write_text("rules: gpu_rules\n")
    assert "two nodes that were built on two days" in run("explain", PINNED).out


def test_it_is_chosen_left_out_suppressed_and_baselined(ours: Path) -> None:
    (ours / ".nodeworthy.yaml").write_text("rules: gpu_rules\n")
    assert run("check", ".", "--rule", PINNED).code == 1
    assert run("check", ".", "--skip-rule", PINNED).code == 0
    values(ours, f"latest}} # nodeworthy: ignore {PINNED} we pin by digest\n#")
    ran = run_json("check", ".", "--strict")
    assert (ran.code, ran.report["summary"]["suppressed"]) == (0, 1), ran.findings
    values(ours)
    assert run("baseline").code == 0
    assert run("check", ".").code == 0


def test_its_bad_cases_are_not_findings(ours: Path) -> None:
    values(ours, "v1.19.0")
    cases(ours / "gpu_rules")
    ran = run_json("check", ".", "--rules", "gpu_rules")
    assert (ran.code, ran.report["evaluated"]["excluded"]) == (0, 4)


def test_a_change_of_it_is_seen(
    ours: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr("nodeworthy.collect.source.cache_stamps.COARSEST_NS", -60_000_000_000)
    assert run("check", ".", "--rules", "gpu_rules").code == 1
    rules(ours / "gpu_rules", RULE.replace('== "latest"', '== "newest"'))
    assert run("check", ".", "--rules", "gpu_rules").code == 0


def test_files_of_it_share_what_begins_with_an_underscore(ours: Path) -> None:
    rules(ours / "gpu_rules", 'MOVING = "latest"\n', "_names")
    text = RULE.replace('"latest"', "MOVING").replace(
        "from nodeworthy.rule import", "from ._names import MOVING\nfrom nodeworthy.rule import"
    )
    rules(ours / "gpu_rules", text)
    assert run("check", ".", "--rules", "gpu_rules").code == 1
    assert not (ours / "gpu_rules" / "__pycache__").exists()


NOT_LOADED = {
    "no Python": ("RULE = Rule(\n", "SyntaxError"),
    "an exception": ("raise ValueError('x')\n", "ValueError: x"),
    "an end of the program": ("raise SystemExit(0)\n", "SystemExit: 0"),
    "no rule": ("x = 1\n", "it has no RULE"),
    "another id": (RULE.replace(f'"{PINNED}"', '"another"'), "file and id must agree"),
    "no check": (RULE.replace("@RULE.check", ""), "it has no check"),
    "a fact that does not exist": (RULE.replace("values: OperatorValues", "values: Nothing"), "NameError"),
    "a severity that is none": (RULE.replace("Severity.ERROR", '"high"'), "its severity is not"),
    "about ourselves": (RULE.replace("    remedy=", "    about_ourselves=True,\n    remedy="), "only ours can be"),
}


@pytest.mark.parametrize(("text", "why"), NOT_LOADED.values(), ids=NOT_LOADED)
def test_one_that_can_not_be_loaded_is_an_error_and_the_others_judge(ours: Path, text: str, why: str) -> None:
    rules(ours / "gpu_rules", text)
    rules(ours / "gpu_rules", RULE.replace(PINNED, "another-one"), "another_one")
    ran = run_json("check", ".", "--rules", "gpu_rules")
    assert ran.code == 1
    (told,) = (each for each in ran.report["findings"] if each["verdict"] == "error")
    assert told["rule"] == "rule-crashed"
    assert why in told["message"]
    assert PINNED in told["message"]
    assert told["where"]["path"] == "gpu_rules/toolkit_version_pinned.py"
    values(ours, "v1.19.0")
    assert run("check", ".", "--rules", "gpu_rules", "--allow-unknown").code == 3
    assert run("check", ".", "--rules", "gpu_rules", "--rule", "another-one").code == 0


CRASHES = {
    "an exception": "    raise KeyError('x')\n    yield\n",
    "an end of the program": "    raise SystemExit(0)\n    yield\n",
    "a truth": "    return False\n",
    "what is no finding": "    yield 'wrong'\n",
    "a message that is none": "    yield fail(values, 7)\n",
    "a place that is none": "    yield fail(values, 'wrong', related=['here'])\n",
}


@pytest.mark.parametrize("body", CRASHES.values(), ids=CRASHES)
@pytest.mark.parametrize("form", ["json", "html"])
def test_one_that_crashes_is_an_error(ours: Path, body: str, form: str) -> None:
    rules(ours / "gpu_rules", BODY + body)
    ran = run("check", ".", "--rules", "gpu_rules", "--format", form)
    assert ran.code == 3, ran.err
    assert f"the rule {PINNED} crashed here" in ran.out


def test_what_it_prints_is_not_in_the_report(ours: Path) -> None:
    text = RULE.replace("    version = ", "    print('looking')\n    version = ")
    rules(ours / "gpu_rules", f"{text}\nprint('loaded')\n")
    ran = run_json("check", ".", "--rules", "gpu_rules")
    assert (ran.code, ran.report["summary"]["fail"]) == (1, 1)
    assert ran.err == "loaded\nlooking\n"


def test_what_it_found_before_it_knew_no_more_is_told(ours: Path) -> None:
    rules(ours / "gpu_rules", f'{RULE}    need(values.tree.get("driver", "image").located())\n')
    (ours / "values.yaml").write_text("driver: {image: !vault d}\ntoolkit: {version: latest, env: []}\n")
    ran = run_json("check", ".", "--rules", "gpu_rules", "--rule", PINNED)
    assert (ran.code, sorted(each["verdict"] for each in ran.findings)) == (1, ["fail", "unknown"])


def test_where_it_crashed_is_said(ours: Path) -> None:
    rules(ours / "gpu_rules", f"{RULE}    raise KeyError('x')\n")
    assert (
        "KeyError: 'x' (it_is_a_released_version, line 25)"
        in run("check", ".", "--rules", "gpu_rules", "--format", "json").out
    )


def test_an_id_of_ours_is_refused(ours: Path) -> None:
    rules(ours / "gpu_rules", RULE, "containerd_paths")
    ran = run("check", ".", "--rules", "gpu_rules")
    assert (ran.code, ran.out) == (2, "")
    assert "there is a rule 'containerd-paths' already" in ran.err


def test_a_folder_that_is_not_there(ours: Path) -> None:
    assert run("check", ".", "--rules", "gone").code == 2


def test_nothing_is_run_that_nobody_named(here: Path) -> None:
    values(here, "v1.19.0")
    for folder in ("rules", "nodeworthy_rules", ".nodeworthy"):
        rules(here / folder, "open('ran', 'w')\n", "evil")
    assert run("check", ".").code == 0
    assert not (here / "ran").exists()
