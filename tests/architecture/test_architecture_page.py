"""ARCHITECTURE.md draws the house as it is: what it names is there, and the layers are those that are checked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_file_that_it_names_is_there() -> None:
    named = set(re.findall(r"`((?:nodeworthy|tests)/[\w./]+)`", PAGE))
    assert len(named) > 20
    assert [each for each in sorted(named) if not (ROOT / each).exists()] == []


def test_its_layers_are_those_of_the_linter() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    named = next(each["name"] for each in contracts if each["type"] == "layers")
    assert named in " ".join(PAGE.split())
