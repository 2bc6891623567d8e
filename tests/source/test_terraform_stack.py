"""What roots of Terraform make in AWS: judged as stacks are, at the lines of their literals."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.source.terraform_roots import CLUSTER, DOORS, GROUP, check, spots, told, whole


@pytest.mark.parametrize(
    ("rule", "more"),
    [
        ("instance-metadata-guarded", 'metadata_options {\n    http_tokens = "optional"\n  }'),
        ("disks-encrypted", 'block_device_mappings {\n    ebs {\n      encrypted = "false"\n    }\n  }'),
        ("user-data-format", 'user_data = base64encode("echo hello")'),
        ("shell-parses", 'user_data = base64encode("#!/bin/bash\\nif true; then\\n")'),
        ("capacity-block-placed", 'instance_market_options {\n    market_type = "capacity-block"\n  }'),
        ("efa-complete", 'network_interfaces {\n    interface_type = "efa"\n    security_groups = []\n  }'),
    ],
)
def test_each_fact_of_aws_is_judged(tmp_path: Path, rule: str, more: str) -> None:
    found = told(check(tmp_path, {"main.tf": whole(more)}, "--rule", rule), rule)
    assert found
    assert all(each["where"]["path"] == "main.tf" for each in found)


def test_doors_are_judged_however_they_are_written(tmp_path: Path) -> None:
    rules = """
resource "aws_security_group_rule" "ssh" {
  for_each          = toset(["0.0.0.0/0"])
  security_group_id = aws_security_group.nodes.id
  type              = "ingress"
  protocol          = "tcp"
  from_port         = 22
  to_port           = 22
  cidr_blocks       = [each.value]
}
resource "aws_vpc_security_group_ingress_rule" "ports" {
  security_group_id = aws_security_group.nodes.id
  ip_protocol       = "tcp"
  from_port         = 30000
  to_port           = 32767
  cidr_ipv4         = "0.0.0.0/0"
}
"""
    ran = check(tmp_path, {"main.tf": whole(), "doors.tf": rules}, "--rule", "not-open-to-the-world")
    assert [each["is"] for each in told(ran, "not-open-to-the-world")] == [
        "tcp 22 from 0.0.0.0/0",
        "tcp 30000-32767 from 0.0.0.0/0",
    ]


@pytest.mark.parametrize("sources", ["", "source_security_group_ids = []"])
def test_a_key_without_a_source_lets_everybody_in(tmp_path: Path, sources: str) -> None:
    text = CLUSTER + GROUP.replace(
        "launch_template {", f'remote_access {{\n    ec2_ssh_key = "ops"\n    {sources}\n  }}\n  lifecycle {{', 1
    )
    text = text.replace("    id      = aws_launch_template.gpu.id\n", "")
    text = text.replace("    version = aws_launch_template.gpu.latest_version\n", "")
    assert told(check(tmp_path, {"main.tf": text}), "not-open-to-the-world")


def test_a_rule_of_which_nobody_knows_how_many_there_are_may_open_anything(tmp_path: Path) -> None:
    closed = DOORS.replace('protocol  = "-1"', 'protocol  = "icmp"')
    rules = """
variable "openings" { type = map(any) }
resource "aws_security_group_rule" "more" {
  for_each          = var.openings
  security_group_id = aws_security_group.nodes.id
  type              = each.value.type
  protocol          = each.value.protocol
  from_port         = each.value.from
  to_port           = each.value.to
  cidr_blocks       = each.value.ranges
}
"""
    text = whole().replace(DOORS, closed)
    kubelet = "tcp 10250 is not open to the control plane"
    ran = check(tmp_path, {"main.tf": text}, "--rule", "node-ports-open")
    assert any(each["message"].startswith(kubelet) for each in told(ran, "node-ports-open"))
    ran = check(tmp_path, {"main.tf": text + rules}, "--rule", "node-ports-open")
    assert not any(each["message"].startswith(kubelet) for each in told(ran, "node-ports-open"))
    assert told(ran, "node-ports-open", "unknown")


def test_nodes_of_two_clusters_need_not_reach_each_other(tmp_path: Path) -> None:
    one = whole()
    other = one
    for name in ("this", "gpu", "nodes"):
        other = other.replace(f'"{name}"', f'"{name}_b"').replace(f".{name}.", f".{name}_b.")
    other = other.replace('"training"', '"serving"')
    ran = check(tmp_path, {"a.tf": one, "b.tf": other}, "--rule", "node-ports-open")
    assert not told(ran, "node-ports-open")
    # Of one cluster they do.
    same = other.replace("aws_eks_cluster.this_b.name", "aws_eks_cluster.this.name")
    same = same[same.index('resource "aws_eks_node_group"') :]
    assert told(check(tmp_path, {"b.tf": same}, "--rule", "node-ports-open"), "node-ports-open")


def test_a_comment_in_hcl_suppresses(tmp_path: Path) -> None:
    said = 'metadata_options {\n    http_tokens = "optional" # nodeworthy: ignore instance-metadata-guarded only this week\n  }'
    ran = check(tmp_path, {"main.tf": whole(said)}, "--rule", "instance-metadata-guarded")
    assert ran.report["summary"]["suppressed"] == 1


def test_machines_that_are_no_nodes_are_left_alone(tmp_path: Path) -> None:
    text = DOORS + 'resource "aws_instance" "web" {\n  ami = "ami-1"\n  instance_type = "t3.micro"\n}\n'
    ran = check(tmp_path, {"main.tf": text})
    assert ran.findings == []


def test_workloads_as_blocks_are_those_of_the_api(tmp_path: Path) -> None:
    text = """
resource "kubernetes_deployment_v1" "serve" {
  wait_for_rollout = false
  timeouts { create = "30m" }
  metadata { name = "serve" }
  spec {
    selector { match_labels = { app = "serve" } }
    template {
      metadata { labels = { app = "serve" } }
      spec {
        container {
          name = "model"
          resources {
            requests = { "nvidia.com/gpu" = 2 }
            limits   = { "nvidia.com/gpu" = 4 }
          }
        }
        dynamic "container" {
          for_each = ["side"]
          content {
            name = container.value
            env {
              name  = "NVIDIA_DRIVER_CAPABILITIES"
              value = "compute,anything"
            }
          }
        }
      }
    }
  }
}
"""
    ran = check(tmp_path, {"main.tf": text})
    assert spots(told(ran, "gpu-quantity")) == [("main.tf", 14)]
    assert spots(told(ran, "driver-capabilities-allowed")) == [("main.tf", 24)]
    # What the provider waits for is none of its fields.
    assert told(ran, "pod-can-use-gpus") == []


def test_an_application_of_argo_cd_installs_a_chart(tmp_path: Path) -> None:
    text = """
resource "argocd_application" "operator" {
  metadata { name = "gpu-operator" }
  spec {
    source {
      repo_url        = "https://helm.ngc.nvidia.com/nvidia"
      chart           = "gpu-operator"
      target_revision = "v25.3.4"
      helm {
        values = <<-EOT
          toolkit:
            env:
              - name: RUNTIME_SOCKET
                value: HERE
        EOT
      }
    }
  }
}
"""
    text = text.replace("HERE", str(containerd_of("eks-al2023").socket))
    assert spots(told(check(tmp_path, {"main.tf": text}), "toolkit-env-wellformed")) == [("main.tf", 14)]
