"""Names that would be something else to a shell, to YAML, to TOML or to MIME stay what they are."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.userdata.families import NODE_CONFIG, parts_of, plan_of
from tests.userdata.machine import Machine
from userdata import boot_script
from userdata.script import Step, script

HOSTILE = [
    "$HOME",
    "$(touch owned)",
    "`touch owned`",
    "it's",
    'say "hello"',
    "a b  c",
    "a;b&c|d>e",
    "back\\slash",
    "*",
    "~",
    "#comment",
    "-n",
    "two\nlines",
    "",
    "{a: b}",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_variable_holds_what_it_was_given(value: str, tmp_path: Path) -> None:
    text = script(["a title"], [Step("a step", ("true",), "log", {"GIVEN": value})])
    block = text.partition("\nmain() {")[0] + '\nprintf %s "$GIVEN"'
    told = subprocess.run(["bash"], input=block, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert told.stdout == value
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", HOSTILE)
def test_bootstrap_is_called_with_what_it_was_given(value: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    plan = plan_of("al2-cpu")
    hostile = replace(plan, labels={"label": value}, told=replace(plan.told, cluster=value))
    assert machine.boots(boot_script.of(hostile)).code == 0
    [call] = [call for call in machine.calls if call[0] == "bootstrap.sh"]
    assert call[1] == value
    assert call[-1] == f"--node-labels=label={value}"
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.parametrize("value", HOSTILE)
def test_a_node_config_says_what_it_was_given(value: str) -> None:
    plan = plan_of("al2023-cpu")
    hostile = replace(plan, labels={"label": value}, told=replace(plan.told, cluster=value))
    spec = yaml.safe_load(parts_of(boot_script.of(hostile))[NODE_CONFIG])["spec"]
    assert spec["cluster"]["name"] == value
    assert spec["kubelet"]["flags"] == [f"--node-labels=label={value}"]


@pytest.mark.parametrize("value", HOSTILE)
def test_settings_say_what_they_were_given(value: str) -> None:
    plan = plan_of("bottlerocket-cpu")
    hostile = replace(plan, labels={"a label": value}, told=replace(plan.told, cluster=value))
    settings = tomllib.loads(boot_script.of(hostile))["settings"]["kubernetes"]
    assert (settings["cluster-name"], settings["node-labels"]) == (value, {"a label": value})


@pytest.mark.parametrize("name", ["a\nrm -rf /", "a\r\n\r\n--==NODE==--", "$(touch owned)"])
def test_a_name_stays_in_its_comment(name: str) -> None:
    text = boot_script.of(replace(plan_of("al2023-h100"), pool=name, stack=name))
    lines = [line for line in text.splitlines() if "of pool a" in line or "of pool $" in line]
    assert len(lines) == 3
    assert all(line.startswith("# ") for line in lines)
    assert len(parts_of(text)) == 3
