"""Who may talk to whom, in the fleet's words and in nobody else's."""

from __future__ import annotations

import re

import pytest

from nodeworthy.collect.plan.plan import PreviewedPlan
from tests.infra.plans import EGRESS, INGRESS, SECURITY_GROUP, all_of, inputs, of_fleet, of_stack, referred

Opened = tuple[str, str, str, int | None, int | None]
WORLD = "0.0.0.0/0"


def opened(plan: PreviewedPlan, kind: str) -> set[Opened]:
    """Every rule: of which group, for whom, which protocol, from which port to which."""
    found = set()
    for each in all_of(plan, kind).values():
        [group] = referred(plan, each, "securityGroupId")
        told = each.shown_inputs
        others = referred(plan, each, "referencedSecurityGroupId") or {told.get("cidrIpv4", "")}
        first, last = told.get("fromPort"), told.get("toPort")
        found |= {(group, other, told["ipProtocol"], first, last) for other in others}
    return found


def test_what_the_cluster_lives_by_is_open_to_whom_it_must_be() -> None:
    plan = of_stack("prod")
    plane, nodes = "gpu-prod-control-plane", "gpu-prod-nodes"
    inwards = opened(plan, INGRESS)
    assert {
        (nodes, plane, "tcp", 10250, 10250),
        (plane, nodes, "tcp", 443, 443),
        (nodes, nodes, "tcp", 53, 53),
        (nodes, nodes, "udp", 53, 53),
        (nodes, nodes, "-1", None, None),
        (nodes, "10.0.0.0/8", "tcp", 30000, 32767),
    } <= inwards
    assert (plane, nodes, "tcp", 10250, 10250) in opened(plan, EGRESS)


def test_efa_has_a_group_that_is_open_to_itself_both_ways_and_to_nobody_else() -> None:
    plan = of_stack("prod")
    fabric = "gpu-prod-fabric"
    for kind in (INGRESS, EGRESS):
        mine = {each for each in opened(plan, kind) if fabric in each}
        assert mine == {(fabric, fabric, "-1", None, None)}


def test_without_efa_there_is_no_such_group() -> None:
    plan = of_fleet("pools:\n  cpu: {instanceType: c7i.4xlarge}\n")
    assert set(all_of(plan, SECURITY_GROUP)) == {"made-control-plane", "made-nodes"}


@pytest.mark.parametrize(("stack", "ports"), [("ci", {443}), ("prod", set()), ("dev", set())])
def test_the_world_reaches_what_the_fleet_says_and_nothing_else(stack: str, ports: set[int]) -> None:
    plan = of_stack(stack)
    assert {first for _, source, _, first, _ in opened(plan, INGRESS) if source == WORLD} == ports
    assert {told.get("fromPort") for told in inputs(plan, INGRESS).values() if told.get("cidrIpv6")} == set()


def test_rules_stand_in_one_form_alone() -> None:
    """A group that has both forms loses one of them at every deployment."""
    for name in ("control-plane", "nodes", "fabric"):
        group = inputs(of_stack("prod"), SECURITY_GROUP)[f"gpu-prod-{name}"]
        assert "ingress" not in group
        assert "egress" not in group


def test_ec2_takes_what_is_said_of_them() -> None:
    fleet = (
        'network: {nodePortsFrom: [10.0.0.0/8, 10.0.0.0/8], openToTheWorld: [{port: 443, why: "it\'s <öffentlich>"}]}\n'
        "pools:\n  cpu: {instanceType: c7i.4xlarge}\n"
    )
    plan = of_fleet(fleet)
    said = [told["description"] for kind in (SECURITY_GROUP, INGRESS) for told in inputs(plan, kind).values()]
    assert len(said) > 10
    assert not [each for each in said if not re.fullmatch(r"[A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]{1,255}", each)]
