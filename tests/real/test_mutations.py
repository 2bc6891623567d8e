"""One fault at a time in `prod`: stopped with the right rule at the right line, and with no other.

Three times: in the embedded preview; in the real CLI's first preview, where boot scripts are not known yet and are
told of; and in its preview of a stack that is up already, in moto, where everything is known. By day the first is shown
some of them, others each day. The real CLI takes ten seconds a fault: it sees every third of them, which lie in the
fleet, in the program and in a boot script.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.by_day import some
from tests.plan.mutations import FLEET, MUTATIONS, STACK, Mutation, copy
from tests.run import run

from .agreement import PACK, violations
from .moto_server import MotoServer
from .projects import started_warm
from .pulumi_cli import Preview, PulumiCli
from .tools import Tools

each_mutation = pytest.mark.parametrize("mutation", some(MUTATIONS, 5, lambda each: each.rule))
BY_DAY_SOME = [pytest.param(each, marks=pytest.mark.night if at % 3 else ()) for at, each in enumerate(MUTATIONS)]
some_by_day = pytest.mark.parametrize("mutation", BY_DAY_SOME, ids=[each.rule for each in MUTATIONS])
Projects = dict[str, Path]


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory, warm: str) -> Projects:
    made = {each.name: started_warm(copy(tmp_path_factory.mktemp("prod") / "project"), warm) for each in MUTATIONS}
    for each in MUTATIONS:
        each.put_into(made[each.name])
    return made


@pytest.fixture(scope="module")
def new_stack(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> PulumiCli:
    """Nothing of it is there yet."""
    scratch = tmp_path_factory.mktemp("first")
    cli = PulumiCli(tools.path("pulumi"), copy(scratch / "made"), scratch / "cli")
    cli.init(STACK)
    return cli


@pytest.fixture(scope="module")
def stack_in_moto(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulumiCli]:
    scratch = tmp_path_factory.mktemp("up")
    with MotoServer("us-east-2") as moto:
        cli = PulumiCli(tools.path("pulumi"), copy(scratch / "made"), scratch / "cli", aws=moto.aws)
        ran = cli.up(STACK, PACK)
        assert ran.exit_code == 0, ran.output
        assert ran.violations == []
        yield cli


@each_mutation
@pytest.mark.usefixtures("programs_start_warm")
def test_the_embedded_preview_blocks_it(mutation: Mutation, projects: Projects) -> None:
    embedded = run("preview", "--stack", STACK, "--format", "json", cwd=projects[mutation.name])
    assert embedded.out, embedded.err
    assert {(each["rule"], each["verdict"]) for each in embedded.findings} == {(mutation.rule, "fail")}
    places = {(each["where"]["path"], each["where"]["line"]) for each in embedded.findings}
    assert places == mutation.lines(projects[mutation.name])
    assert embedded.code == 1


@some_by_day
def test_the_first_preview_blocks_it_or_says_that_it_could_not_look(
    mutation: Mutation, new_stack: PulumiCli, projects: Projects
) -> None:
    ran = new_stack.of(projects[mutation.name]).preview(STACK, PACK)
    if mutation.in_boot_script:
        assert _blocking(ran) == set()
        told = [each for each in ran.violations if each.policy == mutation.rule]
        assert all("cannot be verified yet" in each.message for each in told)
        assert all(f"nodeworthy preview --stack {STACK}" in each.message for each in told)
        assert told
        assert ran.exit_code == 0
    else:
        _is_blocked(ran, mutation, projects[mutation.name])


@some_by_day
def test_on_a_stack_that_is_up_everything_is_seen(
    mutation: Mutation, stack_in_moto: PulumiCli, projects: Projects
) -> None:
    _is_blocked(stack_in_moto.of(projects[mutation.name]).preview(STACK, PACK), mutation, projects[mutation.name])


def _is_blocked(ran: Preview, mutation: Mutation, project: Path) -> None:
    assert _blocking(ran) == {mutation.rule}, ran.output
    assert ran.exit_code == 1
    # A pack is not told the lines of the program.
    in_fleet = {f"{path}:{line}" for path, line in mutation.lines(project) if path == FLEET}
    told = {each["line"].rpartition(":")[0] for each in violations(ran) if each["line"] and each["verdict"] == "fail"}
    assert told == in_fleet


def _blocking(ran: Preview) -> set[str]:
    return {each.policy for each in ran.violations if each.level == "mandatory"}
