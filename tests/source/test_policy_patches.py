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


_CHOICE = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: gpu-cluster-policy}
spec: {devicePlugin: {config: {name: device-plugin-config, default: shared}}}
"""
_CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: device-plugin-config}
data:
  alone: |
    version: v1
    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}
"""


@pytest.mark.parametrize(("list_", "failed"), [("patches", False), ("resources", True)])
def test_a_patch_of_a_config_map_holds_not_all_of_it(tmp_path: Path, list_: str, failed: bool) -> None:
    (tmp_path / "policy.yaml").write_text(_CHOICE)
    (tmp_path / "config.yaml").write_text(_CONFIG)
    named = "{path: config.yaml}" if list_ == "patches" else "config.yaml"
    also = "policy.yaml, " if list_ == "resources" else ""
    (tmp_path / "kustomization.yaml").write_text(f"{list_}: [{also}{named}]\n")
    ran = run("check", ".", "--rule", "sharing-configured", "--format", "json", cwd=tmp_path)
    assert bool(ran.report["findings"]) is failed
