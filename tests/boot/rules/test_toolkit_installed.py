"""A toolkit on a node of Kubernetes: whether the script tells its containerd of it, or somebody else may."""

from __future__ import annotations

import pytest

from nodeworthy.known.containerd import defaults
from nodeworthy.rules.toolkit_reaches_containerd import RULE
from tests.boot.rules.scripts import messages, said_of

CONFIG = defaults().config
NODE = "apt-get install -y containerd.io kubelet kubeadm\n"
TOOLKIT = "apt-get install -y nvidia-container-toolkit\n"
K3S = "curl -sfL https://get.k3s.io | sh -\n"


def test_told_to_no_containerd() -> None:
    assert messages(RULE, f"{NODE}{TOOLKIT}systemctl restart containerd\n") == [
        "3: nvidia-container-toolkit is installed, and the runtime nvidia is written into no containerd"
    ]


def test_told_to_docker_only() -> None:
    (found,) = said_of(RULE, f"{NODE}{TOOLKIT}nvidia-ctk runtime configure --runtime=docker\n").findings
    assert found.severity == "warning"
    assert found.related[-1].place.line == 4


@pytest.mark.parametrize(
    "step",
    [
        "nvidia-ctk runtime configure --runtime=containerd",
        "nvidia-ctk runtime configure --runtime=$RUNTIME --set-as-default",
        f"cat > {CONFIG} <<'EOF'\ndefault_runtime_name = \"nvidia\"\nEOF",
        f"curl -fsSL https://example.com/config.toml -o {CONFIG}",
    ],
)
def test_told_to_containerd(step: str) -> None:
    assert said_of(RULE, f"{NODE}{TOOLKIT}{step}\nsystemctl restart containerd\n").verdict == "pass"


@pytest.mark.parametrize(
    "text",
    [
        TOOLKIT,
        f"apt-get install -y docker.io\n{TOOLKIT}nvidia-ctk runtime configure --runtime=docker\n",
        f"{NODE}{TOOLKIT}helm install gpu-operator nvidia/gpu-operator\n",
        f"{NODE}{TOOLKIT}nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml\n",
        f"{NODE}{TOOLKIT}bash /opt/site/runtime.sh\n",
        f"{TOOLKIT}/etc/eks/bootstrap.sh gpu-dev\n",
    ],
)
def test_nobody_is_to_be_told_or_somebody_else_does(text: str) -> None:
    assert said_of(RULE, text).verdict == "skip"


def test_k3s_looks_for_it_when_it_starts() -> None:
    (found,) = said_of(RULE, f"{K3S}{TOOLKIT}").findings
    assert found.severity == "warning"
    for well in (f"{TOOLKIT}{K3S}", f"{K3S}{TOOLKIT}systemctl restart k3s\n"):
        assert said_of(RULE, well).verdict == "pass"


def test_the_image_has_none_where_the_driver_is_installed_or_the_node_has_joined() -> None:
    join = "/etc/eks/bootstrap.sh gpu-dev\n"
    assert said_of(RULE, f"{join}yum install -y nvidia-container-toolkit\n").verdict == "fail"
    assert said_of(RULE, f"yum install -y nvidia-driver nvidia-container-toolkit\n{join}").verdict == "fail"
