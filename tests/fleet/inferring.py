"""What is inferred from, and what comes of it."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet
from nodeworthy.verdict import Place
from tests.run import Ran

EKSCTL = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: NAME, region: us-east-1, version: "1.33"}
managedNodeGroups:
  - name: a10g
    instanceType: g5.12xlarge
    desiredCapacity: 2
    minSize: 0
    maxSize: 4
"""
TERRAFORM = """\
resource "aws_eks_node_group" "a10g" {
  cluster_name   = "ml"
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g5.12xlarge"]
  scaling_config {
    desired_size = 2
    min_size     = 0
    max_size     = 4
  }
}
"""


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def fleet_of(ran: Ran) -> Fleet:
    assert ran.code == 0, ran.err
    tree = read(ran.out, Place(path="inferred"))
    assert tree is not None
    return read_fleet(tree, None)


TALCONFIG = """\
clusterName: NAME
talosVersion: v1.9.5
kubernetesVersion: v1.32.3
nodes:
  - hostname: gpu-1
    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-lts]}}}
    patches: ["@./patches/gpu/nvidia.yaml"]
"""

K3S = "#!/bin/bash\nset -euo pipefail\ncurl -sfL https://get.k3s.io | K3S_URL=https://k3s.lan:6443 sh -s - agent\n"
