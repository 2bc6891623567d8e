"""What each kind of file says of the nodes that a fleet is inferred of: scripts, Talos, Auto Mode, stacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run import run

from .inferring import EKSCTL, TERRAFORM, put

_K3S = "#!/bin/bash\nset -euo pipefail\ncurl -sfL https://get.k3s.io | K3S_URL=https://k3s.lan:6443 sh -s - agent\n"


def test_nodes_of_k3s_are_in_no_cluster_of_eks(folder: Path) -> None:
    put(folder, "cloud/cluster.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "edge/agent.sh", _K3S)
    cloud, edge = run("fleet", "infer", cwd=folder).out.split("\n---\n")
    assert "name: ml  #" in cloud
    assert "distribution: k3s" not in cloud
    assert "# name: ? " in edge
    assert "distribution: k3s" in edge


def test_where_files_say_nothing_the_program_may(folder: Path) -> None:
    put(folder, "Pulumi.yaml", "name: ml\nruntime: python\n")
    ran = run("fleet", "infer", cwd=folder)
    assert (ran.code, ran.out) == (3, "")
    assert "`nodeworthy fleet infer --stack NAME`" in ran.err


_KUBEADM = """\
#!/bin/bash
set -euo pipefail
apt-get install -y containerd.io=1.7.27-1 kubelet=1.31.4-1.1 kubeadm=1.31.4-1.1
kubeadm join 10.0.0.5:6443 --discovery-file /root/discovery.conf
"""
_RKE2 = """\
#!/bin/bash
set -euo pipefail
# INSTALL_RKE2_VERSION=v1.29.1+rke2r1
curl -sfL https://get.rke2.io | INSTALL_RKE2_CHANNEL=v1.32 INSTALL_RKE2_TYPE=agent sh -
systemctl enable --now rke2-agent.service
"""


@pytest.mark.parametrize(
    ("script", "kubernetes", "containerd"),
    [
        (_KUBEADM, "1.31", "1.7.27"),
        (_KUBEADM.replace("kubeadm=1.31.4", "kubeadm=1.32.0"), None, "1.7.27"),
        (_KUBEADM.replace("containerd.io=1.7.27-1", "containerd.io"), "1.31", None),
        (_RKE2, "1.32", None),
        (_RKE2.replace("INSTALL_RKE2_CHANNEL=v1.32", "INSTALL_RKE2_CHANNEL=stable"), None, None),
        (_K3S.replace("| K3S_URL", "| INSTALL_K3S_VERSION=v1.33.1+k3s1 K3S_URL"), "1.33", None),
        (
            "#!/bin/bash\nset -e\nsnap install k8s --classic --channel=1.32-classic/stable\nk8s join-cluster $T\n",
            "1.32",
            None,
        ),
    ],
)
def test_what_a_script_chooses(folder: Path, script: str, kubernetes: str | None, containerd: str | None) -> None:
    put(folder, "node.sh", script)
    told = run("fleet", "infer", cwd=folder).out
    assert (f'version: "{kubernetes}"  # {kubernetes} in node.sh' in told) is (kubernetes is not None)
    assert (f'containerd: "{containerd}"  # node.sh:3:1' in told) is (containerd is not None)


def test_scripts_that_choose_otherwise_say_nothing(folder: Path) -> None:
    put(folder, "a.sh", _KUBEADM)
    put(folder, "b.sh", _KUBEADM.replace("1.31.4", "1.33.0"))
    assert "# version: ? which Kubernetes is it?" in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize(
    ("script", "pods", "services"),
    [
        ("kubeadm init --pod-network-cidr=192.168.0.0/16", "192.168.0.0/16", None),
        (
            "R=10.9.0.0/16\ncurl -sfL https://get.k3s.io | sh -s - --cluster-cidr $R --service-cidr 10.8.0.0/16",
            "10.9.0.0/16",
            "10.8.0.0/16",
        ),
        ("kubeadm init  # --pod-network-cidr=192.168.0.0/16", None, None),
        ('kubeadm init --pod-network-cidr="$1"', None, None),
    ],
)
def test_from_which_ranges_a_script_gives_addresses(
    folder: Path, script: str, pods: str | None, services: str | None
) -> None:
    put(folder, "init.sh", f"#!/bin/bash\n{script}\n")
    put(folder, "join.sh", "#!/bin/bash\nkubeadm join 10.0.0.1:6443 --token aaaaaa.bbbbbbbbbbbbbbbb\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)[:1]
    said = {name: told["cluster"].get(name, {}).get("value") for name in ("podCidr", "serviceCidr")}
    assert said == {"podCidr": pods, "serviceCidr": services}


TALOS_GPU = "machine:\n  network: {hostname: gpu-1}\n  install: {image: 'x/{{ ENV.ID }}:v1'}\n  kernel: {modules: [{name: nvidia}]}\n"
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


def test_nodes_of_talos_without_nvidias_modules_are_no_pool_beside_those_with_them(folder: Path) -> None:
    put(folder, "talos/gpu.yaml.j2", TALOS_GPU)
    put(folder, "talos/small.yaml", "machine: {network: {hostname: small}, install: {image: factory.talos.dev/x:v1}}\n")
    put(
        folder,
        "talos/talconfig.yaml",
        'clusterName: lab\ntalosVersion: "${v}"\nkubernetesVersion: "${k}"\nnodes: [{hostname: a}]\n',
    )
    put(folder, "talos/talenv.yaml", "talosVersion: v1.13.1\nkubernetesVersion: v1.36.2\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1"]
    assert (told["cluster"]["name"]["value"], told["cluster"]["version"]["value"]) == ("lab", "1.36")


TALCONFIG = """\
clusterName: NAME
talosVersion: v1.9.5
kubernetesVersion: v1.32.3
nodes:
  - hostname: gpu-1
    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-lts]}}}
    patches: ["@./patches/gpu/nvidia.yaml"]
"""
PATCH = "machine: {kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}}\n"


def test_a_patch_below_a_talconfig_with_gpus_is_no_pool_of_its_own(folder: Path) -> None:
    put(folder, "talos/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "talos/patches/gpu/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1"]
    assert told["pools"]["gpu-1"]["nodes"]["value"] == 1
    assert told["cluster"]["version"]["value"] == "1.32"


def test_a_node_of_a_talconfig_has_what_its_patch_gives_it(folder: Path) -> None:
    labelled = """\
machine:
  kernel: {modules: [{name: nvidia}]}
  nodeLabels: {gpu: "yes"}
  nodeTaints: {lab.example/gpu: "true:NoSchedule"}
"""
    nodes = """\
clusterName: lab
talosVersion: v1.9.5
nodes:
  - {hostname: small, controlPlane: true}
  - {hostname: gpu-1, nodeLabels: {zone: a}, patches: ["@./patches/nvidia.yaml"]}
  - {hostname: gpu-2, nodeLabels: {zone: a}, patches: ["@./patches/nvidia.yaml"]}
  - {hostname: gpu-3, nodeLabels: {zone: b}, patches: ["@./patches/nvidia.yaml"]}
"""
    put(folder, "talos/talconfig.yaml", nodes)
    put(folder, "talos/patches/nvidia.yaml", labelled)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert {name: each["nodes"]["value"] for name, each in told["pools"].items()} == {"lab": 2, "gpu-3": 1}
    shown = run("fleet", "infer", ".", cwd=folder).out
    assert '"zone=b, gpu=yes"' in shown
    assert '"lab.example/gpu=true:NoSchedule"' in shown
    (folder / "talos" / "patches" / "nvidia.yaml").write_text("machine: {sysctls: {vm.swappiness: 1}}\n", "utf-8")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["lab"]


def test_a_patch_beside_no_talconfig_with_gpus_is_one(folder: Path) -> None:
    put(folder, "lab/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "other/patches/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1", "talos"]
    put(
        folder,
        "lab/talconfig.yaml",
        TALCONFIG.replace("NAME", "lab").replace("siderolabs/nonfree-kmod-nvidia-lts", "a/b"),
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["talos"]


def test_patches_of_one_version_are_one(folder: Path) -> None:
    put(folder, "a.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "b.yaml", EKSCTL.replace("NAME", "ml").replace("1.33", "1.33.4").replace("a10g", "b10g"))
    assert 'version: "1.33"' in run("fleet", "infer", cwd=folder).out


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


_UP = """\
#!/bin/bash
set -euo pipefail
CLUSTER=${CLUSTER:-ml}
eksctl create cluster --name "$CLUSTER" --version 1.33 --without-nodegroup
eksctl create nodegroup --cluster "$CLUSTER" --name a10g --node-type g5.12xlarge --nodes 2
"""
_MAKE = """\
CLUSTER ?= ml
up:
\taz aks create -g rg -n $(CLUSTER) -k 1.33 --node-vm-size Standard_D4s_v5
\taz aks nodepool add -g rg --cluster-name $(CLUSTER) -n t4 --node-vm-size Standard_NC4as_T4_v3 --node-count 1
"""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("up.sh", _UP, ("name: ml  #", 'version: "1.33"', "instanceType: g5.12xlarge", "nodes: 2", "driver: ami")),
        ("Makefile", _MAKE, ("name: ml  #", 'version: "1.33"', "gpu: T4", "gpusPerNode: 1", "distribution: aks")),
    ],
)
def test_what_a_script_asks_a_cloud_for_by_flags(folder: Path, name: str, text: str, told: tuple[str, ...]) -> None:
    put(folder, name, text)
    out = run("fleet", "infer", cwd=folder).out
    assert [each for each in told if each not in out] == []


def test_two_clouds_may_have_clusters_of_one_name(folder: Path) -> None:
    put(folder, "eks.sh", _UP)
    put(folder, "Makefile", _MAKE)
    first, second = run("fleet", "infer", cwd=folder).out.split("\n---\n")
    assert ("distribution: aks" in first) is not ("distribution: aks" in second)


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
    put(folder, "node.sh", _K3S)
    put(folder, "values.yaml", _VALUES.replace("DRIVER", enabled))
    out = run("fleet", "infer", cwd=folder).out
    assert told in out
    assert '# toolkit: "operator"' in out
    assert '# devicePlugin: "operator"' in out


def test_variables_of_ansible_say_which_k3s_it_is(folder: Path) -> None:
    put(folder, "group_vars/all.yml", 'k3s_version: v1.33.1+k3s1\nendpoint: "{{ first }}"\n')
    out = run("fleet", "infer", cwd=folder).out
    assert 'version: "1.33"  # v1.33.1+k3s1 in group_vars/all.yml:1:14' in out
    assert "distribution: k3s  # Ansible makes them" in out


_BICEP = """\
param version string = '1.33'
param size string

resource aks 'Microsoft.ContainerService/managedClusters@2025-01-01' = {
  name: 'ml'
  properties: {
    kubernetesVersion: version
    networkProfile: {
      serviceCidr: '10.9.0.0/16'
    }
    agentPoolProfiles: [
      {
        name: 'system'
        count: 2
        vmSize: 'Standard_D4s_v5'
      }
      {
        name: 'a100'
        count: 1
        vmSize: size
      }
    ]
  }
}

resource more 'Microsoft.ContainerService/managedClusters/agentPools@2025-01-01' = {
  parent: aks
  name: 't4'
  properties: {
    count: 3
    vmSize: 'Standard_NC4as_T4_v3'
    gpuProfile: {
      driver: 'None'
    }
  }
}
"""
_MODULE = """\
module aks 'br/public:avm/res/container-service/managed-cluster:0.11.1' = {
  params: {
    name: 'aks-${uniqueString(deployment().name)}'
    agentPools: [
      {
        name: 'gpu'
        vmSize: 'Standard_NC24ads_A100_v4'
      }
    ]
  }
}
"""
_ARM = """\
{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
 "parameters": {"size": {"type": "string", "defaultValue": "Standard_NC6s_v3"}},
 "resources": [{"type": "Microsoft.ContainerService/managedClusters", "name": "ml", "properties":
  {"agentPoolProfiles": [{"name": "v100", "count": 1, "vmSize": "[parameters('size')]"}]}}]}
"""


def test_pools_of_aks_that_bicep_says(folder: Path) -> None:
    put(folder, "infra/aks.bicep", _BICEP)
    out = run("fleet", "infer", cwd=folder).out
    told = ("name: ml  # infra/aks.bicep:5:9", 'version: "1.33"', 'serviceCidr: "10.9.0.0/16"', "gpu: T4", "nodes: 3")
    assert [each for each in (*told, "driver: operator") if each not in out] == []
    assert "a100" not in out
    put(folder, "infra/aks.bicepparam", "using './aks.bicep'\nparam size = 'Standard_NC48ads_A100_v4'\n")
    assert "gpusPerNode: 2  # infra/aks.bicepparam:2:14" in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize(("name", "text", "gpu"), [("aks.bicep", _MODULE, "A100"), ("azuredeploy.json", _ARM, "V100")])
def test_modules_and_templates_of_azures(folder: Path, name: str, text: str, gpu: str) -> None:
    put(folder, name, text)
    out = run("fleet", "infer", cwd=folder).out
    assert f"gpu: {gpu}  #" in out
    assert ("# name: ?" in out) is (text is _MODULE)


_CALLS_A_MODULE = """\
param size string = 'Standard_NC40ads_H100_v5'

module aks './aks.bicep' = {
  name: 'deploy-aks'
  params: {
    size: size
  }
}
"""


def test_a_module_of_bicep_is_given_what_its_caller_says(folder: Path) -> None:
    put(folder, "infra/main.bicep", _CALLS_A_MODULE)
    put(folder, "infra/aks.bicep", _BICEP)
    out = run("fleet", "infer", "infra/main.bicep", cwd=folder).out
    assert "gpu: H100  # infra/main.bicep:1:21" in out
    put(folder, "infra/aks.bicep", _CALLS_A_MODULE)
    assert run("fleet", "infer", "infra/main.bicep", cwd=folder).code == 3


_OMNI = """kind: Cluster
name: {name}
kubernetes:
  version: v{version}
talos:
  version: v1.11.5
---
kind: Workers
name: gpu
systemExtensions:
  - siderolabs/nonfree-kmod-nvidia-production
"""


def test_a_template_of_omni_says_the_version_of_its_own_workers(folder: Path) -> None:
    put(folder, "one.yaml", _OMNI.format(name="one", version="1.34.2"))
    out = run("fleet", "infer", cwd=folder).out
    assert [each in out for each in ("name: one  # one.yaml:1:1", 'version: "1.34"')] == [True, True]
    put(folder, "other.yaml", _OMNI.format(name="other", version="1.33.6"))
    out = run("fleet", "infer", cwd=folder).out
    assert "there are 1.34 in one.yaml:4:12 and 1.33 in other.yaml:4:12" in out


_GCLOUD = """#!/bin/bash
gcloud beta container --project "$PROJECT" node-pools create gpus --cluster ml \\
  --accelerator "type=$KIND,count=$COUNT" --num-nodes 1
"""


def test_what_is_filled_in_later_is_asked(folder: Path) -> None:
    put(folder, "create.sh", _GCLOUD)
    out = run("fleet", "infer", cwd=folder).out
    assert [each in out for each in ("gpus:", "# gpu: ?", "# gpusPerNode: ?", "distribution: gke-cos")] == [True] * 4


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


_GKE_MODULE = """\
module "gke" {
  source  = "terraform-google-modules/kubernetes-engine/google//modules/private-cluster"
  version = "~> 36.0"
  name    = "ml"
  node_pools = [
    {
      name              = "t4"
      machine_type      = "n1-standard-8"
      min_count         = 0
      max_count         = 3
      accelerator_count = 2
      accelerator_type  = "nvidia-tesla-t4"
    },
    { name = "plain" },
  ]
}
"""


def test_pools_of_googles_module(folder: Path) -> None:
    put(folder, "main.tf", _GKE_MODULE)
    out = run("fleet", "infer", cwd=folder).out
    told = ("name: ml", "t4:  # GKE node pool 't4'", "gpu: T4", "gpusPerNode: 2", "max: 3")
    assert [each for each in told if each not in out] == []
    assert "plain" not in out


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


def test_the_script_of_a_play_is_no_pool_beside_its_inventory(folder: Path) -> None:
    put(folder, "group_vars/all.yml", "k3s_version: v1.31.4+k3s1\n")
    script = "curl -sfL https://get.k3s.io | INSTALL_K3S_VERSION={{ k3s_version }} sh -"
    put(folder, "roles/k3s/tasks/main.yml", f"- name: k3s\n  shell: {script}\n")
    put(folder, "play.yml", "- hosts: all\n  roles: [k3s]\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert len(told["pools"]) == 1
    assert told["cluster"]["version"]["value"] == "1.31"


def test_what_a_program_fills_in_elsewhere_is_no_pool_beside_what_it_makes(folder: Path) -> None:
    put(folder, "makejinja.toml", '[makejinja]\ninputs = ["./bootstrap/templates"]\noutput = "./"\n')
    put(folder, "bootstrap/templates/talos/talconfig.yaml.j2", TALCONFIG.replace("NAME", "other"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["name"]["value"] == "other"
    put(folder, "inventory/group_vars/kubernetes/main.yaml", 'k3s_release_version: "v1.32.0+k3s1"\n')
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [each["distribution"]["value"] for each in told["pools"].values()] == ["k3s"]


def test_an_image_of_talos_is_for_the_machine_that_has_its_modules(folder: Path) -> None:
    image = "customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia]}}\n"
    put(folder, "talos/schematic.yaml", image)
    put(folder, "talos/patches/name.yaml", "cluster:\n  clusterName: lab\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["name"]["value"] == "lab"
    assert [*told["pools"]] == ["talos"]
    put(folder, "talos/nodes/a.yaml", PATCH.replace("machine: {", "machine: {nodeLabels: {zone: a}, "))
    shown = run("fleet", "infer", ".", cwd=folder).out
    assert "machine config 'talos'" in shown
    assert "image 'talos'" not in shown


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
