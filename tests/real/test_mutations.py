"""One fault at a time in `prod`: stopped with the right rule at the right line, and with no other.

Three times: in the embedded preview; in the real CLI's first preview, where boot scripts are not known yet and are
told of; and in its preview of a stack that is up already, in moto, where everything is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.plan.mutations import FLEET, MUTATIONS, STACK, Mutation, copy

from .agreement import PACK, violations
from .daemon import PATIENCE
from .moto_server import MotoServer
from .pulumi_cli import PASSPHRASE, Preview, PulumiCli
from .tools import Tools

AT_ONCE = 2
each_mutation = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.rule)
Projects = dict[str, Path]
Ran = TypeVar("Ran")


@dataclass(frozen=True)
class Embedded:
    exit_code: int
    findings: list[dict[str, Any]]


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    made = {each.name: copy(tmp_path_factory.mktemp("prod") / "project") for each in MUTATIONS}
    for each in MUTATIONS:
        each.put_into(made[each.name])
    return made


def _of_each(run: Callable[[Mutation], Ran]) -> dict[str, Ran]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip([each.name for each in MUTATIONS], pool.map(run, MUTATIONS), strict=True))


def _preview(project: Path) -> Embedded:
    ran = subprocess.run(
        [sys.executable, "-m", "nodeworthy", "preview", "--stack", STACK, "--format", "json"],
        cwd=project,
        env={**os.environ, "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.stdout, ran.stderr
    return Embedded(ran.returncode, json.loads(ran.stdout)["findings"])


@pytest.fixture(scope="module")
def embedded(projects: Projects) -> dict[str, Embedded]:
    return _of_each(lambda each: _preview(projects[each.name]))


@pytest.fixture(scope="module")
def first(tools: Tools, projects: Projects, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Preview]:
    """Of a stack of which nothing is there yet."""
    scratch = tmp_path_factory.mktemp("first")
    cli = PulumiCli(tools.path("pulumi"), copy(scratch / "made"), scratch / "cli")
    cli.init(STACK)
    return _of_each(lambda each: cli.of(projects[each.name]).preview(STACK, PACK))


@pytest.fixture(scope="module")
def stack_in_moto(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulumiCli]:
    scratch = tmp_path_factory.mktemp("up")
    with MotoServer("us-east-2") as moto:
        cli = PulumiCli(tools.path("pulumi"), copy(scratch / "made"), scratch / "cli", aws=moto.aws)
        ran = cli.up(STACK, PACK)
        assert ran.exit_code == 0, ran.output
        assert ran.violations == []
        yield cli


@pytest.fixture(scope="module")
def later(stack_in_moto: PulumiCli, projects: Projects) -> dict[str, Preview]:
    """Of a stack that is there."""
    return _of_each(lambda each: stack_in_moto.of(projects[each.name]).preview(STACK, PACK))


@each_mutation
def test_the_embedded_preview_blocks_it(mutation: Mutation, embedded: dict[str, Embedded], projects: Projects) -> None:
    ran = embedded[mutation.name]
    assert {(each["rule"], each["verdict"]) for each in ran.findings} == {(mutation.rule, "fail")}
    places = {(each["where"]["path"], each["where"]["line"]) for each in ran.findings}
    assert places == mutation.lines(projects[mutation.name])
    assert ran.exit_code == 1


@each_mutation
def test_the_first_preview_blocks_it_or_says_that_it_could_not_look(
    mutation: Mutation, first: dict[str, Preview], projects: Projects
) -> None:
    ran = first[mutation.name]
    if mutation.in_boot_script:
        assert _blocking(ran) == set()
        told = [each for each in ran.violations if each.policy == mutation.rule]
        assert all("cannot be verified yet" in each.message for each in told)
        assert all(f"nodeworthy preview --stack {STACK}" in each.message for each in told)
        assert told
        assert ran.exit_code == 0
    else:
        _is_blocked(ran, mutation, projects[mutation.name])


@each_mutation
def test_on_a_stack_that_is_up_everything_is_seen(
    mutation: Mutation, later: dict[str, Preview], projects: Projects
) -> None:
    _is_blocked(later[mutation.name], mutation, projects[mutation.name])


def _is_blocked(ran: Preview, mutation: Mutation, project: Path) -> None:
    assert _blocking(ran) == {mutation.rule}, ran.output
    assert ran.exit_code == 1
    # A pack is not told the lines of the program.
    in_fleet = {f"{path}:{line}" for path, line in mutation.lines(project) if path == FLEET}
    told = {each["line"].rpartition(":")[0] for each in violations(ran) if each["line"] and each["verdict"] == "fail"}
    assert told == in_fleet


def _blocking(ran: Preview) -> set[str]:
    return {each.policy for each in ran.violations if each.level == "mandatory"}
