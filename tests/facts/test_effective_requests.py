"""What a pod takes of a node is what the scheduler counts, not the sum of what stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.facts.pod.effective_requests import effective_requests, gpu_amounts

GPU = "nvidia.com/gpu"


def asks(count: int | str, **more: Any) -> dict[str, Any]:
    return {"resources": {"limits": {GPU: str(count)}}, **more}


def sidecar(count: int) -> dict[str, Any]:
    return asks(count, restartPolicy="Always")


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ({"containers": [asks(2), asks(1)]}, 3),
        ({"containers": [asks(2)], "initContainers": [asks(4)]}, 4),
        ({"containers": [asks(4)], "initContainers": [asks(2), asks(3)]}, 4),
        ({"containers": [asks(2)], "initContainers": [sidecar(1)]}, 3),
        # The sidecar that came before runs beside the init container, the one that comes after does not yet.
        ({"containers": [asks(1)], "initContainers": [sidecar(1), asks(4)]}, 5),
        ({"containers": [asks(1)], "initContainers": [asks(4), sidecar(1)]}, 4),
        ({"containers": [asks(1)], "overhead": {GPU: "1"}}, 2),
        ({"containers": [{"resources": {"requests": {GPU: 2}}}]}, 2),
        ({"containers": [{"resources": {"requests": {GPU: 2}, "limits": {GPU: 2}}}]}, 2),
    ],
)
def test_the_scheduler_counts(spec: dict[str, Any], count: int) -> None:
    assert effective_requests(spec) == {GPU: count}


@pytest.mark.parametrize("spec", [{}, {"containers": None}, {"containers": [{}]}, {"containers": [asks("many")]}])
def test_what_asks_for_no_number_asks_for_none(spec: dict[str, Any]) -> None:
    assert effective_requests(spec) == {}


def test_what_is_no_gpu_is_left_out() -> None:
    assert gpu_amounts({"cpu": "192", GPU: "8", "nvidia.com/mlnxnics": "1", "nvidia.com/mig-1g.10gb": "7"}) == {
        GPU: 8,
        "nvidia.com/mig-1g.10gb": 7,
    }
