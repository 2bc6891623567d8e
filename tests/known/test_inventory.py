"""What the programs of the GPU stack print, as their sources have it: none that was known is forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.evidence import in_text

INVENTORY = Path(__file__).parents[1] / "strangers" / "inventory"
KNOWN: dict[str, Any] = json.loads((INVENTORY / "run.json").read_text(encoding="utf-8"))["programs"]


@pytest.mark.parametrize("program", KNOWN)
def test_no_fewer_lines_are_known(program: str) -> None:
    wanted = json.loads((INVENTORY / f"{program}.json").read_text(encoding="utf-8"))["wanted"]
    silent = [each["line"] for each in wanted if not in_text(each["line"])]
    assert len(silent) <= KNOWN[program]["after"]["silent"], silent
