"""docs/adopt.md, docs/own-rules.md and docs/settings.md, done as they stand there; the schema is that of the reader."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.architecture.tree import ROOT
from tests.baseline.texts import pod
from tests.run import run

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<path>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str | None, str]]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(block["language"], block["path"], block["text"]) for block in BLOCK.finditer(text)]


def files(page: str) -> dict[str, str]:
    return {path: text for _, path, text in blocks(page) if path is not None}


def typed(page: str) -> list[str]:
    lines = [line for language, _, text in blocks(page) if language == "console" for line in text.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ nodeworthy ")]


def test_a_repository_is_adopted(here: Path) -> None:
    pod(here)
    look, baseline, again = (shlex.split(line)[1:] for line in typed("adopt.md"))
    assert [run(*each).code for each in (look, baseline, again)] == [1, 0, 0]
    (here / "new").mkdir()
    pod(here / "new")
    workflow = yaml.safe_load(files("adopt.md")[".github/workflows/nodeworthy.yml"])
    step = workflow["jobs"]["check"]["steps"][-1]["run"]
    ran = run(*shlex.split(step)[1:])
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if "::error file=new/pod.yaml" in line]
    assert "file=pod.yaml" not in ran.out


def test_the_hook_that_is_named_is_there() -> None:
    hook = yaml.safe_load(files("adopt.md")[".pre-commit-config.yaml"])["repos"][0]["hooks"][0]["id"]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook in [each["id"] for each in offered]


def test_a_rule_of_ones_own(here: Path) -> None:
    for path, text in files("own-rules.md").items():
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_text(text, encoding="utf-8")
    (line,) = typed("own-rules.md")
    ran = run(*shlex.split(line)[1:])
    shown = next(text for language, _, text in blocks("own-rules.md") if language == "console")
    assert (ran.code, ran.out) == (0, shown.partition("\n")[2])


def test_the_settings_that_are_shown_are_read(here: Path) -> None:
    text = files("settings.md")[".nodeworthy.yaml"]
    (here / "nodeworthy_rules").mkdir()
    (here / ".nodeworthy.yaml").write_text(text.replace("stack: prod\n", ""), encoding="utf-8")
    pod(here)
    assert run("check", ".").code == 1


SCHEMA: dict[str, Any] = json.loads((DOCS / "settings.schema.json").read_text(encoding="utf-8"))


def test_the_schema_takes_what_is_shown() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(yaml.safe_load(files("settings.md")[".nodeworthy.yaml"]), SCHEMA)


@pytest.mark.parametrize(
    "wrong", [{"exclud": []}, {"strict": "yes"}, {"skip-rules": [{"rule": "gpu-quantity"}]}, {"exclude": "vendor"}]
)
def test_and_nothing_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)
