"""The GPU operator as a script installs it, and the cluster that the script makes of its machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of, defaults
from tests.run import Ran, run_json

K3S = "curl -sfL https://get.k3s.io | sh -\n"
INSTALL = "helm install gpu-operator nvidia/gpu-operator -n gpu-operator --set driver.enabled=false"
STOCK, OURS = defaults().socket, containerd_of("k3s").socket
SET = "--set toolkit.env[0].name=CONTAINERD_SOCKET --set toolkit.env[0].value="
SOCKET = f"{SET}{OURS}"
FINE = {
    "of a cluster elsewhere": f"{K3S}export KUBECONFIG=/srv/prod.yaml\n{INSTALL}",
    "by a context": f"{K3S}{INSTALL} --kube-context prod",
    "without any cluster": INSTALL,
    "with kubeadm": f"kubeadm init --config kubeadm.yaml\n{INSTALL}",
    "with another containerd": f"curl -sfL https://get.k3s.io | sh -s - server --docker\n{INSTALL}",
    "k3s or kubeadm": f"if [ -e /k3s ]; then\n{K3S}else\nkubeadm join 10.0.0.1:6443 --token $T\nfi\n{INSTALL}",
    "another chart": f"{K3S}helm install nfd nfd/node-feature-discovery",
    "taken away": f"{K3S}helm uninstall gpu-operator -n gpu-operator",
    "without the toolkit": f"{K3S}{INSTALL} --set toolkit.enabled=false",
    "with the toolkit in the middle": f"{K3S}{INSTALL} --set a=b,toolkit.enabled=false",
    "k8s-snap without a base dir": f"snap install k8s --classic\nk8s bootstrap\n{INSTALL}",
    "with NRI": f"{K3S}{INSTALL} --version v26.3.1 --set cdi.nriPluginEnabled=true",
}
WRONG = {
    "k3s": f"{K3S}{INSTALL}",
    "k3s by its kubeconfig alone": f"export KUBECONFIG=/etc/rancher/k3s/k3s.yaml\n{INSTALL}",
    "a kubeconfig that the script copies": f"{K3S}cp /etc/rancher/k3s/k3s.yaml /root/k.yaml\nKUBECONFIG=/root/k.yaml {INSTALL}",
    "behind a variable it wins": f"{K3S}{INSTALL} $MORE --set toolkit.enabled=true {SET}{STOCK}",
    "k0s": f"curl -sSf https://get.k0s.sh | sh\nk0s install controller --single\nk0s start\n{INSTALL}",
    "k8s-snap with a base dir": (
        "snap install k8s --classic\ncat > /root/b.yaml <<EOF\ncontainerd-base-dir: /var/lib/k8s-containerd\nEOF\n"
        f"k8s bootstrap --file /root/b.yaml\n{INSTALL}"
    ),
    "an OCI chart": f"{K3S}helm install op oci://example.com/nvidia/gpu-operator",
}


def judged(here: Path, script: str) -> Ran:
    (here / "node.sh").write_text(f"#!/bin/bash\nset -euo pipefail\n{script}\n")
    return run_json("check", "node.sh", "--rule", "containerd-paths")


@pytest.mark.parametrize("name", FINE)
def test_nothing_is_told_of_what_is_right_or_of_another_cluster(here: Path, name: str) -> None:
    assert judged(here, FINE[name]).findings == []


@pytest.mark.parametrize("name", WRONG)
def test_the_stock_containerd_is_wrong(here: Path, name: str) -> None:
    found = judged(here, WRONG[name]).findings
    assert [each["verdict"] for each in found] == ["fail"]
    assert "helm" in (here / "node.sh").read_text().split("\n")[found[0]["where"]["line"] - 1]


@pytest.mark.parametrize(
    "more", [f"{SOCKET} $MORE", "$MORE", "--reuse-values", '--set "$KEY=1"', "-f https://x/v.yaml"]
)
def test_what_stands_elsewhere_is_not_known(here: Path, more: str) -> None:
    found = judged(here, f"{K3S}{INSTALL} {more}").findings
    assert [each["verdict"] for each in found] == ["unknown"]


@pytest.mark.parametrize("value", ["$SOCKET", "${SOCKET:-/run/x.sock}"])
def test_a_value_that_the_shell_fills_in_is_not_known(here: Path, value: str) -> None:
    more = f"{SET}{value}"
    assert {each["verdict"] for each in judged(here, f"{K3S}{INSTALL} {more}").findings} <= {"unknown", "fail"}
    assert judged(here, f"{K3S}{INSTALL} {more}").findings
