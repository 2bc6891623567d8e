"""Whether pods may go to a node: by nodeSelector and required affinity, as Kubernetes reads them."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.pod.node_choice import Labels, chooses, labels_asked_for
from nodeworthy.verdict import Place

PROFILING = {"gpu.monitoring/profiling-dedicated": "true"}
HERE = Place(path="dcgm.yaml")


def required(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    selected = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selected}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


DEDICATED = "gpu.monitoring/profiling-dedicated"
AWAY = expression(DEDICATED, "NotIn", "true")
GPUS = expression("nvidia.com/gpu.present", "In", "true")


@pytest.mark.parametrize(
    ("pods", "chosen"),
    [
        ({}, True),
        ({"nodeSelector": {"nvidia.com/gpu.present": "true"}}, True),
        ({"nodeSelector": {DEDICATED: "false"}}, False),
        ({"nodeSelector": {"team": "vision"}}, None),
        ({"nodeSelector": {"team": "{{ .Values.team }}"}}, None),
        (required([AWAY]), False),
        (required([GPUS, AWAY]), False),
        (required([GPUS], [AWAY]), True),
        (required([expression(DEDICATED, "DoesNotExist")]), False),
        (required([expression(DEDICATED, "Exists")]), True),
        (required([expression("team", "In", "vision"), AWAY]), False),
        (required([expression("team", "In", "vision")]), None),
        (required([expression("team", "NotIn", "vision")]), None),
        ({**required([AWAY]), "nodeSelector": {"team": "vision"}}, False),
        (required([expression("cores", "Gt", "8")]), None),
    ],
)
def test_a_node_of_which_some_labels_are_known(pods: dict[str, Any], chosen: bool | None) -> None:
    assert chooses(plant(pods, HERE), Labels(PROFILING)) is chosen


def test_what_is_preferred_excludes_nothing() -> None:
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}
    assert chooses(plant({"affinity": {"nodeAffinity": preferred}}, HERE), Labels(PROFILING)) is True


def test_of_a_node_that_is_there_every_label_is_known() -> None:
    pods = plant({"nodeSelector": {"team": "vision"}}, HERE)
    assert chooses(pods, Labels(PROFILING, whole=True)) is False
    assert chooses(pods, Labels({**PROFILING, "team": "vision"}, whole=True)) is True


def test_the_labels_that_a_choice_depends_on() -> None:
    assert labels_asked_for(plant({**required([AWAY]), "nodeSelector": {"gpu": "on"}}, HERE)) == {"gpu", DEDICATED}
