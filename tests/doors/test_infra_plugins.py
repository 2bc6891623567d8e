"""A device plugin that is to hand out the GPUs of nodes without a driver is told of its own cluster's nodes alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.told import lay
from tests.run import run_json

_ROOT = """module "eks" {
  source          = "terraform-aws-modules/eks/aws"
  version         = "20.34.0"
  cluster_name    = "serve"
  cluster_version = "1.34"
  eks_managed_node_groups = {
    serving = { instance_types = ["g6.2xlarge"], ami_type = "AL2023_x86_64_NVIDIA", labels = { pool = "serving" } }
    bare    = { instance_types = ["g6.2xlarge"], ami_type = "AL2023_x86_64_STANDARD" }
  }
}
"""
_PLUGIN = """resource "helm_release" "plugin" {
  name       = "nvidia-device-plugin"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.17.1"
  VALUES
}
"""
_OPERATOR = """resource "helm_release" "operator" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.10.1"
  values     = [yamlencode({ driver = { enabled = false }, devicePlugin = { enabled = false } })]
}
"""
_CHOOSES = 'values = [yamlencode({ affinity = null, nodeSelector = { pool = "serving" } })]'
_TAINTED = _ROOT.replace('"AL2023_x86_64_STANDARD"', '"AL2023_x86_64_STANDARD", taints = { t = TAINT }').replace(
    "TAINT", '{ key = "drivers", value = "test", effect = "NO_SCHEDULE" }'
)
_ALL_BARE = _ROOT.replace("_NVIDIA", "_STANDARD")
_MANIFEST = "k8s/plugin.yaml"
_DAEMONSET = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin-daemonset, namespace: kube-system}
spec:
  selector: {matchLabels: {name: nvidia-device-plugin-ds}}
  template:
    metadata: {labels: {name: nvidia-device-plugin-ds}}
    spec:
      tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
      containers:
        - {name: plugin, image: nvcr.io/nvidia/k8s-device-plugin:v0.17.1}
"""
_AT = _ROOT.splitlines().index(next(each for each in _ROOT.splitlines() if "STANDARD" in each)) + 1


def _told(files: dict[str, str], folder: Path) -> list[int]:
    lay(files, folder)
    found = run_json("check", ".", cwd=folder).told_by("one-driver")
    return [
        each["where"]["line"]
        for each in found
        if each["verdict"] == "fail" and "device plugin is to hand out" in each["message"]
    ]


def test_a_group_without_a_driver_is_told(tmp_path: Path) -> None:
    assert _told({"main.tf": _ROOT + _PLUGIN.replace("VALUES", "")}, tmp_path) == [_AT]


def test_each_of_them_is_told_where_none_has_one(tmp_path: Path) -> None:
    assert _told({"main.tf": _ALL_BARE + _PLUGIN.replace("VALUES", "")}, tmp_path) == [_AT - 1, _AT]


@pytest.mark.parametrize(
    "files",
    [
        {"main.tf": _ROOT + _PLUGIN.replace("VALUES", _CHOOSES)},
        {"main.tf": _TAINTED + _PLUGIN.replace("VALUES", "")},
        {"main.tf": _ROOT.replace("_STANDARD", "_NVIDIA") + _PLUGIN.replace("VALUES", "")},
        {"main.tf": _ROOT.replace("AL2023_x86_64_STANDARD", "CUSTOM") + _PLUGIN.replace("VALUES", "")},
        {"main.tf": _ROOT, _MANIFEST: _DAEMONSET},
        {"main.tf": _ROOT + _PLUGIN.replace("VALUES", "") + _OPERATOR},
    ],
    ids=["chosen by a label", "tainted", "with drivers", "an image of one's own", "elsewhere", "under the operator"],
)
def test_what_a_plugin_does_not_serve_is_not_told(files: dict[str, str], tmp_path: Path) -> None:
    assert _told(files, tmp_path) == []
