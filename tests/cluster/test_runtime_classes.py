"""A RuntimeClass that names a runtime which no toolkit writes is the cause, and not the toolkit."""

from __future__ import annotations

from pathlib import Path

from tests.cluster import incident
from tests.cluster.objects import creating, event, pod
from tests.run import run_json


def test_its_pods_are_its_victims(tmp_path: Path) -> None:
    kinds = incident.recovered()
    waits = pod("infer", "research", runtimeClassName="nvidia-next", status=creating("infer"))
    said = event("infer", "research")
    said["message"] = said["message"].replace('"nvidia"', '"nvidia-next"')
    another = {**incident.runtime_class(), "handler": "nvidia-next", "metadata": {"name": "nvidia-next"}}
    incident.write(
        tmp_path / "dump",
        {
            **kinds,
            "pods": [*kinds["pods"], waits],
            "events": [said],
            "runtimeclasses": [incident.runtime_class(), another],
        },
    )
    (finding,) = run_json("diagnose", "--from", "dump", cwd=tmp_path).findings
    assert (finding["rule"], finding["where"]["object"]) == ("runtime-class-agrees", "RuntimeClass/nvidia-next")
    assert finding["victims"] == ["Pod/research/infer"]
