"""The same answer however one asks: a file alone, its folder, the repository; relative, absolute, from within.

Each case of tests/cases is asked of three ways. What is told of a file is what stands in it: the findings of each file
are those of `check .` in the case's folder, whichever way they were asked for.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.own_rules.cases import Case
from tests.case_files import every_case
from tests.run import Ran, run

CASES = [each for each in every_case() if each.command[0] == "check"]
# A template and the root that fills it in, a module and who calls it, a root and what it hands on, values and the script beside them.
FILES_OF_EACH_OTHER = (
    "user-data-format/bad-source-terraform-other-family",
    "containerd-paths/bad-source-terraform",
    "containerd-paths/bad-source-terraform-handed-to-a-module",
    "one-toolkit/unknown-values-from-elsewhere",
    "no-secret-in-plain-sight/bad-values-that-a-root-fills-in",
    "no-secret-in-plain-sight/bad-template-of-another-cloud",
    "gpu-quantity/bad-its-queue-counts-none",
)
ALWAYS = [each for each in CASES if each.id in FILES_OF_EACH_OTHER]
SAMPLE = [*ALWAYS, *random.Random(20261123).sample(CASES, 14)]
# What a fleet hides is told at the fleet, and only where something else needs it: nobody who asks of it alone does. What
# a file of variables gives is judged with the block that takes it; so is what Terragrunt includes, and what Flux fills in.
TOLD_BY_ANOTHER = {
    ("joins-its-cluster/bad-source-terragrunt-own-image", "live/serve/cluster.hcl"),
    ("operator-release-works/bad-source-filled-in-by-flux", "clusters/lab/gpu.yaml"),
    ("fleet-as-built/unknown-source-encrypted", "Pulumi.dev.yaml"),
    ("kubelet-survives-reboot/bad-source-component-of-cloudposse", "terraform.tfvars"),
}
# What decides by which fleet is judged; all else is asked for with the same words.
_OPTIONS = ("--fleet", "--stack", "--rule", "--skip-rule")

Told = dict[str, list[tuple[Any, ...]]]


def of_files(ran: Ran, cwd: Path, below: Path) -> Told:
    """The findings of each file, by where it lies below the case's folder."""
    told: Told = {}
    for found in ran.findings if ran.out else ():
        path = found["where"].get("path")
        if path is not None:
            real = os.path.relpath(cwd / path, below)
            told.setdefault(real, []).append(shown(found))
    return {path: sorted(found, key=repr) for path, found in told.items()}


def shown(found: dict[str, Any]) -> tuple[Any, ...]:
    where = found["where"]
    return found["rule"], found["verdict"], found["severity"], where.get("line"), where.get("column"), found["is"]


def asked(case: Case, alone: Path, cwd: Path, *paths: str) -> Told:
    options = list(_options(case.command, alone))
    ran = run("check", *paths, *options, "--no-cache", "--format", "json", cwd=cwd)
    return of_files(ran, cwd, alone)


def _options(command: Sequence[str], alone: Path) -> Iterator[str]:
    words = iter(command[1:])
    for word in words:
        if word in _OPTIONS:
            value = next(words)
            yield from (word, str(alone / value) if word == "--fleet" else value)


def files_of(alone: Path) -> list[Path]:
    return [each for each in sorted(alone.rglob("*")) if each.is_file()]


def is_asked_the_same(case: Case, tmp_path: Path) -> None:
    """In a repository of its own, as everybody's files lie in one."""
    alone = case.lay_out(tmp_path / "repository" / case.name)
    (alone.parent / ".git").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    whole = asked(case, alone, alone, ".")
    assert asked(case, alone, elsewhere, str(alone)) == whole, "the folder by its absolute path"
    assert asked(case, alone, alone.parent, ".") == whole, "the repository's root"
    for path in files_of(alone):
        name = str(path.relative_to(alone))
        if (case.id, name) in TOLD_BY_ANOTHER:
            continue
        told = asked(case, alone, path.parent, path.name)
        assert told.get(name, []) == whole.get(name, []), f"{name} from within its folder"
        from_below = os.path.relpath(path, elsewhere)
        assert asked(case, alone, elsewhere, from_below).get(name, []) == whole.get(name, []), f"{name} from elsewhere"


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.id)
def test_a_case_is_told_the_same(case: Case, tmp_path: Path) -> None:
    is_asked_the_same(case, tmp_path)


@pytest.mark.night
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_case_is_told_the_same(case: Case, tmp_path: Path) -> None:
    is_asked_the_same(case, tmp_path)
