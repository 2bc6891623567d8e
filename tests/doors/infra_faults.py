"""Faults of infrastructure, each as the users of one source write it, with what would be right in its place.

`@@` stands where the fault is. The finding stands on that line, or on the one that has the words of `shown`: that of the
command which is given it, or of the text that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tests.doors.infra_kinds import (
    PROVISIONER,
    Files,
    capi,
    eksctl,
    karpenter_class,
    karpenter_pool,
)

_MARK = "@@"


@dataclass(frozen=True)
class Fault:
    name: str
    rule: str
    source: str
    files: Files
    wrong: str
    right: str
    shown: str = _MARK

    def written(self, *, healthy: bool) -> Files:
        return {path: text.replace(_MARK, self.right if healthy else self.wrong) for path, text in self.files.items()}

    @property
    def where(self) -> tuple[str, int]:
        path, text = next((path, text) for path, text in self.files.items() if self.shown in text)
        return path, text[: text.index(self.shown)].count("\n") + 1


def _all(
    name: str,
    rule: str,
    wrong: str,
    right: str,
    by: dict[str, Files],
    *,
    shown: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Fault, ...]:
    return tuple(
        Fault(name, rule, source, files, wrong, right, shown.get(source, _MARK)) for source, files in by.items()
    )


_AWS_MACHINE = "infrastructure.cluster.x-k8s.io/v1beta2"
_NO_TYPE = _all(
    "a type that EC2 does not have",
    "gpu-exists",
    "g6.13xlarge",
    "g6.12xlarge",
    {
        "Karpenter NodePool": {"pool.yaml": karpenter_pool("@@")},
        "Karpenter NodePool, a list below": {
            "pool.yaml": karpenter_pool("X").replace("values: [X]", "values:\n            - @@")
        },
        "Karpenter Provisioner": {"pool.yaml": PROVISIONER.format(kind="@@")},
        "Karpenter, a script's heredoc": {
            "pool.sh": "#!/bin/bash\nset -e\ncat <<EOF | kubectl apply -f -\n" + karpenter_pool("@@") + "EOF\n"
        },
        "Karpenter, a chart of its own": {
            "chart/Chart.yaml": "apiVersion: v2\nname: pools\nversion: 0.1.0\n",
            "chart/values.yaml": "types:\n  - @@\n",
            "chart/templates/pool.yaml": karpenter_pool("X").replace(
                "values: [X]", "values:\n            {{- toYaml .Values.types | nindent 12 }}"
            ),
        },
        "Karpenter, Kustomize's patch": {
            "base/kustomization.yaml": "resources: [pool.yaml]\n",
            "base/pool.yaml": karpenter_pool(),
            "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches:\n  - target: {kind: NodePool, name: gpu}\n"
            "    patch: |\n      - op: replace\n        path: /spec/template/spec/requirements/1/values\n        value: [@@]\n",
        },
        "eksctl, managed": {"cluster.yaml": eksctl("instanceType: @@\ndesiredCapacity: 2")},
        "eksctl, instanceTypes": {"cluster.yaml": eksctl("instanceTypes: [g6.24xlarge, @@]\ndesiredCapacity: 2")},
        "eksctl, self-managed": {"cluster.yaml": eksctl("instanceType: @@\ndesiredCapacity: 2", managed=False)},
        "eksctl, a mixed group": {
            "cluster.yaml": eksctl(
                "desiredCapacity: 2\ninstancesDistribution:\n  instanceTypes: [g6.24xlarge, @@]\n  onDemandBaseCapacity: 0\n",
                managed=False,
            )
        },
        "eksctl, its flags": {
            "up.sh": "#!/bin/bash\nset -e\neksctl create nodegroup --cluster gpu --name gpu --node-type @@ --nodes 2\n"
        },
        "eksctl, a Makefile": {
            "Makefile": "up:\n\teksctl create nodegroup --cluster gpu --name gpu --node-type @@ --nodes 2\n"
        },
        "eksctl, a script's heredoc": {
            "up.sh": "#!/bin/bash\nset -e\neksctl create cluster -f - <<EOF\n"
            + eksctl("instanceType: @@\ndesiredCapacity: 2")
            + "EOF\n"
        },
        "Cluster API, AWSMachineTemplate": {
            "machine.yaml": capi("AWSMachineTemplate", "gpu", "instanceType: @@\nsshKeyName: gpu\n", _AWS_MACHINE)
        },
        "Cluster API, AWSManagedMachinePool": {
            "pool.yaml": f"apiVersion: {_AWS_MACHINE}\nkind: AWSManagedMachinePool\nmetadata:\n  name: gpu\nspec:\n"
            "  amiType: AL2023_x86_64_NVIDIA\n  instanceType: @@\n"
        },
        "Cluster API, AWSMachinePool": {
            "pool.yaml": f"apiVersion: {_AWS_MACHINE}\nkind: AWSMachinePool\nmetadata:\n  name: gpu\nspec:\n  minSize: 2\n  maxSize: 2\n"
            "  awsLaunchTemplate:\n    instanceType: @@\n"
        },
        "Crossplane NodeGroup": {
            "group.yaml": "apiVersion: eks.aws.upbound.io/v1beta1\nkind: NodeGroup\nmetadata:\n  name: gpu\nspec:\n  forProvider:\n"
            "    amiType: AL2023_x86_64_NVIDIA\n    instanceTypes: [@@]\n    scalingConfig: [{minSize: 2, maxSize: 2}]\n"
        },
        "Crossplane Composition": {
            "composition.yaml": "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata:\n  name: gpus\nspec:\n"
            "  compositeTypeRef: {apiVersion: example.org/v1, kind: XGpus}\n  resources:\n    - name: group\n      base:\n"
            "        apiVersion: eks.aws.upbound.io/v1beta1\n        kind: NodeGroup\n        spec:\n          forProvider:\n"
            "            amiType: AL2023_x86_64_NVIDIA\n            instanceTypes: [@@]\n            scalingConfig: [{minSize: 2, maxSize: 2}]\n"
        },
        "ACK Nodegroup": {
            "group.yaml": "apiVersion: eks.services.k8s.aws/v1alpha1\nkind: Nodegroup\nmetadata:\n  name: gpu\nspec:\n  name: gpu\n"
            "  amiType: AL2023_x86_64_NVIDIA\n  instanceTypes: [@@]\n  scalingConfig: {minSize: 2, maxSize: 2}\n"
        },
        "kops InstanceGroup": {
            "group.yaml": "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata:\n  name: gpu\n  labels: {kops.k8s.io/cluster: gpu.example.com}\n"
            "spec:\n  role: Node\n  machineType: @@\n  minSize: 2\n  maxSize: 2\n"
        },
        "Rancher Amazonec2Config": {
            "machine.yaml": "apiVersion: rke-machine-config.cattle.io/v1\nkind: Amazonec2Config\nmetadata:\n  name: gpu\n"
            "  namespace: fleet-default\ninstanceType: @@\nregion: us-east-2\n"
        },
        "OpenShift MachineSet": {
            "machineset.yaml": "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata:\n  name: gpu\n"
            "  namespace: openshift-machine-api\nspec:\n  replicas: 2\n  template:\n    spec:\n      providerSpec:\n        value:\n"
            "          apiVersion: machine.openshift.io/v1beta1\n          kind: AWSMachineProviderConfig\n          instanceType: @@\n"
        },
        "Ansible, amazon.aws.ec2_instance": {
            "node.yml": "- hosts: localhost\n  tasks:\n    - name: GPU node of k3s\n      amazon.aws.ec2_instance:\n        name: k3s-gpu\n"
            "        instance_type: @@\n        image_id: ami-0123456789abcdef0\n"
        },
    },
)
_NO_FAMILY = _all(
    "a family that EC2 does not have",
    "nodepool-can-serve",
    "g4",
    "g4dn",
    {
        "Karpenter NodePool, instance-family": {"pool.yaml": karpenter_pool("@@", "karpenter.k8s.aws/instance-family")},
        "EKS Auto Mode": {"pool.yaml": karpenter_pool("@@", "eks.amazonaws.com/instance-family", auto=True)},
    },
)
_NO_SIZE = _all(
    "a size that Azure does not have",
    "gpu-exists",
    '"Standard_NC24ads_A100 v4"',
    "Standard_NC24ads_A100_v4",
    {
        "az aks nodepool add": {
            "up.sh": "#!/bin/bash\nset -e\naz aks nodepool add -g gpu --cluster-name gpu -n gpu --node-count 2 --node-vm-size @@\n"
        },
        "Cluster API, AzureManagedMachinePool": {
            "pool.yaml": "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: AzureManagedMachinePool\nmetadata:\n  name: gpu\n"
            "spec:\n  mode: User\n  sku: @@\n  scaling: {minSize: 2, maxSize: 2}\n"
        },
        "Crossplane KubernetesClusterNodePool": {
            "pool.yaml": "apiVersion: containerservice.azure.upbound.io/v1beta1\nkind: KubernetesClusterNodePool\nmetadata:\n"
            "  name: gpu\nspec:\n  forProvider:\n    vmSize: @@\n    nodeCount: 2\n"
        },
    },
)
_NO_ACCELERATOR = _all(
    "an accelerator that Google does not have",
    "gpu-exists",
    "nvidia-t4",
    "nvidia-tesla-t4",
    {
        "gcloud": {
            "up.sh": "#!/bin/bash\nset -e\ngcloud container node-pools create gpu --cluster gpu --zone us-central1-a "
            "--machine-type n1-standard-8 --accelerator type=@@,count=1 --num-nodes 2\n"
        },
        "gcloud, lines that go on": {
            "up.sh": "#!/bin/bash\nset -e\ngcloud container node-pools create gpu \\\n  --cluster gpu --zone us-central1-a \\\n"
            "  --machine-type n1-standard-8 \\\n  --accelerator=type=@@,count=1 \\\n  --num-nodes 2\n"
        },
        "gcloud, a variable": {
            "up.sh": '#!/bin/bash\nset -e\nGPU="${GPU:-@@}"\ngcloud container node-pools create gpu --cluster gpu '
            '--machine-type n1-standard-8 --accelerator "type=${GPU},count=1" --num-nodes 2\n'
        },
        "Config Connector": {
            "pool.yaml": "apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata:\n  name: gpu\nspec:\n"
            "  location: us-central1\n  initialNodeCount: 2\n  clusterRef: {name: gpu}\n  nodeConfig:\n    machineType: n1-standard-8\n"
            "    guestAccelerator:\n      - type: @@\n        count: 1\n"
        },
        "Crossplane NodePool": {
            "pool.yaml": "apiVersion: container.gcp.upbound.io/v1beta1\nkind: NodePool\nmetadata:\n  name: gpu\nspec:\n  forProvider:\n"
            "    nodeCount: 2\n    nodeConfig:\n      - machineType: n1-standard-8\n        guestAccelerator:\n          - {type: @@, count: 1}\n"
        },
    },
    shown={"gcloud, lines that go on": "gcloud container", "gcloud, a variable": "gcloud container"},
)
_OF_AL2 = _all(
    "bootstrap.sh, which AL2023 does not have",
    "user-data-format",
    "/etc/eks/bootstrap.sh gpu",
    "sysctl -w vm.max_map_count=262144",
    {
        "Karpenter EC2NodeClass": {
            "karpenter.yaml": karpenter_pool() + "---\n" + karpenter_class(user_data="#!/bin/bash\n@@")
        },
        "Karpenter EC2NodeClass, parts": {
            "karpenter.yaml": karpenter_pool()
            + "---\n"
            + karpenter_class(
                user_data='MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n'
                "#!/bin/bash\n@@\n--//--"
            )
        },
        "Karpenter, a script's heredoc": {
            "karpenter.sh": "#!/bin/bash\nset -e\ncat <<'EOF' | kubectl apply -f -\n"
            + karpenter_pool()
            + "---\n"
            + karpenter_class(user_data="#!/bin/bash\n@@")
            + "EOF\n"
        },
        "eksctl, preBootstrapCommands": {
            "cluster.yaml": eksctl("instanceType: g6.12xlarge\ndesiredCapacity: 2\npreBootstrapCommands:\n  - @@")
        },
        "eksctl, self-managed": {
            "cluster.yaml": eksctl(
                "instanceType: g6.12xlarge\ndesiredCapacity: 2\npreBootstrapCommands:\n  - @@", managed=False
            )
        },
    },
)
_NO_VERSION = _all(
    "Amazon Linux 2 of a version that has none",
    "os-fits-cluster",
    "AmazonLinux2",
    "AmazonLinux2023",
    {
        "eksctl, managed": {
            "cluster.yaml": eksctl("amiFamily: @@\ninstanceType: g5.12xlarge\ndesiredCapacity: 2", "1.33")
        },
        "eksctl, self-managed": {
            "cluster.yaml": eksctl(
                "amiFamily: @@\ninstanceType: g5.12xlarge\ndesiredCapacity: 2", "1.33", managed=False
            )
        },
        "eksctl, its flags": {
            "up.sh": "#!/bin/bash\nset -e\neksctl create cluster --name gpu --version 1.33 --node-type g5.12xlarge --nodes 2 --node-ami-family @@\n"
        },
    },
)
_NO_ALIAS = _all(
    "Karpenter's alias of a version that has none",
    "os-fits-cluster",
    "al2@latest",
    "al2023@latest",
    {
        "beside eksctl": {
            "cluster.yaml": eksctl("instanceType: m7i.large\ndesiredCapacity: 2", "1.33"),
            "karpenter.yaml": karpenter_pool() + "---\n" + karpenter_class("amiSelectorTerms: [{alias: @@}]"),
        },
        "beside eksctl's flags": {
            "up.sh": "#!/bin/bash\nset -e\neksctl create cluster --name gpu --version 1.33 --node-type m7i.large --nodes 2\n",
            "karpenter.yaml": karpenter_pool() + "---\n" + karpenter_class("amiSelectorTerms: [{alias: @@}]"),
        },
    },
)
_SSH = _all(
    "SSH from everywhere",
    "not-open-to-the-world",
    "true",
    "false",
    {
        "eksctl, managed": {"cluster.yaml": eksctl("instanceType: g6.12xlarge\ndesiredCapacity: 2\nssh:\n  allow: @@")},
        "eksctl, self-managed": {
            "cluster.yaml": eksctl("instanceType: g6.12xlarge\ndesiredCapacity: 2\nssh:\n  allow: @@", managed=False)
        },
    },
)
_FIXED = _all(
    "a reserved pool that grows",
    "pool-size-fixed",
    "0",
    "2",
    {
        "eksctl, managed": {
            "cluster.yaml": eksctl(
                "instanceType: p5.48xlarge\ndesiredCapacity: 2\nminSize: @@\nmaxSize: 2\ncapacityReservation:\n"
                "  capacityReservationTarget:\n    capacityReservationID: cr-0123456789abcdef0"
            )
        },
        "eksctl, self-managed": {
            "cluster.yaml": eksctl(
                "instanceType: p5.48xlarge\ndesiredCapacity: 2\nminSize: @@\nmaxSize: 2\ncapacityReservation:\n"
                "  capacityReservationTarget:\n    capacityReservationID: cr-0123456789abcdef0",
                managed=False,
            )
        },
    },
)
_OF_K3S, _OF_RKE2 = "/var/lib/rancher/k3s/agent/etc/containerd/", "/var/lib/rancher/rke2/agent/etc/containerd/"
_PLAY = (
    "- hosts: gpus\n  tasks:\n    - name: Download\n      ansible.builtin.get_url: {url: https://get.k3s.io, dest: /tmp/k3s.sh, mode: '0755'}\n"
    "    - name: Install\n      ansible.builtin.command: /tmp/k3s.sh agent\n    - name: containerd\n"
)
_KEPT = _all(
    "a file of containerd's that is written anew",
    "containerd-edit-survives",
    "config.toml",
    "notes.txt",
    {
        "k3s, a script": {
            "node.sh": "#!/bin/bash\nset -e\ncurl -sfL https://get.k3s.io -o k3s.sh\nsh k3s.sh agent\n"
            f'cat > {_OF_K3S}@@ <<EOF\n[debug]\n  level = "info"\nEOF\nsystemctl restart k3s-agent\n'
        },
        "k3s, sed": {
            "node.sh": "#!/bin/bash\nset -e\ncurl -sfL https://get.k3s.io -o k3s.sh\nsh k3s.sh agent\n"
            f'sed -i \'s/level = "warn"/level = "info"/\' {_OF_K3S}@@\nsystemctl restart k3s-agent\n'
        },
        "k3s, cloud-config": {
            "user-data.yaml": f"#cloud-config\nwrite_files:\n  - path: {_OF_K3S}@@\n    content: |\n      [debug]\n"
            '        level = "info"\nruncmd:\n  - curl -sfL https://get.k3s.io -o k3s.sh\n  - sh k3s.sh agent\n'
        },
        "k3s, Ansible's template": {
            "roles/k3s/tasks/main.yml": "- name: Download\n  ansible.builtin.get_url: {url: https://get.k3s.io, dest: /tmp/k3s.sh, mode: '0755'}\n"
            "- name: Install\n  ansible.builtin.command: /tmp/k3s.sh agent\n- name: containerd\n  ansible.builtin.template:\n    src: containerd.j2\n"
            f"    dest: {_OF_K3S}@@\n",
            "roles/k3s/templates/containerd.j2": '[debug]\n  level = "{{ level }}"\n',
        },
        "k3s, Ansible's copy": {
            "k3s.yml": _PLAY
            + f'      ansible.builtin.copy:\n        dest: {_OF_K3S}@@\n        content: |\n          [debug]\n            level = "info"\n'
        },
        "k3s, Ansible's blockinfile": {
            "k3s.yml": _PLAY
            + f'      ansible.builtin.blockinfile:\n        path: {_OF_K3S}@@\n        block: |\n          [debug]\n            level = "info"\n'
        },
        "k3s, Ansible's lineinfile": {
            "k3s.yml": _PLAY
            + f"      ansible.builtin.lineinfile:\n        path: {_OF_K3S}@@\n        line: '[debug]'\n"
        },
        "k3s, Ansible's shell": {"k3s.yml": _PLAY + f"      ansible.builtin.shell: echo '[debug]' >> {_OF_K3S}@@\n"},
        "k3s, nvidia-ctk": {
            "node.sh": "#!/bin/bash\nset -e\ncurl -sfL https://get.k3s.io -o k3s.sh\nsh k3s.sh agent\n"
            f"nvidia-ctk runtime configure --runtime=containerd --config={_OF_K3S}@@\nsystemctl restart k3s-agent\n"
        },
        "RKE2, a script": {
            "node.sh": "#!/bin/bash\nset -e\ncurl -sfL https://get.rke2.io -o rke2.sh\nINSTALL_RKE2_TYPE=agent sh rke2.sh\n"
            f'tee {_OF_RKE2}@@ <<EOF\n[debug]\n  level = "info"\nEOF\nsystemctl enable --now rke2-agent\n'
        },
        "RKE2, Cluster API": {
            "cluster.yaml": capi(
                "RKE2ConfigTemplate",
                "gpu",
                f'files:\n  - path: {_OF_RKE2}@@\n    content: |\n      [debug]\n        level = "info"\n',
                "bootstrap.cluster.x-k8s.io/v1beta1",
            )
        },
        "k3s, Cluster API": {
            "cluster.yaml": capi(
                "KThreesConfigTemplate",
                "gpu",
                f'files:\n  - path: {_OF_K3S}@@\n    content: |\n      [debug]\n        level = "info"\n',
                "bootstrap.cluster.x-k8s.io/v1beta2",
            )
        },
    },
    shown={
        "k3s, Ansible's template": "ansible.builtin.template:",
        "k3s, Ansible's copy": "content: |",
        "k3s, Ansible's blockinfile": "block: |",
        "k3s, Ansible's lineinfile": "ansible.builtin.lineinfile:",
        "RKE2, Cluster API": "content: |",
        "k3s, Cluster API": "content: |",
    },
)
_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: smoke}\nspec:\n  restartPolicy: Never\n  tolerations:\n"
    "    - {key: nvidia.com/gpu, operator: Exists}\n  containers:\n    - name: cuda\n      image: nvcr.io/nvidia/cuda:12.9.1-base-ubuntu24.04\n"
    "      resources: {limits: {nvidia.com/gpu: 1}}\n"
)
_NONE = _all(
    "a pool whose limit is none",
    "nodepool-can-serve",
    "0",
    "16",
    {
        "Karpenter NodePool": {
            "pool.yaml": karpenter_pool().replace("nvidia.com/gpu: 16", "nvidia.com/gpu: @@"),
            "class.yaml": karpenter_class(),
            "pod.yaml": _POD,
        },
        "Karpenter, a script's heredoc": {
            "karpenter.sh": "#!/bin/bash\nset -e\ncat <<EOF | kubectl apply -f -\n"
            + karpenter_pool().replace("nvidia.com/gpu: 16", "nvidia.com/gpu: @@")
            + "EOF\n",
            "class.yaml": karpenter_class(),
            "pod.yaml": _POD,
        },
        "EKS Auto Mode": {
            "pool.yaml": karpenter_pool("g6", "eks.amazonaws.com/instance-family", auto=True).replace(
                "nvidia.com/gpu: 16", "nvidia.com/gpu: @@"
            ),
            "pod.yaml": _POD,
        },
    },
)
_KEPT_AWAY = _all(
    "pods that do not tolerate the pool",
    "nodepool-can-serve",
    "example.com/gpu",
    "nvidia.com/gpu",
    {
        "Karpenter NodePool": {
            "pool.yaml": karpenter_pool().replace("key: nvidia.com/gpu,", "key: @@,"),
            "class.yaml": karpenter_class(),
            "pod.yaml": _POD,
        },
        "EKS Auto Mode": {
            "pool.yaml": karpenter_pool("g6", "eks.amazonaws.com/instance-family", auto=True).replace(
                "key: nvidia.com/gpu,", "key: @@,"
            ),
            "pod.yaml": _POD,
        },
    },
    shown=dict.fromkeys(("Karpenter NodePool", "EKS Auto Mode"), "- {key: nvidia.com/gpu, operator"),
)
FAULTS: Final = (
    *(
        *_NO_TYPE,
        *_NO_FAMILY,
        *_NO_SIZE,
        *_NO_ACCELERATOR,
        *_OF_AL2,
        *_NO_VERSION,
        *_NO_ALIAS,
        *_SSH,
        *_FIXED,
        *_KEPT,
        *_NONE,
    ),
    *_KEPT_AWAY,
)
