"""The stacks of this repository: each one previews, and nothing is wrong with it."""

from __future__ import annotations

import pytest

from nodeworthy.fleet.model import CapacityKind
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.verdict import need
from tests.infra.plans import GROUP, ROOT, inputs, of_stack
from tests.run import run

BUILT = ("ci", "dev", "prod")


def counted(out: str) -> str:
    """The line of what was evaluated."""
    [line] = (each for each in out.splitlines() if " rules on " in each)
    return line


@pytest.mark.parametrize("stack", [*BUILT, "onprem"])
def test_it_is_clean(stack: str) -> None:
    ran = run("preview", "--stack", stack, cwd=ROOT)
    assert ran.code == 0, ran.out + ran.err
    assert " 0 fail, 0 unknown" in counted(ran.out)


def test_without_the_simulation_only_what_cannot_be_known_is_open() -> None:
    ran = run("preview", "--stack", "prod", "--no-simulate", cwd=ROOT)
    assert ran.code == 3
    assert " 0 fail, " in counted(ran.out)


def test_nodes_that_stand_elsewhere_are_not_built_and_get_the_operator() -> None:
    ran = run("preview", "--stack", "onprem", cwd=ROOT)
    assert "pool 'h200' is not built: its nodes are there, and are checked" in ran.out + ran.err
    layers = [line for line in ran.out.splitlines() if line.startswith("infra/")]
    assert layers == ["infra/gpu_operator.py"]


def test_production_is_the_incidents_fleet() -> None:
    fleet = read_fleet_file(ROOT / "Pulumi.prod.yaml", "prod")
    gpus = {need(pool.gpu): pool for pool in fleet.gpu_pools if pool.gpu is not None}
    assert set(gpus) == {"A100", "T4", "L4", "H100", "H200", "B200"}
    assert {name: pool.profiling_dedicated for name, pool in gpus.items() if pool.profiling_dedicated} == {
        "H100": 1,
        "B200": 1,
    }
    [cpu] = [pool for pool in fleet.pools if not pool.is_gpu]
    assert (cpu.min, cpu.nodes, cpu.max) == (1, 2, 4)
    assert {pool.capacity.kind for pool in fleet.pools} == set(CapacityKind)
    assert fleet.monitoring is not None
    assert fleet.monitoring.grafana_node_port == 30080


def test_names_leave_room_for_what_aws_allows() -> None:
    for stack in BUILT:
        assert all(len(name) <= 248 for name in inputs(of_stack(stack), GROUP))
