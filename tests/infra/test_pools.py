"""Each pool's launch templates and auto scaling groups: sizes, capacity, network cards, what nodes register with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from nodeworthy.fleet.model import CapacityKind
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known import instances
from nodeworthy.verdict import need
from tests.infra.plans import (
    GROUP,
    PLACEMENT,
    ROOT,
    TEMPLATE,
    all_of,
    boot_script,
    inputs,
    of_fleet,
    of_stack,
    referred,
)

FLEET = read_fleet_file(ROOT / "Pulumi.prod.yaml", "prod")
POOLS = {pool.name: pool for pool in FLEET.pools}
PARTS = [*POOLS, "h100-profiling", "b200-profiling"]


def template(part: str) -> dict[str, Any]:
    return dict(inputs(of_stack("prod"), TEMPLATE)[f"gpu-prod-{part}"])


def pool_of(part: str) -> Any:
    return POOLS[part.removesuffix("-profiling")]


def test_every_pool_is_there_with_the_nodes_that_the_fleet_says() -> None:
    groups = inputs(of_stack("prod"), GROUP)
    assert set(groups) == {f"gpu-prod-{part}" for part in PARTS}
    nodes: Counter[str] = Counter()
    for told in groups.values():
        tags = {each["key"]: each["value"] for each in told["tags"]}
        nodes[tags["nodeworthy/pool"]] += told["desiredCapacity"]
    assert nodes == {pool.name: pool.nodes for pool in FLEET.pools}


@pytest.mark.parametrize("part", PARTS)
def test_gpu_pools_are_fixed_and_stand_in_one_zone(part: str) -> None:
    plan = of_stack("prod")
    group = all_of(plan, GROUP)[f"gpu-prod-{part}"]
    sizes = [group.shown_inputs[name] for name in ("minSize", "desiredCapacity", "maxSize")]
    assert (len(set(sizes)) == 1) is pool_of(part).is_gpu
    assert len(group.shown_inputs["vpcZoneIdentifiers"]) == 1
    assert referred(plan, group, "vpcZoneIdentifiers") == {"gpu-prod-nodes"}
    assert referred(plan, group, "launchTemplate") == {f"gpu-prod-{part}"}


@pytest.mark.parametrize("part", PARTS)
def test_metadata_is_guarded_and_disks_are_encrypted(part: str) -> None:
    told = template(part)
    assert told["metadataOptions"]["httpTokens"] == "required"
    assert told["metadataOptions"]["httpPutResponseHopLimit"] == 2
    assert {each["ebs"]["encrypted"] for each in told["blockDeviceMappings"]} == {"true"}


@pytest.mark.parametrize("part", [part for part in PARTS if part != "cpu"])
def test_efa_is_on_every_card_of_its_type(part: str) -> None:
    has = instances.gpus_of(need(pool_of(part).instance_type))
    assert has is not None
    cards = template(part)["networkInterfaces"]
    assert [each["networkCardIndex"] for each in cards] == list(range(has.efa or 0))
    assert [each["deviceIndex"] for each in cards] == [0, *[1] * (len(cards) - 1)]
    assert [each["interfaceType"] for each in cards] == ["efa", *["efa-only"] * (len(cards) - 1)]
    assert {len(each["securityGroups"]) for each in cards} == {2}
    assert "vpcSecurityGroupIds" not in template(part)
    plan = of_stack("prod")
    groups = referred(plan, all_of(plan, TEMPLATE)[f"gpu-prod-{part}"], "networkInterfaces")
    assert groups == {"gpu-prod-nodes", "gpu-prod-fabric"}


def test_a_first_card_that_takes_no_efa_stands_beside_those_that_do() -> None:
    plan = of_fleet("pools:\n  b300: {instanceType: p6-b300.48xlarge, nodes: 2}\n")
    cards = inputs(plan, TEMPLATE)["made-b300"]["networkInterfaces"]
    assert [each["networkCardIndex"] for each in cards] == list(range(17))
    assert [each["interfaceType"] for each in cards] == ["interface", *["efa-only"] * 16]
    assert [each["deviceIndex"] for each in cards] == [0, *[1] * 16]


def test_a_type_without_efa_has_no_interfaces_of_its_own() -> None:
    assert "networkInterfaces" not in template("cpu")
    assert len(template("cpu")["vpcSecurityGroupIds"]) == 1


@pytest.mark.parametrize("part", PARTS)
def test_nodes_come_from_where_the_fleet_says(part: str) -> None:
    told, capacity = template(part), pool_of(part).capacity
    target = told.get("capacityReservationSpecification", {}).get("capacityReservationTarget", {})
    assert target.get("capacityReservationId") == capacity.id
    block = capacity.kind is CapacityKind.BLOCK
    assert told.get("instanceMarketOptions") == ({"marketType": "capacity-block"} if block else None)


def test_nodes_stand_together_where_nothing_else_places_them() -> None:
    plan = of_stack("prod")
    assert {told["strategy"] for told in inputs(plan, PLACEMENT).values()} == {"cluster"}
    assert set(all_of(plan, PLACEMENT)) == {"gpu-prod-a100", "gpu-prod-t4", "gpu-prod-l4"}
    placed = {
        name: told["placement"]["groupName"] for name, told in inputs(plan, TEMPLATE).items() if "placement" in told
    }
    assert placed == {name: name for name in all_of(plan, PLACEMENT)}


@pytest.mark.parametrize("pool", ["h100", "b200"])
def test_the_profiling_node_registers_as_one_and_no_other_does(pool: str) -> None:
    plan = of_stack("prod")
    dedicated, others = boot_script(plan, f"gpu-prod-{pool}-profiling"), boot_script(plan, f"gpu-prod-{pool}")
    for label in ("gpu.monitoring/profiling-dedicated=true", "nvidia.com/gpu.deploy.dcgm-exporter=false"):
        assert label in dedicated
        assert label not in others
    for script in (dedicated, others):
        assert f"nodeworthy/pool={pool}" in script
        assert "key: nodeworthy/unverified" in script


def test_a_pool_for_profiling_alone_has_one_group() -> None:
    plan = of_fleet(
        "pools:\n"
        "  h100: {instanceType: p5.48xlarge, profilingDedicated: 1}\n"
        "  l4: {instanceType: g6.12xlarge, nodes: 4, profilingDedicated: 2}\n"
        "  bottle: {instanceType: g6.12xlarge, os: bottlerocket}\n"
    )
    sizes = {name: told["desiredCapacity"] for name, told in inputs(plan, GROUP).items()}
    assert sizes == {"made-h100-profiling": 1, "made-l4": 2, "made-l4-profiling": 2, "made-bottle": 1}
    # Both parts of a pool stand in one group.
    assert set(all_of(plan, PLACEMENT)) == {"made-h100", "made-l4", "made-bottle"}
    disks = inputs(plan, TEMPLATE)["made-bottle"]["blockDeviceMappings"]
    assert {each["deviceName"]: each["ebs"]["encrypted"] for each in disks} == {
        "/dev/xvda": "true",
        "/dev/xvdb": "true",
    }
