"""What a root of Terraform fills in: scripts, parts of cloud-init, charts' values and manifests, judged as they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.terraform_roots import CLUSTER, check, spots, told, whole

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
