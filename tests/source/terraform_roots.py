"""A root of Terraform with a cluster, a group of nodes, their template and doors; and what `check` says of roots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.run import Ran, run

CLUSTER = """
resource "aws_eks_cluster" "this" {
  name     = "training"
  version  = "1.33"
  role_arn = "arn:aws:iam::111122223333:role/eks"
}
"""

GROUP = """
resource "aws_eks_node_group" "gpu" {
  cluster_name = aws_eks_cluster.this.name
  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
"""

TEMPLATE = """
resource "aws_launch_template" "gpu" {
  instance_type          = "g6e.12xlarge"
  vpc_security_group_ids = [aws_security_group.nodes.id]
  MORE
}
"""

DOORS = """
resource "aws_security_group" "nodes" {
  ingress {
    from_port = 0
    to_port   = 0
    protocol  = "-1"
    self      = true
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
"""


def check(folder: Path, files: Mapping[str, str], *words: str, paths: tuple[str, ...] = (".",)) -> Ran:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return run("check", *paths, *words, "--format", "json", "--no-cache", "--show-unknown", cwd=folder)


def told(ran: Ran, rule: str, verdict: str = "fail") -> list[dict[str, Any]]:
    return [each for each in ran.findings if each["rule"] == rule and each["verdict"] == verdict]


def spots(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(each["where"]["path"], each["where"]["line"]) for each in found]


def whole(more: str = "") -> str:
    return CLUSTER + GROUP + DOORS + TEMPLATE.replace("MORE", more)
