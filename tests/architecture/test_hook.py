"""The hook that .pre-commit-hooks.yaml offers, run as pre-commit would: its entry, and the changed files."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from tests.architecture.tree import ROOT
from tests.case_files import whole
from tests.run import Ran, run

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
WRONG, RIGHT = (whole(f"containerd-paths/{name}") for name in ("bad-source-incident", "good-source-incident-fixed"))


def hooked(*changed: str, cwd: Path) -> Ran:
    (hook,) = HOOKS
    program, *words = shlex.split(hook["entry"])
    assert program == "nodeworthy"
    return run(*words, *changed, cwd=cwd)


def test_a_wrong_change_is_blocked() -> None:
    assert hooked("values.yaml", cwd=WRONG).code == 1


def test_a_right_one_is_not() -> None:
    assert hooked("values.yaml", cwd=RIGHT).code == 0


def test_a_change_that_is_not_ours_passes() -> None:
    assert hooked("LICENSE", "pyproject.toml", cwd=ROOT).code == 0


@pytest.mark.long
def test_a_wrong_change_among_others_is_blocked() -> None:
    values = WRONG / "values.yaml"
    assert hooked("LICENSE", str(values), cwd=ROOT).code == 1
