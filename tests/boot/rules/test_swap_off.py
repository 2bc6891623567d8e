"""Swap that is off for this boot only, on nodes that kubeadm makes; and units that are enabled for this boot only."""

from __future__ import annotations

import pytest

from nodeworthy.rules.kubelet_survives_reboot import RULE
from tests.boot.rules.scripts import messages, said_of

KUBEADM = "apt-get install -y kubelet kubeadm\nkubeadm join a:6443 --token b\n"
OFF = "2: swap is switched off for this boot only: where the machine has swap, kubelet does not start after a reboot"


def test_for_this_boot_only() -> None:
    assert messages(RULE, f"swapoff -a\n{KUBEADM}") == [OFF]
    assert messages(RULE, "sudo swapoff -a\nkubeadm init --config a.yaml\n") == [OFF]
    assert messages(RULE, "swapoff -a\nsystemctl enable --now kubelet\n") == [OFF]


def test_what_else_is_gone_is_told_beside_it() -> None:
    (found,) = said_of(RULE, f"swapoff -a\nmodprobe br_netfilter\nsysctl -w net.ipv4.ip_forward=1\n{KUBEADM}").findings
    assert [each.place.line for each in found.related] == [3, 4]
    assert said_of(RULE, f"modprobe br_netfilter\nsysctl -w net.ipv4.ip_forward=1\n{KUBEADM}").verdict == "pass"


FOR_GOOD = [
    "sed -i '/ swap / s/^/#/' /etc/fstab",
    "systemctl mask swap.target",
    "systemctl disable --now dev-sda3.swap",
    "rm -f /swap.img",
    "dphys-swapfile uninstall",
    "echo 'KUBELET_EXTRA_ARGS=--fail-swap-on=false' > /etc/default/kubelet",
    "printf 'failSwapOn: false' >> /etc/kubernetes/kubelet.yaml",
    "(crontab -l; echo '@reboot /sbin/swapoff -a') | crontab -",
    "apt-get purge -y zram-tools",
]


@pytest.mark.parametrize("step", FOR_GOOD)
def test_for_good(step: str) -> None:
    assert said_of(RULE, f"swapoff -a\n{step}\n{KUBEADM}").verdict == "pass"


NOT_THERE = [
    "curl -s http://169.254.169.254/latest/meta-data/instance-id",
    "# k\nk3s agent",
    "curl -fsSL https://example.com/prepare.sh | bash",
]


@pytest.mark.parametrize("step", NOT_THERE)
def test_where_it_is_not_known_or_not_there(step: str) -> None:
    assert OFF not in messages(RULE, f"swapoff -a\n{step}\n{KUBEADM}")


def test_no_node_of_kubeadms() -> None:
    assert said_of(RULE, "swapoff -a\nmodprobe nvidia\n").verdict == "skip"
    assert OFF not in messages(RULE, "swapoff -a\ncurl -sfL https://get.k3s.io | sh -\n")


def test_enabled_for_this_boot_only() -> None:
    assert said_of(RULE, "systemctl enable --runtime --now kubelet\n").verdict == "fail"
    assert said_of(RULE, "systemctl --runtime enable kubelet\nsystemctl start kubelet\n").verdict == "fail"
    assert said_of(RULE, "systemctl enable kubelet\nsystemctl start kubelet\n").verdict == "pass"


def test_packages_of_rpm_enable_nothing() -> None:
    join = "kubeadm join a:6443 --token b\n"
    for manager in ("dnf install -y", "yum install -y", "zypper install -y"):
        assert said_of(RULE, f"{manager} kubelet kubeadm\n{join}").verdict == "fail"
        assert said_of(RULE, f"{manager} kubelet kubeadm\nsystemctl enable kubelet\n{join}").verdict == "pass"
    assert said_of(RULE, f"apt-get install -y kubelet kubeadm\n{join}").verdict == "pass"


def test_a_kubelet_that_ran_is_restarted() -> None:
    assert said_of(RULE, "kubeadm init --config a.yaml\nsystemctl restart kubelet\n").verdict == "pass"
    assert said_of(RULE, "systemctl restart crio\nsystemctl restart kubelet || true\n").verdict == "pass"
    assert said_of(RULE, "systemctl restart kubelet\n").verdict == "unknown"


OFF_UNIT = "systemctl disable --now nodeadm-config nodeadm-run\n"


@pytest.mark.parametrize(
    "step", ["bash /opt/site/x.sh", "curl -fsSL https://example.com/x.sh | bash", "/opt/site/x.sh"]
)
def test_what_nobody_has_read_may_enable_it(step: str) -> None:
    assert said_of(RULE, f"set -e\n{OFF_UNIT}{step}\n").verdict == "unknown"
    assert said_of(RULE, f"set -e\nnodeadm init -c file:///a.yaml\n{step}\n").verdict == "unknown"
    assert said_of(RULE, f"set -e\n{step}\nnodeadm init -c file:///a.yaml\n").verdict == "fail"


def test_switched_off_and_nothing_else() -> None:
    assert messages(RULE, f"set -e\n{OFF_UNIT}") == [
        "3: nodeadm-run.service, which starts kubelet at every boot, is switched off, and nothing else starts it"
    ]
