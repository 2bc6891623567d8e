"""What roots of Terraform make in AWS: judged as stacks are, at the lines of their literals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.case_files import whole as case_folder
from tests.run import Ran, run, run_json
from tests.userdata.families import FLEET, GOLDEN

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


SCRIPT = "#!/bin/bash\nset -e\nif true; then\n/etc/eks/bootstrap.sh ${cluster}\n"


def test_the_lines_of_a_rendered_script_are_those_of_its_template(tmp_path: Path) -> None:
    more = 'user_data = base64encode(templatefile("${path.module}/boot/node.sh.tftpl", { cluster = "training" }))'
    ran = check(tmp_path, {"main.tf": whole(more), "boot/node.sh.tftpl": SCRIPT})
    # Once: the template alone is not judged beside what it becomes.
    assert spots(told(ran, "shell-parses")) == [("boot/node.sh.tftpl", 4)]


@pytest.mark.parametrize("packed", ["", "  gzip = false\n", "  gzip = false\n  base64_encode = false\n"])
def test_parts_of_cloud_init_are_read_in_each_packing(tmp_path: Path, packed: str) -> None:
    parts = f"""
data "cloudinit_config" "gpu" {{
{packed}  part {{
    content_type = "text/x-shellscript"
    content      = <<-EOT
      #!/bin/bash
      if true; then
    EOT
  }}
  dynamic "part" {{
    for_each = ["one"]
    content {{
      content_type = "text/x-shellscript"
      content      = "#!/bin/bash\\nset -e\\n"
    }}
  }}
}}
"""
    said = "data.cloudinit_config.gpu.rendered"
    more = f"user_data = {said}" if "base64" not in packed else f"user_data = base64encode({said})"
    ran = check(tmp_path, {"main.tf": whole(more), "parts.tf": parts}, "--rule", "shell-parses")
    found = told(ran, "shell-parses")
    assert [each["where"]["path"] for each in found] == ["parts.tf"]


def test_an_older_template_is_filled_in_too(tmp_path: Path) -> None:
    data = """
data "template_file" "boot" {
  template = file("${path.module}/node.tpl")
  vars     = { cluster = "training" }
}
"""
    more = "user_data = base64encode(data.template_file.boot.rendered)"
    ran = check(tmp_path, {"main.tf": whole(more) + data, "node.tpl": SCRIPT}, "--rule", "shell-parses")
    assert spots(told(ran, "shell-parses")) == [("node.tpl", 4)]


def test_an_empty_text_is_no_user_data(tmp_path: Path) -> None:
    ran = check(tmp_path, {"main.tf": whole('user_data = base64encode("")')}, "--rule", "user-data-format")
    assert not told(ran, "user-data-format")


def test_who_names_one_file_hears_of_that_file(tmp_path: Path) -> None:
    files = {"main.tf": CLUSTER + GROUP, "nodes.tf": DOORS + TEMPLATE.replace("MORE", "")}
    assert spots(told(check(tmp_path, files, paths=("nodes.tf",)), "disks-encrypted")) == [("nodes.tf", 17)]
    assert not told(check(tmp_path, files, paths=("main.tf",)), "disks-encrypted")
    assert spots(told(check(tmp_path, files, paths=("main.tf", "nodes.tf")), "disks-encrypted")) == [("nodes.tf", 17)]


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


_BY_VARIABLE = 'variable "tokens" { type = string }\n' + CLUSTER + GROUP + DOORS


def test_a_file_of_variables_says_what_is_given(tmp_path: Path) -> None:
    text = _BY_VARIABLE + TEMPLATE.replace("MORE", "metadata_options {\n    http_tokens = var.tokens\n  }")
    files = {"root/main.tf": text, "prod.tfvars": 'tokens = "optional"\n', "dev.tfvars": 'tokens = "required"\n'}
    rule = "instance-metadata-guarded"
    words = ("--rule", rule)
    assert told(check(tmp_path, files, *words, paths=("root",)), rule, "unknown")
    found = told(check(tmp_path, files, *words, "--var-file", "prod.tfvars", paths=("root",)), rule)
    assert spots(found) == [("prod.tfvars", 1)]
    both = ("--var-file", "prod.tfvars", "--var-file", "dev.tfvars")
    ran = check(tmp_path, files, *words, *both, paths=("root",))
    assert ran.code == 0
    assert not ran.findings


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("none.tfvars", None, "none.tfvars: it is not there"),
        ("bad.tfvars", "tokens = \n", "bad.tfvars:1:10: this is no HCL that Terraform reads"),
        ("values.yaml", "tokens: x\n", "values.yaml: a file of variables ends with .tfvars"),
    ],
)
def test_a_file_of_variables_that_is_none_is_refused(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    files = {"main.tf": CLUSTER, **({name: text} if text is not None else {})}
    ran = check(tmp_path, files, "--var-file", name)
    assert ran.code == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1


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


def test_a_root_beside_is_evidence_and_nobody_is_told_of_its_modules(tmp_path: Path) -> None:
    """Scripts are judged by what lies around them, with all the folders that a root calls."""
    (tmp_path / ".git").mkdir()
    shutil.copytree(case_folder("containerd-paths/bad-source-terraform"), tmp_path / "stack")
    shutil.copytree(GOLDEN, tmp_path / "scripts")
    modules = {each["where"]["path"] for each in run_json("check", ".", cwd=tmp_path).findings}
    assert "stack/modules/nodes/main.tf" in modules
    of_a_folder = run_json("check", "scripts", "--fleet", str(FLEET), "--show-passed", cwd=tmp_path)
    assert {each["where"]["path"].split("/")[0] for each in of_a_folder.findings if each["verdict"] != "skip"} == {
        "scripts"
    }


CALLED = """
variable "types" {}
resource "aws_eks_node_group" "gpu" {
  cluster_name   = "training"
  instance_types = var.types
  remote_access { ec2_ssh_key = "ops" }
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
"""


@pytest.mark.parametrize("folder", ["a/nodes", "z/nodes"])
@pytest.mark.parametrize(("count", "times"), [("1", 1), ("0", 0)])
def test_a_module_is_a_part_of_who_calls_it_wherever_it_lies(
    tmp_path: Path, folder: str, count: str, times: int
) -> None:
    """It is read before its caller or behind it, and no instance of it may be there."""
    call = f'module "nodes" {{\n  source = "../{folder}"\n  count  = {count}\n  types  = ["p4d.24xlarge"]\n}}\n'
    for name, text in ((f"{folder}/main.tf", CALLED), ("live/main.tf", call + CLUSTER)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    found = run_json("check", ".", cwd=tmp_path).findings
    opened = [each for each in found if each["rule"] == "not-open-to-the-world" and each["verdict"] == "fail"]
    assert [each["where"]["path"] for each in opened] == [f"{folder}/main.tf"] * times
    assert not [each for each in found if each["verdict"] == "unknown"]


def test_what_is_no_hcl_is_told_of_a_module_too(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "main.tf").write_text('resource "aws_instance" "x" {\n  ami = ;\n}\n')
    (tmp_path / "main.tf").write_text('module "nodes" {\n  source = "./nodes"\n}\n' + CLUSTER)
    (found,) = [each for each in run_json("check", ".", cwd=tmp_path).findings if each["verdict"] == "error"]
    assert (found["where"]["path"], found["where"]["line"]) == ("nodes/main.tf", 2)


def test_what_karpenters_nodes_boot_with_is_judged_in_a_manifest_too(tmp_path: Path) -> None:
    text = """
resource "kubectl_manifest" "class" {
  yaml_body = <<-YAML
    apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: {name: gpu}
    spec:
      role: nodes
      amiSelectorTerms: [{alias: al2023@v20250715}]
      userData: |
        #!/bin/bash
        set -euo pipefail
        /etc/eks/bootstrap.sh ml
  YAML
}
"""
    ran = check(tmp_path, {"main.tf": text}, "--rule", "user-data-format")
    assert spots(told(ran, "user-data-format")) == [("main.tf", 10)]


@pytest.mark.parametrize(("driver", "fails"), [("false", 0), ("true", 1)])
def test_a_template_of_values_is_judged_as_what_it_becomes(tmp_path: Path, driver: str, fails: int) -> None:
    """It lies beside its root with its holes, and nobody installs it so."""
    text = """
resource "helm_release" "gpu" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.0"
  values     = [templatefile("${path.module}/values.yaml.tftpl", { driver = DRIVER })]
}
resource "aws_eks_node_group" "gpu" {
  cluster_name   = aws_eks_cluster.this.name
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g6e.12xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
""".replace("DRIVER", driver)
    values = "driver:\n  enabled: ${driver}\ntoolkit:\n  enabled: false\n"
    ran = check(tmp_path, {"main.tf": text + CLUSTER, "values.yaml.tftpl": values}, "--rule", "one-driver")
    assert spots(told(ran, "one-driver")) == [("main.tf", 7)] * fails
    assert not told(ran, "one-driver", "unknown")


@pytest.mark.parametrize("where", ["group", "access", "elsewhere", "list"])
def test_json_has_blocks_and_comments_of_its_own(tmp_path: Path, where: str) -> None:
    """A block is an object there, as a map is; what stands under `//` speaks of the object around it."""
    said = "nodeworthy: ignore not-open-to-the-world until the bastion is there"
    access: dict[str, object] = {"ec2_ssh_key": "ops"}
    cluster: dict[str, object] = {"name": "ml", "version": "1.33"}
    group: dict[str, object] = {
        "cluster_name": "${aws_eks_cluster.this.name}",
        "instance_types": ["g6.12xlarge"],
        "remote_access": access,
    }
    {"group": group, "access": access, "elsewhere": cluster, "list": group}[where]["//"] = (
        ["a note", said] if where == "list" else said
    )
    written = {"resource": {"aws_eks_cluster": {"this": cluster}, "aws_eks_node_group": {"gpu": group}}}
    text = json.dumps(written, indent=2)
    ran = check(tmp_path, {"main.tf.json": text}, "--rule", "not-open-to-the-world")
    [found] = told(ran, "not-open-to-the-world")
    assert found["suppressed"] is (where != "elsewhere")
    assert found["where"]["line"] == text.splitlines().index('        "remote_access": {') + 1


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: gpu-operator
  namespace: argocd
spec:
  source:
    repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: gpu-operator
    targetRevision: v25.10.1
    helm:
      valuesObject:
        ${values}
  destination:
    namespace: gpu-operator
"""
NODES = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [g6e.12xlarge]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: gpu
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@v20251101}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: ml}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: ml}}]
"""
APPLIED = """\
variable "wanted" {
  default = false
}
resource "kubectl_manifest" "gpu_operator" {
  count     = COUNT
  yaml_body = templatefile("${path.module}/apps/gpu-operator.yaml", {
    values = indent(8, yamlencode({ driver = { enabled = false } }))
  })
}
"""


@pytest.mark.parametrize("count", ["var.wanted ? 1 : 0", "1"], ids=["none", "one"])
@pytest.mark.parametrize(
    "called", ["", 'module "apps" {\n  source = "./parts"\n  count  = TIMES\n}\n'], ids=["root", "module"]
)
def test_a_template_is_judged_as_what_its_root_makes_of_it(tmp_path: Path, called: str, count: str) -> None:
    """Also where that is nothing: of the resource, or of the module in which it is."""
    within = "parts/" if called else ""
    files = {f"{within}main.tf": APPLIED.replace("COUNT", count), f"{within}apps/nodes.yaml": NODES}
    files |= {"main.tf": called.replace("TIMES", "0" if count == "1" else "1")} if called else {}
    ran = check(tmp_path, {**files, f"{within}apps/gpu-operator.yaml": APPLICATION}, "--rule", "containerd-paths")
    assert not told(ran, "containerd-paths", "unknown"), ran.out
    alone = check(tmp_path, {f"{within}main.tf": ""}, "--rule", "containerd-paths")
    assert len(told(alone, "containerd-paths", "unknown")) == 2
