"""What infrastructure has machines run beside their user data: by ssh, by files that are written, by recipes. And values
that lie elsewhere than the root which makes their cluster."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent
from typing import Final

from nodeworthy.known.containerd import containerd_of, defaults

Files = dict[str, str]


@dataclass(frozen=True)
class Pair:
    name: str
    rule: str
    ill: Files
    well: Files
    # The words of the line on which the fault is told, and the file.
    path: str
    shown: str


_JOIN = "apt-get install -y containerd kubelet kubeadm\nkubeadm join 10.20.0.10:6443 --config /root/join.yaml\n"
_DRIVER = "apt-get install -y nvidia-driver-580-server\n"
_OPTION = "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 > /etc/modprobe.d/nvprof.conf\n"
_WELL: Final = f"set -eu\n{_OPTION}{_DRIVER}update-initramfs -u\n{_JOIN}"
_ILL: Final = f"set -eu\n{_DRIVER}{_OPTION}{_JOIN}"
_HEAD = "#!/bin/bash\n"


def _ssh(script: str) -> Files:
    lines = "".join(f'    "{each}",\n' for each in script.splitlines())
    return {"main.tf": f'resource "ssh_resource" "node" {{\n  host = "10.20.0.21"\n  commands = [\n{lines}  ]\n}}\n'}


def _local_file(script: str) -> Files:
    text = indent(_HEAD + script, " " * 4)
    return {
        "main.tf": 'resource "local_sensitive_file" "join" {\n  filename = "join.sh"\n'
        f"  content  = <<-EOT\n{text}  EOT\n}}\n"
    }


def _pulumi_yaml(script: str) -> Files:
    text = indent(_HEAD + script, " " * 8)
    return {
        "Pulumi.yaml": "name: gpu\nruntime: yaml\nresources:\n  node:\n    type: command:remote:Command\n"
        f"    properties:\n      connection: {{host: 10.20.0.21}}\n      create: |\n{text}"
    }


def _pulumi_typescript(script: str) -> Files:
    return {
        "index.ts": 'import * as command from "@pulumi/command";\n'
        'const node = new command.remote.Command("node", {\n  connection: { host: "10.20.0.21" },\n'
        f"  create: `{_HEAD}{script}`,\n}});\n"
    }


def _pulumi_python(script: str) -> Files:
    return {
        "__main__.py": "import pulumi_command as command\n\nnode = command.remote.Command(\n"
        f'    "node",\n    connection=HOST,\n    create="""{_HEAD}{script}""",\n)\n'
    }


def _butane(script: str) -> Files:
    text = indent(_HEAD + script, " " * 10)
    return {
        "node.bu": "variant: flatcar\nversion: 1.1.0\nstorage:\n  files:\n    - path: /opt/node.sh\n      mode: 0755\n"
        f"      contents:\n        inline: |\n{text}systemd:\n  units:\n    - name: node.service\n"
        "      enabled: true\n      contents: |\n        [Service]\n        Type=oneshot\n        ExecStart=/opt/node.sh\n"
    }


_BY_SCRIPT = {
    "ssh_resource": _ssh,
    "local_sensitive_file": _local_file,
    "Pulumi's command in YAML": _pulumi_yaml,
    "Pulumi's command in TypeScript": _pulumi_typescript,
    "Pulumi's command in Python": _pulumi_python,
    "Butane in a file of its own": _butane,
}

_K3S, _STOCK = containerd_of("k3s").socket or "", defaults().socket or ""
_SERVER = {"server.sh": f"{_HEAD}set -e\ncurl -sfL https://get.k3s.io -o /tmp/k3s.sh\nsh /tmp/k3s.sh server\n"}


def _just(socket: str) -> Files:
    return {
        **_SERVER,
        "justfile": f"socket := '{socket}'\n\noperator:\n    helm upgrade --install gpu-operator nvidia/gpu-operator "
        "--set toolkit.env[0].name=CONTAINERD_SOCKET --set toolkit.env[0].value={{ socket }}\n",
    }


_ROOT = """\
resource "aws_eks_node_group" "gpu" {
  cluster_name    = "gpu"
  node_group_name = "gpu"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0aaaaaaaaaaaaaaaa"]
  ami_type        = "AL2023_x86_64_NVIDIA"
  instance_types  = ["g6.2xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
"""


def _beside_a_root(driver: str) -> Files:
    return {
        "terraform/main.tf": _ROOT,
        "k8s/gpu-operator/values.yaml": f"driver:\n  enabled: {driver}\ntoolkit:\n  enabled: false\n",
    }


def _two_plugins(enabled: str) -> Files:
    """Argo CD's path of values begins with the folder of the repository that lies here alone."""
    head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s, namespace: argocd}\nspec:\n"
    return {
        "apps/gpu-operator.yaml": head % "gpu-operator" + "  sources:\n"
        "    - repoURL: https://helm.ngc.nvidia.com/nvidia\n      chart: gpu-operator\n      targetRevision: v25.3.4\n"
        "      helm: {valueFiles: [$values/gitops/platform/gpu-operator/values.yaml]}\n"
        "    - {repoURL: https://git.example.com/gitops.git, targetRevision: main, ref: values}\n",
        "apps/hami.yaml": head % "hami" + "  source:\n    repoURL: https://project-hami.github.io/HAMi/\n"
        "    chart: hami\n    targetRevision: 2.10.0\n",
        "platform/gpu-operator/values.yaml": f"driver:\n  enabled: false\ndevicePlugin:\n  enabled: {enabled}\n",
    }


def _roles(enabled: str) -> Files:
    return {
        "site.yml": "- hosts: all\n  roles: [driver, operator]\n",
        "group_vars/all.yml": f"operator:\n  driver: {enabled}\n",
        "roles/driver/tasks/main.yml": "- ansible.builtin.apt: {name: nvidia-driver-580-server}\n"
        "- ansible.builtin.apt: {name: [containerd, kubelet, kubeadm]}\n"
        "- ansible.builtin.shell: kubeadm init --config /root/kubeadm.yaml\n",
        "roles/operator/tasks/main.yml": "- ansible.builtin.shell: |\n    helm install gpu-operator nvidia/gpu-operator \\\n"
        "      --set driver.enabled={{ operator.driver }}\n",
    }


PAIRS: Final = (
    *(
        Pair(name, "profiling-before-driver", write(_ILL), write(_WELL), next(iter(write(_ILL))), "NVreg_Restrict")
        for name, write in _BY_SCRIPT.items()
    ),
    Pair("a recipe of just", "containerd-paths", _just(_STOCK), _just(_K3S), "justfile", "helm upgrade"),
    Pair(
        "values beside the only root",
        "one-driver",
        _beside_a_root("true"),
        _beside_a_root("false"),
        "k8s/gpu-operator/values.yaml",
        "enabled: true",
    ),
    Pair(
        "values by their path in the repository",
        "one-device-plugin",
        _two_plugins("true"),
        _two_plugins("false"),
        "platform/gpu-operator/values.yaml",
        "enabled: true",
    ),
    Pair(
        "a variable of Ansible within another",
        "one-driver",
        _roles("true"),
        _roles("false"),
        "roles/operator/tasks/main.yml",
        "--set driver.enabled",
    ),
)
