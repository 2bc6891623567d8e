"""Which nodes a pod of a cluster takes: what it chooses, what it tolerates, and what bars it."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.facts.cluster.node_gpus import Taint
from nodeworthy.facts.pod.node_choice import node_choice

NODE = {"gpu": "h100", "zone": "a"}
GPUS = Taint("nvidia.com/gpu", "present", "NoSchedule")


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"spec": {"affinity": {"nodeAffinity": required}}}


def asks(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(operator: str, *names: str) -> dict[str, Any]:
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(names)}]}


@pytest.mark.parametrize(
    ("pod", "taken"),
    [
        ({}, True),
        ({"spec": {"nodeSelector": {"gpu": "h100"}}}, True),
        ({"spec": {"nodeSelector": {"gpu": "h100", "zone": "b"}}}, False),
        (affinity(asks("gpu", "In", "a100", "h100")), True),
        (affinity(asks("gpu", "In", "a100")), False),
        (affinity(asks("gpu", "NotIn", "h100")), False),
        (affinity(asks("gpu", "NotIn", "a100")), True),
        (affinity(asks("gpu", "Exists")), True),
        (affinity(asks("rack", "Exists")), False),
        (affinity(asks("rack", "DoesNotExist")), True),
        (affinity(asks("gpu", "DoesNotExist")), False),
        (affinity(asks("rack", "Gt", "3")), True),
        (affinity(asks("gpu", "In", "a100"), asks("zone", "In", "a")), True),
        (affinity({}), False),
        (affinity(field("In", "gpu-1")), True),
        (affinity(field("In", "gpu-2")), False),
        (affinity(field("NotIn", "gpu-1")), True),
    ],
)
def test_what_it_takes(pod: dict[str, Any], taken: bool) -> None:
    assert node_choice(pod).takes(NODE, "gpu-1") is taken


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
        ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "nvidia.com/gpu", "value": "present"}, True),
        ({"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}, True),
        ({"key": "nvidia.com/gpu", "operator": "Equal", "value": "true"}, False),
        ({"key": "nvidia.com/gpu"}, False),
        ({"key": "dedicated", "operator": "Exists"}, False),
        ({}, False),
    ],
)
def test_what_it_tolerates(toleration: dict[str, Any], tolerated: bool) -> None:
    assert node_choice({"spec": {"tolerations": [toleration]}}).tolerates(GPUS) is tolerated


def test_what_bars_it_is_told_by_its_place() -> None:
    chosen = node_choice({"spec": {"nodeSelector": {"gpu": "a100", "rack": "7"}}})
    assert [(each.path, each.says, each.instead) for each in chosen.barred(NODE, "gpu-1")] == [
        ("spec.nodeSelector.gpu", "nodeSelector gpu: a100", "gpu=h100"),
        ("spec.nodeSelector.rack", "nodeSelector rack: 7", "no label rack"),
    ]
    either = node_choice(affinity(asks("gpu", "In", "a100", "l4"), asks("rack", "Exists"), field("In", "gpu-2")))
    path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    assert [(each.path, each.says, each.instead) for each in either.barred(NODE, "gpu-1")] == [
        (f"{path}[0].matchExpressions[0]", "node affinity gpu In a100, l4", "gpu=h100"),
        (f"{path}[1].matchExpressions[0]", "node affinity rack Exists", "no label rack"),
        (f"{path}[2].matchFields", "node affinity to gpu-2", ""),
    ]
    assert list(node_choice(affinity(asks("gpu", "In", "a100"), asks("zone", "Exists"))).barred(NODE, "gpu-1")) == []


@pytest.mark.parametrize(
    ("pod", "narrowed"),
    [
        ({}, None),
        ({"spec": {"nodeSelector": {"gpu": "h100"}}}, ("gpu", ("h100",))),
        (affinity(field("In", "gpu-1")), ("", ("gpu-1",))),
        (affinity(field("NotIn", "gpu-1")), None),
        (affinity(asks("gpu", "NotIn", "l4")), None),
        (affinity(asks("gpu", "In", "h100", "a100")), ("gpu", ("h100", "a100"))),
        (affinity(asks("gpu", "In", "h100"), asks("gpu", "In", "a100")), None),
    ],
)
def test_one_label_by_which_its_nodes_are_found(pod: dict[str, Any], narrowed: object) -> None:
    assert node_choice(pod).narrowed == narrowed


def test_in_a_readers_words() -> None:
    assert node_choice({}).shown == "none"
    chosen = {
        "spec": {"nodeSelector": {"a": "b"}, **affinity(asks("gpu", "Exists"), asks("zone", "In", "a", "b"))["spec"]}
    }
    assert node_choice(chosen).shown == "a=b, gpu Exists, zone In a, b"


def test_those_that_choose_alike_are_equal() -> None:
    one, other = ({"spec": {"nodeSelector": {"a": "b"}, "containers": [{"name": name}]}} for name in "xy")
    assert node_choice(one) == node_choice(other)
    assert node_choice(one) != node_choice({"spec": {"nodeSelector": {"a": "c"}}})
