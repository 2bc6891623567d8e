"""Which network pods have, by what a script shows: evidence and what follows from it."""

from __future__ import annotations

import ipaddress

import pytest

from nodeworthy.boot.origin import Straight
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.pods import FileBeside, lines_of, networks_in, pods_shown_by, shown_in_files
from nodeworthy.known.network_signs import ranges, signs, usual
from nodeworthy.known.pod_interfaces import cnis
from nodeworthy.verdict import Place


def networks(text: str) -> list[str]:
    return [each.key for each in networks_in(list(lines_of(text, Straight(Place("a.sh"))))).any_of]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("curl -sfL https://get.k3s.io | sh -", ["flannel"]),
        ("sudo systemctl status k3s --no-pager", ["flannel"]),
        ("systemctl enable --now rke2-agent", ["calico"]),
        ("snap install k8s --classic", ["cilium"]),
        ("snap install microk8s --classic", ["calico"]),
        ("/etc/eks/bootstrap.sh name", ["aws-vpc"]),
        ("kubectl apply -f https://example.com/v1/kube-flannel.yml", ["flannel"]),
        ("kubectl create -f manifests/tigera-operator.yaml", ["calico"]),
        ("cilium install --version 1.18.2", ["cilium"]),
        ("helm upgrade --install cilium cilium/cilium -n kube-system", ["cilium"]),
        ("curl -sfL https://get.k3s.io | sh -s - --flannel-backend=none\ncilium install", ["cilium"]),
        ("curl -sfL https://get.k3s.io | sh -s - --flannel-backend none", []),
        ("curl -sfL https://get.k3s.io | sh -s - --flannel-backend=wireguard-native", ["flannel"]),
        ("# calico.yaml is applied later\ncurl -sfL https://get.k3s.io | sh -", ["flannel"]),
        ("curl https://get.rke2.io | sh -\nmkdir -p /etc/rancher/rke2/\ncni: cilium", ["cilium"]),
        ("mkdir -p /etc/rancher/rke2/\ncni:\n  - calico", ["calico"]),
        ("ufw allow from 10.42.0.0/16", ["flannel"]),
        ("# the ports of K3s", ["flannel"]),
        ("ufw allow 9345/tcp", ["calico"]),
        ("kubeadm init --pod-network-cidr=192.168.0.0/16", ["calico"]),
        ("kubectl apply -f kube-flannel.yml\nkubectl apply -f calico.yaml", ["flannel", "calico"]),
        ("kubeadm join 10.0.0.1:6443", []),
        ("cp /srv/k3s.txt /tmp", []),
    ],
)
def test_what_is_shown(text: str, expected: list[str]) -> None:
    assert networks(text) == expected


def pods(text: str) -> Pods:
    read = unpack(f"#!/bin/bash\n{text}".encode(), Place("a.sh"), name="a.sh")
    return pods_shown_by(BootScript(Place("a.sh"), read), Pods())


def test_ranges() -> None:
    usual_ones = pods("curl -sfL https://get.k3s.io | sh -")
    assert usual_ones.pod_range is None
    assert [str(each) for each in usual_ones.ranges] == ["10.42.0.0/16", "10.43.0.0/16"]
    chosen = pods('PODS=10.52.0.0/16\ncurl -sfL https://get.k3s.io | sh -s - --cluster-cidr "$PODS"')
    assert chosen.pod_range == ipaddress.ip_network("10.52.0.0/16")
    assert pods("kubeadm init --pod-network-cidr=${CIDR:-10.100.0.0/16}").pod_range == ipaddress.ip_network(
        "10.100.0.0/16"
    )
    assert pods("kubeadm init --pod-network-cidr=$CIDR").pod_range is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IFACE=$(ip -4 route get 1.1.1.1 | awk '{print $5}')", "$IFACE"),
        ("ufw allow in on ens10", ""),
        ("ufw allow in on ens10\nip addr show eth0", ""),
        ("echo nothing", ""),
    ],
)
def test_the_uplink(text: str, expected: str) -> None:
    assert pods(text).uplink == expected


def test_signs_name_what_is_known() -> None:
    known = {each.key for each in cnis()}
    for each in signs():
        assert each.confidence in ("certain", "likely")
        assert bool(each.network) + bool(each.distribution) + each.without == 1, each.id
        assert not each.network or each.network in known
        assert each.source
    assert usual("nothing of ours").pods == ""


def test_long_lines_end() -> None:
    assert networks("helm install " * 200_000) == []
    assert networks("snap install " + "-a " * 300_000) == []


def test_beside_a_script_each_sign_counts_at_its_first_place_that_is_no_comment() -> None:
    first = "# curl https://get.k3s.io\ncilium-values.yaml: here\n"
    second = "curl -sfL https://get.k3s.io | sh -\ncni:\n  calico\n"
    around = shown_in_files([FileBeside(first, Place("a.sh")), FileBeside(second, Place("b.yaml"))])
    found = networks_in(list(lines_of("ufw allow 22", Straight(Place("own.sh")))), around)
    assert [(each.sign.id, each.place.path, each.place.line) for each in found.by] == [
        ("cilium", "a.sh", 2),
        ("chosen-calico", "b.yaml", 2),
    ]
    assert found.is_guessed


def test_whatever_is_looked_for_holds_one_of_its_words() -> None:
    known = [(each.text, each.words) for each in signs()] + [(each.text, each.words) for each in ranges()]
    for text, words in known:
        for branch in branches(text.pattern):
            assert any(word in branch.replace("\\", "") for word in words), branch


def branches(written: str) -> list[str]:
    """Of a pattern, those between the bars outside of all brackets."""
    found, depth = [""], 0
    for mark in written:
        depth += (mark in "([") - (mark in ")]")
        found = [*found, ""] if mark == "|" and depth == 0 else [*found[:-1], found[-1] + mark]
    return found
