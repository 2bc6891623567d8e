"""What makes nodes of Kubernetes without a line of Terraform: Karpenter, eksctl, Cluster API, Rancher, k3s, RKE2, Talos,
k0s, MicroK8s, kubespray, Ansible, and the commands of clouds. Each is written as its users write it, in a few files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nodeworthy.known.containerd import defaults

Files = dict[str, str]


@dataclass(frozen=True)
class Nodes:
    name: str
    # A key of the table of containerds.
    distribution: str
    files: Files
    # Whether its image brings NVIDIA's driver.
    has_driver: bool = False


_KARPENTER_POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      nodeClassRef: {{group: {group}, kind: {kind}, name: gpu}}
      taints:
        - {{key: nvidia.com/gpu, effect: NoSchedule}}
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values: [on-demand]
        - key: {key}
          operator: In
          values: [{values}]
  limits:
    nvidia.com/gpu: 16
"""


def karpenter_pool(
    values: str = "g6.12xlarge", key: str = "node.kubernetes.io/instance-type", auto: bool = False
) -> str:
    group, kind = ("eks.amazonaws.com", "NodeClass") if auto else ("karpenter.k8s.aws", "EC2NodeClass")
    return _KARPENTER_POOL.format(group=group, kind=kind, key=key, values=values)


_KARPENTER_CLASS = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: gpu
spec:
  {image}
  role: KarpenterNodeRole-gpu
  subnetSelectorTerms:
    - tags: {{karpenter.sh/discovery: gpu}}
  securityGroupSelectorTerms:
    - tags: {{karpenter.sh/discovery: gpu}}
"""


def karpenter_class(image: str = "amiSelectorTerms: [{alias: al2023@v20250915}]", user_data: str = "") -> str:
    given = "  userData: |\n" + "".join(f"    {line}\n" for line in user_data.splitlines()) if user_data else ""
    return _KARPENTER_CLASS.format(image=image) + given


PROVISIONER: Final = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: gpu
spec:
  providerRef:
    name: gpu
  requirements:
    - key: node.kubernetes.io/instance-type
      operator: In
      values: ["{kind}"]
  limits:
    resources:
      nvidia.com/gpu: 8
"""
NODE_TEMPLATE: Final = """\
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata:
  name: gpu
spec:
  amiFamily: {family}
  subnetSelector:
    karpenter.sh/discovery: gpu
  securityGroupSelector:
    karpenter.sh/discovery: gpu
"""


def eksctl(group: str, version: str = "1.32", managed: bool = True, head: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in group.splitlines())
    kind = "managedNodeGroups" if managed else "nodeGroups"
    return (
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata:\n  name: gpu\n  region: us-east-2\n"
        f'  version: "{version}"\n{head}{kind}:\n  - name: gpu\n{lines}'
    )


def capi(kind: str, name: str, spec: str, api: str) -> str:
    lines = "".join(f"      {line}\n" for line in spec.splitlines())
    return f"apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n{lines}"


_MACHINES = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: gpu
spec:
  clusterName: gpu
  replicas: 2
  template:
    spec:
      clusterName: gpu
      version: v1.32.4
      bootstrap:
        configRef:
          apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
          kind: {bootstrap}
          name: gpu
      infrastructureRef:
        apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
        kind: {infrastructure}
        name: gpu
"""


def machines(bootstrap: str, infrastructure: str = "VSphereMachineTemplate") -> str:
    return _MACHINES.format(bootstrap=bootstrap, infrastructure=infrastructure)


_BOOTSTRAP = "bootstrap.cluster.x-k8s.io/v1beta1"
_KUBEADM = (
    "joinConfiguration:\n  nodeRegistration:\n    criSocket: unix://" + defaults().socket + "\n"
    "    kubeletExtraArgs:\n      node-labels: nvidia.com/gpu.present=true\n"
)
_PLAY = "- hosts: gpu_nodes\n  become: true\n  tasks:\n"
_K3S = "curl -sfL https://get.k3s.io -o /tmp/k3s.sh"
_RKE2 = "curl -sfL https://get.rke2.io -o /tmp/rke2.sh"
_TALOS_MODULES = "  kernel:\n    modules:\n      - name: nvidia\n      - name: nvidia_uvm\n"

NODES: Final = (
    Nodes(
        "kubeadm, a script",
        "kubeadm",
        {
            "node.sh": "#!/bin/bash\nset -euo pipefail\napt-get update\napt-get install -y containerd kubelet kubeadm\n"
            "systemctl enable --now containerd kubelet\nkubeadm join 10.20.0.10:6443 --config /root/join.yaml\n"
        },
    ),
    Nodes(
        "kubespray",
        "kubeadm",
        {
            "inventory/gpu/group_vars/k8s_cluster/k8s-cluster.yml": "kube_version: 1.32.5\nkube_network_plugin: calico\nkube_service_addresses: 10.233.0.0/18\n"
            "kube_pods_subnet: 10.233.64.0/18\ncontainer_manager: containerd\n"
        },
    ),
    Nodes(
        "Cluster API, kubeadm on vSphere",
        "kubeadm",
        {
            "cluster.yaml": machines("KubeadmConfigTemplate")
            + "---\n"
            + capi("KubeadmConfigTemplate", "gpu", _KUBEADM, _BOOTSTRAP)
        },
    ),
    Nodes(
        "Cluster API, kubeadm on Metal3",
        "kubeadm",
        {
            "cluster.yaml": machines("KubeadmConfigTemplate", "Metal3MachineTemplate")
            + "---\n"
            + capi("KubeadmConfigTemplate", "gpu", _KUBEADM, _BOOTSTRAP)
        },
    ),
    Nodes(
        "EKS Anywhere",
        "kubeadm",
        {
            "cluster.yaml": "apiVersion: anywhere.eks.amazonaws.com/v1alpha1\nkind: TinkerbellMachineConfig\nmetadata:\n"
            "  name: gpu\nspec:\n  osFamily: ubuntu\n  hardwareSelector: {type: gpu}\n"
        },
    ),
    Nodes(
        "k3s, a script",
        "k3s",
        {
            "node.sh": f"#!/bin/bash\nset -euo pipefail\n{_K3S}\nINSTALL_K3S_EXEC=agent K3S_URL=https://10.0.0.10:6443 "
            "K3S_TOKEN_FILE=/root/token sh /tmp/k3s.sh\n"
        },
    ),
    Nodes(
        "k3s, its installer in a pipe",
        "k3s",
        {
            "install.sh": "#!/bin/bash\nset -eo pipefail\ncurl -sfL https://get.k3s.io | INSTALL_K3S_VERSION=v1.32.4+k3s1 sh -s - "
            "server --disable traefik\n"
        },
    ),
    Nodes(
        "k3s, cloud-config",
        "k3s",
        {"user-data.yaml": f"#cloud-config\nruncmd:\n  - {_K3S}\n  - sh /tmp/k3s.sh agent\n"},
    ),
    Nodes(
        "k3s, config.yaml",
        "k3s",
        {
            "k3s/config.yaml": "write-kubeconfig-mode: '0644'\ndisable: [traefik]\nnode-label:\n  - nvidia.com/gpu.present=true\n"
            "flannel-backend: none\n"
        },
    ),
    Nodes(
        "k3s, Ansible's shell",
        "k3s",
        {
            "k3s.yml": _PLAY + "    - name: Download\n      ansible.builtin.get_url:\n        url: https://get.k3s.io\n"
            "        dest: /tmp/k3s.sh\n        mode: '0755'\n    - name: Install\n      ansible.builtin.command: /tmp/k3s.sh agent\n"
            "      environment:\n        K3S_URL: https://10.0.0.10:6443\n"
        },
    ),
    Nodes(
        "k3s, k3s-ansible's inventory",
        "k3s",
        {
            "inventory.yml": "k3s_cluster:\n  children:\n    server:\n      hosts: {10.0.0.10: {}}\n    agent:\n      hosts: {10.0.0.11: {}}\n"
            "  vars:\n    k3s_version: v1.32.4+k3s1\n    token: '{{ vault_token }}'\n"
        },
    ),
    Nodes(
        "k3s, k3sup",
        "k3s",
        {
            "up.sh": "#!/bin/bash\nset -e\nk3sup install --ip 10.0.0.10 --user ubuntu --k3s-version v1.32.4+k3s1\n"
            "k3sup join --ip 10.0.0.11 --server-ip 10.0.0.10 --user ubuntu\n"
        },
    ),
    Nodes(
        "k3s, k3d",
        "k3s",
        {
            "k3d.yaml": "apiVersion: k3d.io/v1alpha5\nkind: Simple\nmetadata:\n  name: gpu\nservers: 1\n"
            "image: rancher/k3s:v1.32.4-k3s1\n"
        },
    ),
    Nodes(
        "k3s, Rancher's cluster",
        "k3s",
        {
            "cluster.yaml": "apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata:\n  name: gpu\n  namespace: fleet-default\n"
            "spec:\n  kubernetesVersion: v1.32.4+k3s1\n  rkeConfig: {}\n"
        },
    ),
    Nodes(
        "k3s, Cluster API",
        "k3s",
        {
            "cluster.yaml": machines("KThreesConfigTemplate")
            + "---\n"
            + capi(
                "KThreesConfigTemplate",
                "gpu",
                "agentConfig:\n  nodeLabels:\n    - gpu=true\n",
                "bootstrap.cluster.x-k8s.io/v1beta2",
            )
        },
    ),
    Nodes(
        "k3s, system-upgrade's plan",
        "k3s",
        {
            "plan.yaml": "apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata:\n  name: agent-plan\n  namespace: system-upgrade\n"
            "spec:\n  concurrency: 1\n  cordon: true\n  serviceAccountName: system-upgrade\n  nodeSelector:\n"
            "    matchExpressions:\n      - {key: node-role.kubernetes.io/control-plane, operator: DoesNotExist}\n"
            "  upgrade:\n    image: rancher/k3s-upgrade\n  version: v1.32.4+k3s1\n"
        },
    ),
    Nodes(
        "RKE2, a script",
        "rke2",
        {
            "node.sh": f"#!/bin/bash\nset -euo pipefail\n{_RKE2}\nINSTALL_RKE2_TYPE=agent sh /tmp/rke2.sh\nmkdir -p /etc/rancher/rke2\n"
            "cat > /etc/rancher/rke2/config.yaml <<EOF\nserver: https://10.0.0.10:9345\nEOF\n"
            "systemctl enable --now rke2-agent.service\n"
        },
    ),
    Nodes(
        "RKE2, config.yaml",
        "rke2",
        {
            "rke2/config.yaml": "server: https://10.0.0.10:9345\ntls-san:\n  - rke2.example.com\nnode-label:\n  - nvidia.com/gpu.present=true\ncni: cilium\n"
        },
    ),
    Nodes(
        "RKE2, Ansible's inventory",
        "rke2",
        {"inventory/group_vars/rke2_cluster.yml": "rke2_version: v1.32.4+rke2r1\nrke2_cni: cilium\n"},
    ),
    Nodes(
        "RKE2, Rancher's cluster",
        "rke2",
        {
            "cluster.yaml": "apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata:\n  name: gpu\n  namespace: fleet-default\n"
            "spec:\n  kubernetesVersion: v1.32.4+rke2r1\n  rkeConfig:\n    machineGlobalConfig: {cni: calico}\n"
        },
    ),
    Nodes(
        "RKE2, Cluster API",
        "rke2",
        {
            "cluster.yaml": machines("RKE2ConfigTemplate")
            + "---\n"
            + capi(
                "RKE2ConfigTemplate",
                "gpu",
                "agentConfig:\n  nodeLabels:\n    - nvidia.com/gpu.present=true\n",
                _BOOTSTRAP,
            )
        },
    ),
    Nodes(
        "RKE2, system-upgrade's plan",
        "rke2",
        {
            "plan.yaml": "apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata:\n  name: agent-plan\n  namespace: system-upgrade\n"
            "spec:\n  concurrency: 1\n  serviceAccountName: system-upgrade\n"
            "  upgrade:\n    image: rancher/rke2-upgrade\n  version: v1.32.4+rke2r1\n"
        },
    ),
    Nodes(
        "MicroK8s, a script",
        "microk8s",
        {
            "install.sh": "#!/bin/bash\nset -e\nsnap install microk8s --classic --channel=1.32/stable\nmicrok8s status --wait-ready\n"
        },
    ),
    Nodes(
        "MicroK8s, cloud-config's snap",
        "microk8s",
        {
            "user-data.yaml": "#cloud-config\nsnap:\n  commands:\n    - snap install microk8s --classic --channel=1.32/stable\n"
            "runcmd:\n  - microk8s status --wait-ready\n"
        },
    ),
    Nodes(
        "MicroK8s, Ansible's snap",
        "microk8s",
        {
            "microk8s.yml": _PLAY
            + "    - name: MicroK8s\n      community.general.snap:\n        name: microk8s\n        classic: true\n"
            "        channel: 1.32/stable\n"
        },
    ),
    Nodes(
        "MicroK8s, its launch configuration",
        "microk8s",
        {
            "microk8s.yaml": "version: 0.2.0\naddons:\n  - name: dns\n  - name: hostpath-storage\nextraKubeletArgs:\n"
            '  --max-pods: "200"\n'
        },
    ),
    Nodes(
        "MicroK8s, Cluster API",
        "microk8s",
        {
            "cluster.yaml": machines("MicroK8sConfigTemplate")
            + "---\n"
            + capi(
                "MicroK8sConfigTemplate", "gpu", "clusterConfiguration:\n  portCompatibilityRemap: true\n", _BOOTSTRAP
            )
        },
    ),
    Nodes(
        "Canonical Kubernetes, a script",
        "k8s-snap",
        {"node.sh": "#!/bin/bash\nset -e\nsnap install k8s --classic --channel=1.32-classic/stable\nk8s bootstrap\n"},
    ),
    Nodes(
        "k0s, k0sctl",
        "k0s",
        {
            "k0sctl.yaml": "apiVersion: k0sctl.k0sproject.io/v1beta1\nkind: Cluster\nmetadata:\n  name: gpu\nspec:\n  hosts:\n"
            "    - role: controller\n      ssh: {address: 10.0.0.10, user: root}\n    - role: worker\n"
            "      ssh: {address: 10.0.0.11, user: root}\n  k0s:\n    version: v1.32.4+k0s.0\n"
        },
    ),
    Nodes(
        "k0s, a script",
        "k0s",
        {
            "node.sh": "#!/bin/bash\nset -euo pipefail\ncurl -sSfL https://get.k0s.sh -o /tmp/k0s.sh\nsh /tmp/k0s.sh\n"
            "k0s install worker --token-file /root/token\nk0s start\n"
        },
    ),
    Nodes(
        "k0s, Cluster API",
        "k0s",
        {
            "cluster.yaml": machines("K0sWorkerConfigTemplate")
            + "---\n"
            + capi("K0sWorkerConfigTemplate", "gpu", "version: v1.32.4+k0s.0\n", _BOOTSTRAP)
        },
    ),
    Nodes(
        "CRI-O, kubespray",
        "crio",
        {
            "inventory/gpu/group_vars/k8s_cluster/k8s-cluster.yml": "kube_version: 1.32.5\nkube_network_plugin: calico\ncontainer_manager: crio\n"
        },
    ),
    Nodes(
        "Karpenter, an alias",
        "eks-al2023",
        {"karpenter.yaml": karpenter_pool() + "---\n" + karpenter_class()},
        has_driver=True,
    ),
    Nodes(
        "Karpenter, an SSM parameter",
        "eks-al2023",
        {
            "pool.yaml": karpenter_pool(),
            "class.yaml": karpenter_class(
                "amiFamily: AL2023\n  amiSelectorTerms:\n    - ssmParameter: /aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
            ),
        },
        has_driver=True,
    ),
    Nodes(
        "Karpenter, a family and a pattern of names",
        "eks-al2023",
        {
            "karpenter.yaml": karpenter_pool("g6", "karpenter.k8s.aws/instance-family")
            + "---\n"
            + karpenter_class(
                "amiFamily: AL2023\n  amiSelectorTerms:\n    - {name: amazon-eks-node-al2023-x86_64-nvidia-1.32-*, owner: amazon}"
            )
        },
        has_driver=True,
    ),
    Nodes(
        "Karpenter, v1alpha5",
        "eks-al2",
        {"karpenter.yaml": PROVISIONER.format(kind="g5.12xlarge") + "---\n" + NODE_TEMPLATE.format(family="AL2")},
        has_driver=True,
    ),
    Nodes(
        "Karpenter, in a chart's template",
        "eks-al2023",
        {
            "chart/Chart.yaml": "apiVersion: v2\nname: pools\nversion: 0.1.0\n",
            "chart/values.yaml": "cluster: gpu\n",
            "chart/templates/pool.yaml": karpenter_pool(),
            "chart/templates/class.yaml": karpenter_class()
            .replace("discovery: gpu", "discovery: {{ .Values.cluster }}")
            .replace(
                "{karpenter.sh/discovery: {{ .Values.cluster }}}",
                "\n        karpenter.sh/discovery: {{ .Values.cluster }}",
            ),
        },
        has_driver=True,
    ),
    Nodes(
        "Karpenter, a script's heredoc",
        "eks-al2023",
        {
            "karpenter.sh": "#!/bin/bash\nset -euo pipefail\nexport CLUSTER_NAME=gpu\ncat <<EOF | envsubst | kubectl apply -f -\n"
            + karpenter_pool()
            + "---\n"
            + karpenter_class()
            + "EOF\n"
        },
        has_driver=True,
    ),
    Nodes(
        "EKS Auto Mode",
        "bottlerocket",
        {"pool.yaml": karpenter_pool("g6", "eks.amazonaws.com/instance-family", auto=True)},
        has_driver=True,
    ),
    Nodes(
        "eksctl, managed",
        "eks-al2023",
        {"cluster.yaml": eksctl("instanceType: g6.12xlarge\ndesiredCapacity: 2\nminSize: 2\nmaxSize: 2")},
        has_driver=True,
    ),
    Nodes(
        "eksctl, self-managed on Ubuntu",
        "eks-ubuntu",
        {"cluster.yaml": eksctl("instanceType: g6.12xlarge\ndesiredCapacity: 2\namiFamily: Ubuntu2204", managed=False)},
    ),
    Nodes(
        "eksctl, its flags",
        "eks-al2023",
        {
            "up.sh": "#!/bin/bash\nset -e\neksctl create cluster --name gpu --version 1.32 --without-nodegroup\n"
            "eksctl create nodegroup --cluster gpu --name gpu --node-type g6.12xlarge --nodes 2\n"
        },
        has_driver=True,
    ),
    Nodes(
        "eksctl, a Makefile",
        "eks-al2023",
        {
            "Makefile": "CLUSTER ?= gpu\n\nup:\n\teksctl create nodegroup --cluster $(CLUSTER) --name gpu --node-type g6.12xlarge --nodes 2\n"
        },
        has_driver=True,
    ),
    Nodes(
        "Cluster API, EKS' pool",
        "eks-al2023",
        {
            "pool.yaml": "apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: AWSManagedMachinePool\nmetadata:\n  name: gpu\n"
            "spec:\n  amiType: AL2023_x86_64_NVIDIA\n  instanceType: g6.12xlarge\n  scaling: {minSize: 2, maxSize: 2}\n"
        },
        has_driver=True,
    ),
    Nodes(
        "Crossplane, EKS' group",
        "eks-al2023",
        {
            "group.yaml": "apiVersion: eks.aws.upbound.io/v1beta1\nkind: NodeGroup\nmetadata:\n  name: gpu\nspec:\n  forProvider:\n"
            "    region: us-east-2\n    amiType: AL2023_x86_64_NVIDIA\n    instanceTypes: [g6.12xlarge]\n"
            "    scalingConfig: [{minSize: 2, maxSize: 2, desiredSize: 2}]\n    clusterNameRef: {name: gpu}\n"
        },
        has_driver=True,
    ),
    Nodes(
        "ACK, EKS' group",
        "eks-al2023",
        {
            "group.yaml": "apiVersion: eks.services.k8s.aws/v1alpha1\nkind: Nodegroup\nmetadata:\n  name: gpu\nspec:\n  name: gpu\n"
            "  amiType: AL2023_x86_64_NVIDIA\n  instanceTypes: [g6.12xlarge]\n  clusterName: gpu\n"
            "  scalingConfig: {minSize: 2, maxSize: 2, desiredSize: 2}\n"
        },
        has_driver=True,
    ),
    Nodes(
        "Talos, a machine config",
        "talos",
        {
            "worker.yaml": "version: v1alpha1\nmachine:\n  type: worker\n  install:\n    image: ghcr.io/siderolabs/installer:v1.10.3\n"
            "    extensions:\n      - image: ghcr.io/siderolabs/nvidia-open-gpu-kernel-modules-production:570.133.20-v1.10.3\n"
            "      - image: ghcr.io/siderolabs/nvidia-container-toolkit-production:570.133.20-v1.17.6\n"
            + _TALOS_MODULES
            + "cluster:\n  clusterName: gpu\n"
        },
        has_driver=True,
    ),
    Nodes("Talos, a patch", "talos", {"patches/gpu.yaml": "machine:\n" + _TALOS_MODULES}, has_driver=True),
    Nodes(
        "Talos, talhelper",
        "talos",
        {
            "talconfig.yaml": "clusterName: gpu\nendpoint: https://10.0.0.10:6443\ntalosVersion: v1.10.3\nkubernetesVersion: v1.32.4\n"
            "nodes:\n  - hostname: gpu-1\n    ipAddress: 10.0.0.11\n    controlPlane: false\n    installDisk: /dev/sda\n    schematic:\n"
            "      customization:\n        systemExtensions:\n          officialExtensions:\n"
            "            - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
            "            - siderolabs/nvidia-container-toolkit-production\n"
        },
        has_driver=True,
    ),
    Nodes(
        "Talos, Omni's template",
        "talos",
        {
            "cluster.yaml": "kind: Cluster\nname: gpu\nkubernetes:\n  version: v1.32.4\ntalos:\n  version: v1.10.3\n---\nkind: Workers\n"
            "machineClass:\n  name: gpu\n  size: 2\nsystemExtensions:\n  - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
            "  - siderolabs/nvidia-container-toolkit-production\n"
        },
        has_driver=True,
    ),
    Nodes(
        "Talos, Cluster API",
        "talos",
        {
            "cluster.yaml": machines("TalosConfigTemplate")
            + "---\n"
            + capi(
                "TalosConfigTemplate",
                "gpu",
                "generateType: worker\ntalosVersion: v1.10\nstrategicPatches:\n  - |\n    machine:\n"
                "      kernel:\n        modules:\n          - name: nvidia\n          - name: nvidia_uvm\n",
                "bootstrap.cluster.x-k8s.io/v1alpha3",
            )
        },
        has_driver=True,
    ),
    Nodes(
        "GKE, gcloud",
        "gke-cos",
        {
            "up.sh": "#!/bin/bash\nset -e\ngcloud container node-pools create gpu --cluster gpu --zone us-central1-a "
            "--machine-type g2-standard-24 --accelerator type=nvidia-l4,count=2,gpu-driver-version=latest --num-nodes 2\n"
        },
        has_driver=True,
    ),
    Nodes(
        "AKS, az",
        "aks",
        {
            "up.sh": "#!/bin/bash\nset -e\naz aks nodepool add --resource-group gpu --cluster-name gpu --name gpu "
            "--node-count 2 --node-vm-size Standard_NC24ads_A100_v4\n"
        },
        has_driver=True,
    ),
    Nodes(
        "AKS, Karpenter",
        "aks",
        {
            "karpenter.yaml": "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: gpu\nspec:\n  template:\n    spec:\n"
            "      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: gpu}\n      requirements:\n"
            "        - key: karpenter.azure.com/sku-name\n          operator: In\n          values: [Standard_NC24ads_A100_v4]\n---\n"
            "apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata:\n  name: gpu\nspec:\n  imageFamily: Ubuntu2204\n"
        },
        has_driver=True,
    ),
    Nodes(
        "AKS, Cluster API",
        "aks",
        {
            "pool.yaml": "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: AzureManagedMachinePool\nmetadata:\n  name: gpu\n"
            "spec:\n  mode: User\n  sku: Standard_NC24ads_A100_v4\n  scaling: {minSize: 2, maxSize: 2}\n"
        },
        has_driver=True,
    ),
    Nodes(
        "AKS, Crossplane",
        "aks",
        {
            "pool.yaml": "apiVersion: containerservice.azure.upbound.io/v1beta1\nkind: KubernetesClusterNodePool\nmetadata:\n"
            "  name: gpu\nspec:\n  forProvider:\n    vmSize: Standard_NC24ads_A100_v4\n    nodeCount: 2\n"
            "    kubernetesClusterIdRef: {name: gpu}\n"
        },
        has_driver=True,
    ),
    Nodes(
        "GKE, Config Connector",
        "gke-cos",
        {
            "pool.yaml": "apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata:\n  name: gpu\nspec:\n"
            "  location: us-central1\n  initialNodeCount: 2\n  clusterRef: {name: gpu}\n  nodeConfig:\n    machineType: g2-standard-24\n"
            "    guestAccelerator:\n      - type: nvidia-l4\n        count: 2\n"
            "        gpuDriverInstallationConfig: {gpuDriverVersion: LATEST}\n"
        },
        has_driver=True,
    ),
)
