"""Faults of what a node runs, each as a few lines of shell, with what would be right in their place.

Every seed makes a node by itself: no rule needs a fleet to speak of it. `shown` is what the finding is about: the line
that has these words is where it stands, through whatever door the lines came.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from nodeworthy.known.containerd import containerd_of


@dataclass(frozen=True)
class Seed:
    name: str
    rule: str
    faulty: tuple[str, ...]
    healthy: tuple[str, ...]
    shown: str


_MODULES = (
    "modprobe br_netfilter",
    "echo br_netfilter > /etc/modules-load.d/k8s.conf",
)
_SWAP_OFF = ("swapoff -a", "sed -ri '/\\sswap\\s/s/^/#/' /etc/fstab")
_PACKAGES = "apt-get install -y containerd kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1"
_ENABLED = "systemctl enable --now containerd kubelet"
_JOIN = "kubeadm join 10.20.0.10:6443 --config /root/join.yaml"


def _node(*steps: str, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A worker of kubeadm as it should be made, with these steps behind its packages."""
    return (*before, "apt-get update", _PACKAGES, *steps, _ENABLED, _JOIN)


_OLD_ARCHIVE = (
    'echo "deb [signed-by=/usr/share/keyrings/k8s.gpg] https://apt.kubernetes.io/ kubernetes-xenial main" '
    "| tee /etc/apt/sources.list.d/kubernetes.list"
)
_NEW_ARCHIVE = (
    'echo "deb [signed-by=/usr/share/keyrings/k8s.gpg] https://pkgs.k8s.io/core:/stable:/v1.33/deb/ /" '
    "| tee /etc/apt/sources.list.d/kubernetes.list"
)
_CONFIG = str(containerd_of("kubeadm").config)
_HOSTS = f"{posixpath.dirname(_CONFIG)}/certs.d"
_TEMPLATE_OF_K3S = str(containerd_of("k3s").config)

_OF_ROCKY = (
    "dnf install -y cri-o kubelet-1.33.1 kubeadm-1.33.1",
    "systemctl enable --now crio kubelet",
    _JOIN,
)
_OF_SNAP = ("snap install k8s --classic --channel=1.32-classic/stable", 'k8s join-cluster "$(cat /root/join-token)"')
_BY_CONFIG_PATH = f"""version = 2
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = true
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "{_HOSTS}"
"""
_MIRRORS = f"""{_BY_CONFIG_PATH}[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
endpoint = ["https://mirror.example.com"]
"""


def _written(config: str) -> str:
    return f"cat > {_CONFIG} <<'EOF'\n{config}EOF"


def _unit(end: str) -> str:
    lines = ("[Service]", "ExecStart=/usr/local/bin/agent", "ExecReload=/bin/kill -HUP $MAINPID")
    return "\n".join((f"cat > /etc/systemd/system/agent.service <<{end}", *lines, "EOF"))


SEEDS = (
    Seed(
        "swap-off-for-this-boot",
        "kubelet-survives-reboot",
        _node(before=("swapoff -a",)),
        _node(before=_SWAP_OFF),
        "swapoff -a",
    ),
    Seed(
        "module-for-this-boot",
        "kubelet-survives-reboot",
        _node("echo net.bridge.bridge-nf-call-iptables=1 > /etc/sysctl.d/k8s.conf", before=(_MODULES[0],)),
        _node("echo net.bridge.bridge-nf-call-iptables=1 > /etc/sysctl.d/k8s.conf", before=_MODULES),
        "modprobe br_netfilter",
    ),
    Seed(
        "kubelet-not-enabled",
        "kubelet-survives-reboot",
        ("dnf install -y kubelet-1.33.1 kubeadm-1.33.1", _JOIN),
        ("dnf install -y kubelet-1.33.1 kubeadm-1.33.1", "systemctl enable kubelet", _JOIN),
        "kubeadm join",
    ),
    Seed(
        "archive-gone", "kubelet-survives-reboot", (_OLD_ARCHIVE, *_node()), (_NEW_ARCHIVE, *_node()), "apt.kubernetes"
    ),
    Seed(
        "ufw-disabled",
        "firewall-no-wider",
        _node(before=("ufw disable",)),
        _node(),
        "ufw disable",
    ),
    Seed(
        "firewalld-off",
        "firewall-no-wider",
        ("systemctl disable --now firewalld", *_OF_ROCKY),
        _OF_ROCKY,
        "disable --now firewalld",
    ),
    Seed(
        "ufw-drops-pods",
        "pod-egress-forwarded",
        ("ufw allow 22/tcp", "ufw --force enable", *_OF_SNAP),
        _OF_SNAP,
        "ufw --force enable",
    ),
    Seed(
        "join-may-fail",
        "failure-is-loud",
        ("apt-get update", _PACKAGES, _ENABLED, f"{_JOIN} || true"),
        _node(),
        "kubeadm join",
    ),
    Seed(
        "driver-may-fail",
        "failure-is-loud",
        ("apt-get install -y nvidia-driver-570-server || true", *_node()),
        ("apt-get install -y nvidia-driver-570-server", *_node()),
        "nvidia-driver-570-server",
    ),
    Seed(
        "mirrors-beside-config-path",
        "containerd-config-read",
        _node(_written(_MIRRORS), "systemctl restart containerd"),
        _node(_written(_BY_CONFIG_PATH), "systemctl restart containerd"),
        "registry.mirrors",
    ),
    Seed(
        "unit-loses-its-variable",
        "heredoc-expands-late",
        _node(_unit("EOF"), "systemctl daemon-reload"),
        _node(_unit("'EOF'"), "systemctl daemon-reload"),
        "$MAINPID",
    ),
    Seed(
        "toolkit-tells-docker-only",
        "toolkit-reaches-containerd",
        _node(
            "apt-get install -y nvidia-driver-570-server nvidia-container-toolkit",
            "nvidia-ctk runtime configure --runtime=docker",
        ),
        _node(
            "apt-get install -y nvidia-driver-570-server nvidia-container-toolkit",
            "nvidia-ctk runtime configure --runtime=containerd --set-as-default",
            "systemctl restart containerd",
        ),
        "nvidia-container-toolkit",
    ),
    Seed(
        "edit-of-k3s-config",
        "containerd-edit-survives",
        (
            "curl -sfL https://get.k3s.io -o /root/k3s.sh",
            "K3S_URL=https://10.20.0.10:6443 K3S_TOKEN_FILE=/root/token sh /root/k3s.sh agent",
            f"sed -i 's/runc/nvidia/' {_TEMPLATE_OF_K3S}",
        ),
        (
            "curl -sfL https://get.k3s.io -o /root/k3s.sh",
            "K3S_URL=https://10.20.0.10:6443 K3S_TOKEN_FILE=/root/token sh /root/k3s.sh agent",
        ),
        _TEMPLATE_OF_K3S,
    ),
    Seed(
        "option-that-k3s-has-no-more",
        "joins-its-cluster",
        (
            "curl -sfL https://get.k3s.io -o /root/k3s.sh",
            'INSTALL_K3S_EXEC="server --no-deploy traefik" sh /root/k3s.sh',
        ),
        (
            "curl -sfL https://get.k3s.io -o /root/k3s.sh",
            'INSTALL_K3S_EXEC="server --disable traefik" sh /root/k3s.sh',
        ),
        "--no-deploy",
    ),
    Seed(
        "token-in-plain-sight",
        "no-secret-in-plain-sight",
        (
            "apt-get update",
            _PACKAGES,
            _ENABLED,
            f"kubeadm join 10.20.0.10:6443 --token {'x7k2mq'}.{'t4v9w1c8z3b6n5d0'} --discovery-token-ca-cert-hash sha256:{'4f' * 32}",
        ),
        _node(),
        "kubeadm join",
    ),
    Seed(
        "storage-holds-the-boot",
        "shared-storage-mounted",
        _node("echo '10.20.0.9:/export /shared nfs defaults 0 0' >> /etc/fstab", "mount -a"),
        _node("echo '10.20.0.9:/export /shared nfs defaults,_netdev,nofail 0 0' >> /etc/fstab", "mount -a || true"),
        "/export /shared",
    ),
    Seed(
        "profiling-behind-the-driver",
        "profiling-before-driver",
        _node(
            "apt-get install -y nvidia-driver-570-server",
            "modprobe nvidia",
            "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf",
        ),
        _node(
            "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf",
            "apt-get install -y nvidia-driver-570-server",
            "modprobe nvidia",
        ),
        "NVreg_",
    ),
    Seed(
        "fabric-manager-of-another-branch",
        "fabric-manager-runs",
        _node(
            "apt-get install -y nvidia-driver-570-server nvidia-fabricmanager-550",
            "systemctl enable --now nvidia-fabricmanager",
        ),
        _node(
            "apt-get install -y nvidia-driver-570-server nvidia-fabricmanager-570",
            "systemctl enable --now nvidia-fabricmanager",
        ),
        "nvidia-fabricmanager-550",
    ),
    Seed(
        "if-without-an-end",
        "shell-parses",
        _node("if [ -e /dev/nvidia0 ]; then\nnvidia-smi -pm 1"),
        _node("if [ -e /dev/nvidia0 ]; then\nnvidia-smi -pm 1\nfi"),
        "kubeadm join",
    ),
    Seed(
        "cuda-brings-a-second-driver",
        "one-driver",
        _node(
            "sh /opt/NVIDIA-Linux-x86_64-570.133.20.run --silent --dkms",
            "apt-get install -y cuda",
        ),
        _node("sh /opt/NVIDIA-Linux-x86_64-570.133.20.run --silent --dkms", "apt-get install -y cuda-toolkit-12-8"),
        "apt-get install -y cuda",
    ),
)
