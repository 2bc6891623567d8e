"""What stacks, charts and programs say of the nodes that a fleet is inferred of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run import run

from .inferring import EKSCTL, K3S, TALCONFIG, TERRAFORM, put


def test_where_files_say_nothing_the_program_may(folder: Path) -> None:
    put(folder, "Pulumi.yaml", "name: ml\nruntime: python\n")
    ran = run("fleet", "infer", cwd=folder)
    assert (ran.code, ran.out) == (3, "")
    assert "`nodeworthy fleet infer --stack NAME`" in ran.err


AUTO_MODE = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: l4}
spec:
  template:
    spec:
      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}
      requirements:
        - {key: eks.amazonaws.com/instance-family, operator: In, values: [g6]}
        - {key: eks.amazonaws.com/instance-size, operator: In, values: SIZES}
"""


@pytest.mark.parametrize(
    ("sizes", "count"), [("[xlarge, 2xlarge]", 1), ("[12xlarge, 24xlarge]", 4), ("[xlarge, 48xlarge]", None)]
)
def test_a_family_says_which_gpu_and_its_sizes_may_say_how_many(folder: Path, sizes: str, count: int | None) -> None:
    put(folder, "pool.yaml", AUTO_MODE.replace("SIZES", sizes))
    put(
        folder,
        "cluster.yaml",
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: ml, version: '1.33'}\n",
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    pool = told["pools"]["l4"]
    assert (pool["gpu"]["value"], pool["gpusPerNode"].get("value")) == ("L4", count)
    assert told["cluster"]["name"]["value"] == "ml", "that of the only cluster that is named here"


def test_of_types_with_as_many_gpus_the_number_is_known(folder: Path) -> None:
    put(
        folder,
        "cluster.yaml",
        EKSCTL.replace("NAME", "ml").replace("instanceType: g5.12xlarge", "instanceTypes: [g5.xlarge, g6.2xlarge]"),
    )
    out = run("fleet", "infer", ".", cwd=folder).out
    assert "gpusPerNode: 1 " in out
    assert "which GPU do its nodes have? its types have A10G or L4" in out


def test_a_name_that_is_filled_in_is_asked_about(folder: Path) -> None:
    put(folder, "talos/talconfig.yaml", TALCONFIG.replace("NAME", "${CLUSTERNAME}"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["name"]
    assert told["cluster"]["version"]["value"] == "1.32"


def test_a_version_that_is_filled_in_is_asked_about(folder: Path) -> None:
    put(
        folder,
        "talconfig.yaml",
        'clusterName: lab\ntalosVersion: "${v}"\nkubernetesVersion: "${k}"\nnodes: [{hostname: a}]\n',
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["version"]


def test_a_group_whose_cluster_is_called_later_is_of_the_one_that_its_stack_makes(folder: Path) -> None:
    cluster = 'variable "name" {}\nresource "aws_eks_cluster" "ml" {\n  name = var.name\n  version = "1.33"\n}\n'
    put(folder, "main.tf", cluster + TERRAFORM.replace('"ml"', "var.name", 1))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["version"]["value"] == "1.33"
    put(folder, "other.tf", 'resource "aws_eks_cluster" "web" {\n  name = var.web\n  version = "1.34"\n}\n')
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["version"]


RKE2 = """\
resource "aws_instance" "gpu" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "g4dn.xlarge"
  user_data     = templatefile("${path.module}/agent.sh", { token = "t" })
}
"""


def test_what_a_stack_fills_in_is_told_of_with_its_nodes(folder: Path) -> None:
    put(folder, "main.tf", RKE2)
    put(
        folder,
        "agent.sh",
        "#!/bin/bash\ncurl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -\nsystemctl enable --now rke2-agent\n",
    )
    put(folder, "server.sh", "#!/bin/bash\ncurl -sfL https://get.rke2.io | sh -\nsystemctl enable --now rke2-server\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["aws_instance.gpu"]
    assert told["pools"]["aws_instance.gpu"]["nodes"]["value"] == 1


def test_what_nobody_knows_of_may_be_of_the_only_cluster_that_is_there(folder: Path) -> None:
    config = (
        "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nnodeRegistration: {criSocket: '{{ socket }}'}\n"
    )
    put(folder, "kubeadm.yaml", config)
    put(folder, "init.sh", "#!/bin/bash\nkubeadm init --config kubeadm.yaml\n")
    assert run("fleet", "infer", ".", cwd=folder).out.count("nodeworthy:fleet:") == 1


_NODE = """\
#!/bin/bash
set -euo pipefail
apt-get install -y nvidia-driver-570-server nvidia-container-toolkit
ufw allow 6443/tcp
ufw --force enable
curl -sfL https://get.k3s.io | INSTALL_K3S_VERSION=v1.33.1+k3s1 sh -
"""


_VALUES = (
    "devicePlugin: {enabled: true}\ntoolkit: {enabled: true}\ndriver: {enabled: DRIVER}\noperator: {cleanupCRD: true}\n"
)


def test_who_brings_what_is_told_with_its_place(folder: Path) -> None:
    put(folder, "node.sh", _NODE)
    out = run("fleet", "infer", cwd=folder).out
    assert '# toolkit: "user-data"  # its script installs nvidia-container-toolkit, in node.sh:3:1' in out
    assert "# devicePlugin: ? who hands out the GPUs" in out
    assert "firewall: ufw  # `ufw --force enable`, in node.sh:5:1" in out
    put(folder, "node.sh", _NODE.replace("ufw --force enable", "ufw disable"))
    assert "firewall: none  # `ufw disable`, in node.sh:5:1" in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize(("enabled", "told"), [("true", "driver: operator  # "), ("false", "# driver: ? who brings")])
def test_what_the_operator_is_left_to_bring(folder: Path, enabled: str, told: str) -> None:
    put(folder, "node.sh", K3S)
    put(folder, "values.yaml", _VALUES.replace("DRIVER", enabled))
    out = run("fleet", "infer", cwd=folder).out
    assert told in out
    assert '# toolkit: "operator"' in out
    assert '# devicePlugin: "operator"' in out


_KARPENTER_RESOURCES = """module "eks" {
  source          = "terraform-aws-modules/eks/aws"
  version         = "~> 20.0"
  cluster_name    = "ml"
  cluster_version = "1.34"
}

module "data_addons" {
  source  = "aws-ia/eks-data-addons/aws"
  version = "~> 1.33"

  oidc_provider_arn          = module.eks.oidc_provider_arn
  enable_karpenter_resources = true
  karpenter_resources_helm_config = {
    g5 = {
      values = [<<-EOT
        name: g5
        nodePool:
          labels:
            - type: karpenter
          requirements:
            - key: karpenter.k8s.aws/instance-family
              operator: In
              values: ["g5"]
      EOT
      ]
    }
  }
}
"""


def test_pools_of_karpenters_that_a_chart_of_data_on_eks_makes(folder: Path) -> None:
    put(folder, "main.tf", _KARPENTER_RESOURCES)
    out = run("fleet", "infer", cwd=folder).out
    assert [each in out for each in ("g5:  # NodePool 'g5'", "gpu: A10G", "type=karpenter")] == [True] * 3


_NODE_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: l4}
spec:
  template:
    spec:
      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}
      requirements: [{key: eks.amazonaws.com/instance-family, operator: In, values: [g6]}]
"""


_APPLIED = """\
resource "aws_eks_cluster" "ml" {
  name     = "ml"
  version  = "1.33"
  role_arn = "arn:aws:iam::111122223333:role/ml"
  vpc_config { subnet_ids = ["subnet-0123456789abcdef0"] }
}
resource "kubectl_manifest" "l4" {
  yaml_body = file("${path.module}/l4.yaml")
}
"""


def test_what_a_root_applies_is_one_pool_of_its_cluster(folder: Path) -> None:
    put(folder, "main.tf", _APPLIED)
    put(folder, "l4.yaml", _NODE_POOL)
    out = run("fleet", "infer", cwd=folder).out
    assert out.count("NodePool 'l4' in") == 1


def test_what_is_filled_in_is_the_only_cluster(folder: Path) -> None:
    put(folder, "1.sh", "# The cluster.\nNAME=ml\ngcloud container clusters create $NAME --cluster-version=1.33\n")
    pool = "gcloud container node-pools create l4 --cluster=$NAME --machine-type=g2-standard-4"
    put(folder, "2.sh", f"# Its GPUs.\n{pool}\n")
    out = run("fleet", "infer", cwd=folder).out
    told = ("name: ml  # 1.sh:3:1", 'version: "1.33"', "l4:  # node pool 'l4' in 2.sh:2:1")
    assert [each for each in told if each not in out] == []


def test_what_lies_among_things_of_the_past_is_no_pool_unless_it_is_asked_about(folder: Path) -> None:
    put(folder, "a.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "clusters/old/b.yaml", EKSCTL.replace("NAME", "ml").replace("a10g", "b10g"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["a10g"]
    (told,) = json.loads(run("fleet", "infer", "clusters", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["b10g"]


def test_what_a_program_fills_in_elsewhere_is_no_pool_beside_what_it_makes(folder: Path) -> None:
    put(folder, "makejinja.toml", '[makejinja]\ninputs = ["./bootstrap/templates"]\noutput = "./"\n')
    put(folder, "bootstrap/templates/talos/talconfig.yaml.j2", TALCONFIG.replace("NAME", "other"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["name"]["value"] == "other"
    put(folder, "inventory/group_vars/kubernetes/main.yaml", 'k3s_release_version: "v1.32.0+k3s1"\n')
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [each["distribution"]["value"] for each in told["pools"].values()] == ["k3s"]


def test_one_family_of_one_size_is_a_type(folder: Path) -> None:
    pool = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements:
        - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g5]}
        - {key: karpenter.k8s.aws/instance-size, operator: In, values: [2xlarge]}
"""
    put(folder, "pool.yaml", pool)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["pools"]["gpu"]["instanceType"]["value"] == "g5.2xlarge"
    put(folder, "pool.yaml", pool.replace("[2xlarge]", "[xlarge, 2xlarge]"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "instanceType" not in told["pools"]["gpu"]


OWN_CHART = """\
nodeClasses:
  - {name: gpu-class, enabled: true, amiFamily: AL2023, amiSelectorTerms: [{alias: al2023@latest}]}
nodePools:
  - name: gpu-pool
    labels: {team: ml}
    nodeClassRef: {name: gpu-class}
    requirements:
      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g6]}
    taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]
  - {name: cpu, requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7i]}]}
"""


RELEASE = """\
resource "helm_release" "pools" {
  name   = "pools"
  chart  = "./charts/pools"
  values = [file("${path.module}/values-gpu.yaml")]
}
"""


def test_pools_that_a_chart_of_ones_own_lists_among_its_values(folder: Path) -> None:
    put(folder, "main.tf", RELEASE)
    put(folder, "values-gpu.yaml", OWN_CHART)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    pool = told["pools"]["gpu-pool"]
    assert [*told["pools"]] == ["gpu-pool"]
    assert (pool["gpu"]["value"], pool["distribution"]["value"], pool["driver"]["value"]) == ("L4", "eks-al2023", "ami")
    shown = run("fleet", "infer", ".", cwd=folder).out
    assert '"nvidia.com/gpu=true:NoSchedule"' in shown
    assert "likely, and not certain" in shown


def test_a_list_of_that_name_without_requirements_or_switched_off_is_none(folder: Path) -> None:
    put(folder, "main.tf", RELEASE)
    put(
        folder, "values-gpu.yaml", OWN_CHART.replace("  - name: gpu-pool\n", "  - name: gpu-pool\n    enabled: false\n")
    )
    assert "nothing here says what GPU nodes are" in run("fleet", "infer", ".", cwd=folder).err
    put(folder, "values-gpu.yaml", "nodePools:\n  gpu: {size: 2, machine: [g6]}\n")
    assert "nothing here says what GPU nodes are" in run("fleet", "infer", ".", cwd=folder).err
