"""What is told of a case, and of the same with the one thing mended nothing: where a rule that is silent evaluates
nothing, so that no case of its own could show it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.case_files import whole
from tests.run import run_json

INSTALLER = """
resource "kubernetes_daemonset" "driver" {
  metadata {
    name = "nvidia-driver-installer"
  }
  spec {
    template {
      spec {
        init_container {
          name  = "nvidia-driver-installer"
          image = "registry.example/nvidia-driver-installer:570"
        }
        container {
          name  = "pause"
          image = "registry.k8s.io/pause:3.10"
        }
      }
    }
  }
}
"""
KARPENTER = """
resource "helm_release" "karpenter" {
  name  = "karpenter"
  chart = "oci://registry.example/karpenter"
}
"""
LEFT = "one-driver/bad-source-aks-leaves-it-to-others"
OF_A_GROUP = "one-driver/bad-source-standard-image-of-the-plugins-group"
# Of each: the case, the file, what stands there, what mends it ("" is what the file begins with).
MENDED = {
    "AKS installs it": (LEFT, "main.tf", '"None"', '"Install"'),
    "a DaemonSet of the root installs it": (LEFT, "main.tf", "", INSTALLER),
    "the image of the plugin's group has it": (OF_A_GROUP, "main.tf", '"AL2_x86_64"', '"AL2_x86_64_GPU"'),
    "its plugin is for another group": (OF_A_GROUP, "main.tf", '["gpu"]', '["others"]'),
    "Karpenter adds nodes": ("gpu-fits-a-node/bad-source-nodes-of-the-only-root", "1-terraform/main.tf", "", KARPENTER),
    "an image for Arm": ("aws-accepts/bad-source-machine-and-image", "main.tf", "24.04-amd64", "24.04-arm64"),
    "an image of another name": ("aws-accepts/bad-source-machine-and-image", "main.tf", "24.04-amd64", "24.04"),
    "a parameter for x86": ("aws-accepts/bad-cloudformation-machine-and-image", "stack.yaml", "/arm64/", "/gpu/"),
}


@pytest.mark.parametrize("name", MENDED)
def test_nothing_is_told_any_more(tmp_path: Path, name: str) -> None:
    case, file, was, becomes = MENDED[name]
    rule = case.partition("/")[0]
    shutil.copytree(whole(case), tmp_path / "as-it-was")
    shutil.copytree(whole(case), tmp_path / "mended")
    text = (tmp_path / "mended" / file).read_text(encoding="utf-8")
    assert was in text
    (tmp_path / "mended" / file).write_text(text.replace(was, becomes, 1), encoding="utf-8")
    told = {each: run_json("check", each, "--rule", rule, cwd=tmp_path).findings for each in ("as-it-was", "mended")}
    assert [each["verdict"] for each in told["as-it-was"]] == ["fail"]
    assert told["mended"] == []


WINDOWS = """
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Game:
    Type: AWS::EC2::Instance
    Properties: {ImageId: ami-0a1b2c3d4e5f60718, InstanceType: g5.xlarge}
    Metadata:
      AWS::CloudFormation::Init:
        config:
          commands:
            1-driver: {command: 'Powershell (Get-Content "C:\\driver\\setup.cfg") | powershell Where-Object { $_ }'}
            2-join: {command: kubeadm join 10.0.0.1:6443}
"""


def test_what_cfn_init_runs_on_windows_is_no_shell_script(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(WINDOWS, encoding="utf-8")
    assert run_json("check", ".", "--rule", "shell-parses", cwd=tmp_path).findings == []
