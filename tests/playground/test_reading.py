"""What the playground does with what was pasted: the commands that it runs, what it refuses, what a link carries."""

from __future__ import annotations

import base64
import importlib
import json
import tomllib
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.tree import ROOT
from tests.run import run

PLAYGROUND = ROOT / "tools" / "playground"
EXAMPLES = tomllib.loads((PLAYGROUND / "examples.toml").read_text(encoding="utf-8"))["example"]
SCRIPT = "#!/bin/bash\n/etc/eks/bootstrap.sh gpu-dev\nmkfs.ext4 /dev/nvme1n1\n"
KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET = f"#!/bin/bash\nexport AWS_ACCESS_KEY_ID={KEY}\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PLAYGROUND))
    return importlib.import_module("reading")


def commands(said: dict[str, Any], section: str) -> list[str]:
    return [each["command"] for each in said[section]]


def test_a_boot_script_has_a_timeline_and_is_judged(reading: Any) -> None:
    said = json.loads(reading.read(SCRIPT, "user-data.sh"))
    assert commands(said, "timeline") == ["nodeworthy boot user-data.sh"]
    assert "joins" in said["timeline"][0]["out"]
    assert commands(said, "findings") == ["nodeworthy check user-data.sh"]


def test_what_it_says_is_what_the_program_says(reading: Any, tmp_path: Path) -> None:
    (tmp_path / "user-data.sh").write_text(SCRIPT)
    for section, command in (("timeline", "boot"), ("findings", "check")):
        told = run(command, "user-data.sh", cwd=tmp_path)
        (answer,) = json.loads(reading.read(SCRIPT, "user-data.sh"))[section]
        assert (answer["code"], answer["out"], answer["err"]) == (told.code, told.out, told.err)


@pytest.mark.parametrize("example", EXAMPLES, ids=[each["name"] for each in EXAMPLES])
def test_each_example_has_something_to_say(reading: Any, example: dict[str, str]) -> None:
    said = json.loads(reading.read(example["text"], example["name"], example.get("fleet", "")))
    assert said["explanation"], said
    assert said["rules"] or commands(said, "explanation") == [f"nodeworthy explain {example['name']}"]
    assert all(each["out"] for section in ("timeline", "findings", "explanation") for each in said[section])


def test_a_fleet_is_what_it_is_judged_by(reading: Any) -> None:
    (values,) = (each for each in EXAMPLES if each["name"] == "values.yaml")
    assert json.loads(reading.read(values["text"], values["name"]))["rules"] == []
    assert json.loads(reading.read(values["text"], values["name"], values["fleet"]))["rules"] == ["containerd-paths"]


def test_what_no_command_knows_is_said_by_both(reading: Any) -> None:
    said = json.loads(reading.read("nothing that anybody knows\n", "pasted"))
    assert [each["code"] for each in said["findings"]] == [2]
    assert [each["code"] for each in said["explanation"]] == [3]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (" \n", "values.yaml", "There is nothing to read"),
        ("x" * 200_001, "values.yaml", "nodeworthy check values.yaml"),
        ("x: 1\n", "..", "can't be a file's name"),
        ("x: 1\n", "--fix", "can't be a file's name"),
        ("x: 1\n", "Pulumi.pasted.yaml", "can't be a file's name"),
    ],
)
def test_what_it_does_not_read_is_said(reading: Any, text: str, name: str, why: str) -> None:
    assert why in json.loads(reading.read(text, name))["refused"]


def test_a_name_with_folders_is_the_last_of_them(reading: Any) -> None:
    said = json.loads(reading.read(SCRIPT, "../../etc/user-data.sh"))
    assert commands(said, "findings") == ["nodeworthy check user-data.sh"]


def test_a_link_brings_back_what_was_pasted(reading: Any) -> None:
    fragment = json.loads(reading.link("a: ü\n", "values.yaml", "b: 1\n"))["fragment"]
    assert json.loads(reading.linked(fragment)) == ["a: ü\n", "values.yaml", "b: 1\n"]


@pytest.mark.parametrize("where", ["text", "fleet"])
def test_no_link_carries_a_secret(reading: Any, where: str) -> None:
    text, fleet = (SECRET, "") if where == "text" else (SCRIPT, f"# {KEY}\n{SECRET}")
    said = json.loads(reading.link(text, "user-data.sh", fleet))
    assert list(said) == ["refused"]
    assert "secret" in said["refused"]
    assert KEY not in said["refused"]
    assert where == "fleet" or "line 3" in said["refused"] or "lines 2, 3" in said["refused"]


def test_a_secret_that_only_the_rule_knows_of_goes_into_no_link(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_hidden_lines", lambda text: iter(()))
    password = "#!/bin/bash\n/etc/eks/bootstrap.sh x\nmysql --user root --password=kX8vQ2mZr7Lw reports\n"
    assert "line 3 would carry a secret" in json.loads(reading.link(password, "user-data.sh"))["refused"]


def test_what_is_too_long_for_a_link_is_said(reading: Any) -> None:
    import random

    noise = "".join(random.Random(1).choices("abcdefgh ijklm\n", k=100_000))
    assert "links bear" in json.loads(reading.link(noise, "pasted.log"))["refused"]


@pytest.mark.parametrize(
    "fragment",
    ["", "x", "%%%", "eNo", base64.urlsafe_b64encode(zlib.compress(b"[1]")).decode(), "ü"],
)
def test_what_is_no_link_of_ours_is_none(reading: Any, fragment: str) -> None:
    assert json.loads(reading.linked(fragment)) is None


def test_a_link_is_unpacked_no_further_than_it_is_read(reading: Any) -> None:
    bomb = zlib.compress(b'["' + b"x" * 50_000_000 + b'", "a", ""]', 9)
    assert json.loads(reading.linked(base64.urlsafe_b64encode(bomb).decode())) is None
