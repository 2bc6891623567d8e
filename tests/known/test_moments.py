"""A rule's moments follow from what its checks ask for; none is claimed that does not work."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import nodeworthy.collect
from nodeworthy.cli import COMMANDS
from nodeworthy.collect.collected import COLLECTED, moments_of
from nodeworthy.derive import ways_to
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet
from nodeworthy.fleet.model import Fleet
from nodeworthy.rule import Many, Moment, Rule
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Findings, Severity
from tests.run import run

ROOM = Path(nodeworthy.collect.__path__[0])
# What is not collected, but given: the fleet that is judged by, as it is handed over.
FLEETS = frozenset({Fleet, DeclaredFleet, PlannedFleet})
OF_FACTS = "nodeworthy.facts."
OF_COLLECT = "nodeworthy.collect."


def test_every_moment_has_its_collector_and_its_command() -> None:
    for moment in COLLECTED:
        assert (ROOM / moment.value / "__init__.py").exists()
        assert moment.value in {each.moment for each in COMMANDS}


@pytest.mark.parametrize("moment", COLLECTED)
def test_a_moments_collector_makes_the_facts_that_it_is_said_to_make(moment: Moment) -> None:
    """Its modules import each fact's own module, or one that makes it of what they found; so do those that it shares
    with other moments. What is derived is made of what is collected."""
    own = [*(ROOM / moment.value).rglob("*.py")]
    shared = {name for path in own for name in _imports(path, OF_COLLECT) if _is_shared(name)}
    shared |= {name for each in shared if _file(each).exists() for name in _imports(_file(each), OF_COLLECT)}
    paths = [*own, *(_file(name) for name in shared if _file(name).exists())]
    imported = {name for path in paths for name in _imports(path)}
    reached = imported | {name for module in imported for name in _imports(_file(module))}
    for fact in COLLECTED[moment]:
        collected = any(way <= COLLECTED[moment] | FLEETS for way in ways_to(fact) - {frozenset({fact})})
        assert collected or fact.__module__ in reached, f"{moment.value} makes no {fact.__name__}"


def _is_shared(module: str) -> bool:
    """Of no moment's own folder."""
    return module.split(".")[2] not in {moment.value for moment in COLLECTED}


@cache
def _imports(path: Path, beginning: str = OF_FACTS) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name for name in names if name.startswith(beginning)}


def _file(module: str) -> Path:
    stem = ROOM.parent.joinpath(*module.split(".")[1:])
    return stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")


def test_every_fact_that_a_rule_is_about_is_collected_somewhere() -> None:
    somewhere = {fact for facts in COLLECTED.values() for fact in facts}
    for each in catalogue():
        for check in each.checks:
            assert check.subject in somewhere, f"{each.id} asks for {check.subject.__name__}, and nobody makes it"
        assert moments_of(each), each.id


def test_the_first_rule_is_proven_at_four_moments() -> None:
    assert moments_of(rule("containerd-paths")) == (Moment.SOURCE, Moment.PLAN, Moment.NODE, Moment.CLUSTER)


def test_context_that_a_moment_lacks_takes_the_moment_away() -> None:
    made = Rule("scratch", severity=Severity.ERROR, title="x", remedy="x")

    @made.check
    def needs_both(subject: _Fact, context: _Nowhere) -> Findings:
        yield from ()

    assert made.checks[0].context[0].many is Many.EACH
    assert moments_of(made) == ()


class _Fact:
    pass


class _Nowhere:
    pass


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run("rules")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) == len(catalogue()) + 1
    line = next(each for each in lines if each.startswith("containerd-paths"))
    assert "source, plan, node, cluster" in line
    assert "The toolkit's containerd paths are those of the containerd that kubelet uses" in line
    data = run("rules", "--format", "json").report
    assert data["schema"] == "nodeworthy/rules/v1"
    row = next(each for each in data["rules"] if each["id"] == "containerd-paths")
    assert (row["severity"], row["moments"]) == ("error", ["source", "plan", "node", "cluster"])
