"""Everything that a pool can have wrong is refused with its place, what is there, and what would be right."""

from __future__ import annotations

import pytest

from tests.fleet.reading import faults_of, with_pool

POOLS = {
    "nodes as text": (["nodes: two"], '4:12: pools.p.nodes is "two", and must be a whole number, 0 or more'),
    "nodes quoted": (
        ['nodes: "2"'],
        '4:12: pools.p.nodes is "2", and must be a whole number, 0 or more: remove the quotes',
    ),
    "nodes negative": (["nodes: -1"], "4:12: pools.p.nodes is -1, and must be a whole number, 0 or more"),
    "nodes broken": (["nodes: 1.5"], "4:12: pools.p.nodes is 1.5, and must be a whole number, 0 or more"),
    "nodes a truth": (["nodes: yes"], "4:12: pools.p.nodes is true, and must be a whole number, 0 or more"),
    "nodes empty": (["nodes:"], "4:11: pools.p.nodes is empty, and must be a whole number, 0 or more"),
    "nodes a mapping": (
        ["nodes: {desired: 2}"],
        "4:12: pools.p.nodes is a mapping, and must be a whole number, 0 or more",
    ),
    "min above nodes": (
        ["nodes: 2", "min: 3"],
        "5:10: pools.p.min is 3, and must be no more than nodes, which is 2",
    ),
    "max below nodes": (
        ["nodes: 2", "max: 1"],
        "5:10: pools.p.max is 1, and must be no less than nodes, which is 2",
    ),
    "no GPU on a node": (
        ["gpu: h100", "gpusPerNode: 0"],
        "5:18: pools.p.gpusPerNode is 0, and must be a whole number, 1 or more",
    ),
    "GPUs of nothing": (["gpusPerNode: 8"], "4:18: pools.p.gpusPerNode is given, and the pool has no gpu: say which"),
    "unknown key": (
        ["instance_type: p5.48xlarge"],
        "4:5: pools.p.instance_type: there is no such key; did you mean instanceType?",
    ),
    "misspelt key": (["gpuPerNode: 8"], "4:5: pools.p.gpuPerNode: there is no such key; did you mean gpusPerNode?"),
    "foreign key": (
        ["xyzzy: 8"],
        (
            "4:5: pools.p.xyzzy: there is no such key; what may stand here: gpu, instanceType, nodes, "
            "min, max, gpusPerNode, "
            "os, distribution, containerd, containerdBaseDir, snapConfinement, driver, capacity, firewall, "
            "profilingDedicated, provision"
        ),
    ),
    "key twice": (["gpu: h100", "gpu: h200"], "5:5: pools.p.gpu stands twice: it is already in line 4"),
    "unknown os": (
        ["os: al2022"],
        '4:9: pools.p.os is "al2022", and must be al2023, al2, ubuntu-22.04, ubuntu-24.04 or bottlerocket; did you mean al2023?',
    ),
    "unknown distribution": (
        ["distribution: k8ssnap"],
        (
            '4:19: pools.p.distribution is "k8ssnap", and is no distribution we know; did you mean k8s-snap?: kubeadm, '
            "eks-al2023, eks-al2, eks-ubuntu, aks, k3s, rke2, microk8s, k8s-snap, k0s, kops, gardener, crio, gke-cos, gke-ubuntu, bottlerocket, talos"
        ),
    ),
    "os against distribution": (
        ["os: al2", "distribution: eks-al2023"],
        "4:9: pools.p.os is al2, and distribution is eks-al2023: os must be al2023",
    ),
    "snap on Amazon Linux": (
        ["os: al2023", "distribution: k8s-snap"],
        "4:9: pools.p.os is al2023, and distribution is k8s-snap: os must be ubuntu-22.04 or ubuntu-24.04",
    ),
    "os on COS": (
        ["os: al2023", "distribution: gke-cos"],
        "4:9: pools.p.os is al2023, and distribution is gke-cos: os must be left out: none of these systems runs it",
    ),
    "containerd unquoted": (
        ["containerd: 2.10"],
        (
            '4:17: pools.p.containerd is 2.1, and must be a minor version in quotes, such as "2.2": '
            'quote it, "2.1", or YAML drops '
            "its zeros"
        ),
    ),
    "containerd with a patch": (
        ['containerd: "2.2.1"'],
        '4:17: pools.p.containerd is "2.2.1", and must be a minor version in quotes, such as "2.2": write "2.2"',
    ),
    "base dir elsewhere": (
        ["distribution: k3s", "containerdBaseDir: /var/lib/k3s"],
        "5:24: pools.p.containerdBaseDir belongs to distribution k8s-snap alone, and this one is k3s",
    ),
    "confinement elsewhere": (
        ["distribution: kubeadm", "snapConfinement: strict"],
        "5:22: pools.p.snapConfinement belongs to distribution k8s-snap alone, and this one is kubeadm",
    ),
    "base dir under strict confinement": (
        ["distribution: k8s-snap", "snapConfinement: strict", "containerdBaseDir: /var/lib/k8s"],
        "6:24: pools.p.containerdBaseDir can't be given where snapConfinement is strict: the snap then keeps its own",
    ),
    "base dir not absolute": (
        ["distribution: k8s-snap", "containerdBaseDir: var/lib/k8s"],
        "5:24: pools.p.containerdBaseDir is \"var/lib/k8s\", and must be an absolute path without blanks and '..'",
    ),
    "confinement unknown": (
        ["distribution: k8s-snap", "snapConfinement: devmode"],
        '5:22: pools.p.snapConfinement is "devmode", and must be classic or strict',
    ),
    "driver unknown": (
        ["driver: runfile"],
        '4:13: pools.p.driver is "runfile", and must be ami, user-data or operator',
    ),
    "firewall unknown": (["firewall: iptables"], '4:15: pools.p.firewall is "iptables", and must be none or ufw'),
    "capacity unknown": (
        ["capacity: {kind: spot}"],
        '4:22: pools.p.capacity.kind is "spot", and must be block, reservation or on-demand',
    ),
    "block without id": (
        ["capacity: {kind: block}"],
        "4:22: pools.p.capacity.id is missing: a block has an id, such as cr-0123",
    ),
    "reservation without id": (
        ["capacity: {kind: reservation}"],
        "4:22: pools.p.capacity.id is missing: a reservation has an id, such as cr-0123",
    ),
    "id of nothing": (
        ["capacity: {id: cr-0123}"],
        "4:20: pools.p.capacity.id is given, and kind is on-demand, which has none: kind must be block or reservation",
    ),
    "id of another kind": (
        ["capacity: {kind: block, id: lt-0123}"],
        '4:33: pools.p.capacity.id is "lt-0123", and must be a capacity reservation\'s id such as cr-0123',
    ),
    "capacity as text": (
        ["capacity: block"],
        '4:15: pools.p.capacity is "block", and must be a mapping: write capacity: {kind: block}',
    ),
    "more profiling than nodes": (
        ["nodes: 1", "profilingDedicated: 2"],
        "5:25: pools.p.profilingDedicated is 2, and must be no more than the pool's 1 nodes",
    ),
    "provision as text": (
        ['provision: "no"'],
        '4:16: pools.p.provision is "no", and must be true or false: write false, without quotes',
    ),
    "provision without a type": (
        ["gpu: h100", "provision: true"],
        "5:16: pools.p.provision is true, and must be false: without an instanceType no node can be built",
    ),
    "nodes encrypted": (
        ["nodes: {secure: v1:abc=}"],
        "4:12: pools.p.nodes is encrypted, and the fleet can't be resolved without it: write it plainly",
    ),
    "gpu blank": (['gpu: " "'], '4:10: pools.p.gpu is " ", and must be a GPU\'s name such as H100'),
    "gpu as a number": (["gpu: 100"], "4:10: pools.p.gpu is 100, and must be a GPU's name such as H100"),
}


@pytest.mark.parametrize(("lines", "message"), POOLS.values(), ids=POOLS)
def test_pool(lines: list[str], message: str) -> None:
    assert faults_of(with_pool(*lines)) == [message]
