"""What a patch of a ClusterPolicy leaves out stands in the policy that it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

_PATCH = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: a}\nspec: {devicePlugin: {enabled: false}}\n"


@pytest.mark.parametrize(
    ("name", "kustomization", "verdict"),
    [
        ("slices.yaml", "patches: [{path: slices.yaml}]\n", "skip"),
        ("slices.yaml", "patchesStrategicMerge: [./slices.yaml]\n", "skip"),
        ("policy-patch.yaml", "", "skip"),
        ("slices.yaml", "resources: [slices.yaml]\n", "fail"),
    ],
)
def test_a_patch(tmp_path: Path, name: str, kustomization: str, verdict: str) -> None:
    (tmp_path / name).write_text(_PATCH)
    (tmp_path / "kustomization.yaml").write_text(kustomization)
    ran = run("check", name, "--rule", "operator-release-works", "--format", "json", "--show-passed", cwd=tmp_path)
    assert {each["verdict"] for each in ran.report["findings"]} == {verdict}
