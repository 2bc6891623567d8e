"""What a pod says of its refusal, whoever made it."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.facts.cluster.admission_refusal import admission_refusal


def refused(owners: Any) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"namespace": "ai", "name": "train", "ownerReferences": owners},
        "spec": {
            "nodeName": "gpu-1",
            "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
        },
        "status": {
            "phase": "Failed",
            "reason": "UnexpectedAdmissionError",
            "message": "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy "
            "devices nvidia.com/gpu, which is unexpected",
        },
    }


@pytest.mark.parametrize("owners", [-1, True, "train", {"name": "train"}, [None], [-1], [], None])
def test_owners_that_are_no_list_of_references_are_none(owners: Any) -> None:
    found = admission_refusal(refused(owners))
    assert found is not None
    assert found.owner == ""


def test_its_owner_is_named() -> None:
    found = admission_refusal(refused([{"kind": "Job", "name": "train"}]))
    assert found is not None
    assert found.owner == "train"
