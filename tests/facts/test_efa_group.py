"""Security groups through which EFA gets, in the ways in which one can open a group to itself."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.facts.aws.efa_group import EfaGroups, efa_groups
from nodeworthy.facts.aws.node_group import TEMPLATE, node_groups
from nodeworthy.facts.aws.security_group import CLUSTER, EGRESS, GROUP, INGRESS, RULE, Way
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.verdict import Known
from tests.facts.stacks import LATER, of, resource, stack

ALL: dict[str, Any] = {"protocol": "-1", "fromPort": 0, "toPort": 0}
ITSELF = {**ALL, "self": True}
WORLD = {**ALL, "cidrBlocks": ["0.0.0.0/0"]}


def groups(named: Any, *resources: AwsResource) -> EfaGroups:
    template = resource(TEMPLATE, "t", {"networkInterfaces": [{"interfaceType": "efa", "securityGroups": named}]})
    made = stack(template, *resources)
    (found,) = efa_groups(node_groups(made))
    return found


def through(found: EfaGroups) -> list[bool | None]:
    states = [found.lets_through(way).state for way in Way]
    return [each.value if isinstance(each, Known) else None for each in states]


def rule(kind: str, name: str, group: str, **said: Any) -> AwsResource:
    return resource(kind, name, {"securityGroupId": of(group), **said})


@pytest.mark.parametrize(
    ("inputs", "both"),
    [
        ({"ingress": [ITSELF], "egress": [ITSELF]}, [True, True]),
        ({"ingress": [ITSELF], "egress": [ITSELF, WORLD]}, [True, True]),
        ({"ingress": [ITSELF], "egress": [WORLD]}, [True, False]),
        ({"egress": [ITSELF]}, [False, True]),
        ({"ingress": [{**ITSELF, "protocol": "tcp", "toPort": 65535}], "egress": [ITSELF]}, [False, True]),
        ({"ingress": [{**ITSELF, "protocol": LATER}], "egress": [ITSELF]}, [None, True]),
        ({"ingress": LATER, "egress": [ITSELF]}, [None, True]),
        ({"ingress": [{**ALL, "securityGroups": [LATER]}], "egress": [ITSELF]}, [None, True]),
    ],
)
def test_rules_inside(inputs: dict[str, Any], both: list[bool | None]) -> None:
    assert through(groups([of("fabric")], resource(GROUP, "fabric", inputs))) == both


def test_rules_beside() -> None:
    own = {"ipProtocol": "-1", "referencedSecurityGroupId": of("fabric")}
    inwards, outwards = rule(INGRESS, "in", "fabric", **own), rule(EGRESS, "out", "fabric", **own)
    fabric = resource(GROUP, "fabric", {})
    assert through(groups([of("fabric")], fabric, inwards, outwards)) == [True, True]
    assert through(groups([of("fabric")], fabric, inwards)) == [True, False]
    older = rule(RULE, "older", "fabric", type="egress", **ITSELF)
    assert through(groups([of("fabric")], fabric, inwards, older)) == [True, True]


def test_two_groups_that_every_interface_has() -> None:
    inwards = resource(GROUP, "a", {"ingress": [ITSELF]})
    outwards = resource(GROUP, "b", {"egress": [{**ALL, "securityGroups": [of("a")]}]})
    assert through(groups([of("a"), of("b")], inwards, outwards)) == [True, True]


def test_the_clusters_own_group() -> None:
    assert through(groups([of("eks")], resource(CLUSTER, "eks", {}))) == [True, True]


def test_groups_of_others() -> None:
    assert through(groups(["sg-0123456789abcdef0"])) == [None, None]
    assert through(groups([of("fabric")], resource(GROUP, "fabric", {}, read=True))) == [None, None]
