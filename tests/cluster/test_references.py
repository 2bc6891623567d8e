"""Of a name that nobody has is only told where it is known that nobody has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from nodeworthy.collect.cluster.kinds import KINDS
from nodeworthy.facts.cluster.references import References, named_objects, object_of
from nodeworthy.known.references import named_kinds, references


def _found(*objects: Mapping[str, Any], whole: bool = True) -> list[str]:
    references = References()
    for each in objects:
        metadata = each["metadata"]
        references.add(each["kind"], (metadata.get("namespace", ""), metadata["name"]), each)
    named = named_objects(references, lambda _kind, _namespace: whole)
    return [f"{object_of(each.namer)}: {each.named.name}" for each in named.dangling]


def _object(kind: str, name: str, spec: Mapping[str, Any] | None = None, **more: Any) -> Mapping[str, Any]:
    return {"kind": kind, "metadata": {"name": name, "namespace": "ml"}, "spec": spec or {}, **more}


_QUEUE = _object("LocalQueue", "team", {"clusterQueue": "gpus"})
_ASKS = {"template": {"resources": {"requests": {"nvidia.com/gpu": "8"}}}}
_WORK = _object("Workload", "train", {"queueName": "team", "podSets": [_ASKS]})


def test_the_end_of_the_chain_is_told() -> None:
    assert _found(_WORK, _QUEUE) == ["LocalQueue/ml/team: gpus"]


def test_of_objects_that_somebody_picked_nothing_follows() -> None:
    assert _found(_WORK, _QUEUE, whole=False) == []


def test_a_queue_that_nobody_with_gpus_waits_in_harms_nobody() -> None:
    assert _found(_QUEUE) == []


def test_who_is_well_misses_nothing() -> None:
    active = {"conditions": [{"type": "Active", "status": "True"}]}
    assert _found(_WORK, {**_QUEUE, "status": active}) == []


@pytest.mark.parametrize(("phase", "told"), [("Pending", ["Pod/ml/train-0: data"]), ("Running", [])])
def test_a_pod_that_runs_has_what_it_named(phase: str, told: list[str]) -> None:
    volumes = [{"persistentVolumeClaim": {"claimName": "data"}}]
    containers = [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]
    spec = {"volumes": volumes, "containers": containers}
    assert _found(_object("Pod", "train-0", spec, status={"phase": phase})) == told


@pytest.mark.parametrize("kind", sorted({*references(), *named_kinds()}))
def test_a_cluster_is_asked_for_each_kind_of_the_table(kind: str) -> None:
    assert [each for each in KINDS if each.known_as == kind]
