"""Everything that a fleet can have wrong is refused with its place, what is there, and what would be right."""

from __future__ import annotations

import pytest

from tests.fleet.reading import faults_of, with_cluster, with_pool

EKS = "instanceType: p5.48xlarge"

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
        '4:9: pools.p.os is "al2022", and must be al2023, al2, ubuntu-22.04, ubuntu-24.04 or bottlerocket',
    ),
    "unknown distribution": (
        ["distribution: k8ssnap"],
        (
            '4:19: pools.p.distribution is "k8ssnap", and is no distribution we know; did you mean k8s-snap?: kubeadm, '
            "eks-al2023, eks-al2, eks-ubuntu, aks, k3s, rke2, microk8s, k8s-snap, k0s, crio, gke-cos, bottlerocket"
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
            "quote it, or YAML drops "
            "its zeros"
        ),
    ),
    "containerd with a patch": (
        ['containerd: "2.2.1"'],
        '4:17: pools.p.containerd is "2.2.1", and must be a minor version in quotes, such as "2.2"',
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
    "capacity as text": (["capacity: block"], '4:15: pools.p.capacity is "block", and must be a mapping'),
    "more profiling than nodes": (
        ["nodes: 1", "profilingDedicated: 2"],
        "5:25: pools.p.profilingDedicated is 2, and must be no more than the pool's 1 nodes",
    ),
    "provision as text": (['provision: "no"'], '4:16: pools.p.provision is "no", and must be true or false'),
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

CLUSTERS = {
    "version unquoted": (
        ["version: 1.30"],
        (
            "4:12: cluster.version is 1.3, and must be a minor version of Kubernetes in quotes, such "
            'as "1.34": quote it, or '
            "YAML drops its zeros"
        ),
    ),
    "version with a patch": (
        ['version: "1.34.1"'],
        '4:12: cluster.version is "1.34.1", and must be a minor version of Kubernetes in quotes, such as "1.34"',
    ),
    "address for a range": (
        ["podCidr: 10.0.0.1/16"],
        '4:12: cluster.podCidr is "10.0.0.1/16", and is an address within a range: the range itself is 10.0.0.0/16',
    ),
    "no length": (
        ["podCidr: 10.0.0.0"],
        '4:12: cluster.podCidr is "10.0.0.0", and must be a range of addresses with its length, such as 10.0.0.0/16',
    ),
    "no range": (
        ["serviceCidr: 10.0.0.0/33"],
        '4:16: cluster.serviceCidr is "10.0.0.0/33", and must be a range of addresses such as 10.0.0.0/16',
    ),
    "services over pods": (
        ["serviceCidr: 10.0.128.0/20"],
        "4:16: cluster.serviceCidr is 10.0.128.0/20, and must not overlap with cluster.podCidr, which is 10.0.0.0/16",
    ),
    "pods outside the VPC": (
        ["podCidr: 10.1.0.0/16"],
        (
            "4:12: cluster.podCidr is 10.1.0.0/16, and must be inside network.vpcCidr, which is "
            "10.0.0.0/16: EKS gives pods "
            "addresses of the VPC"
        ),
    ),
    "services over the VPC": (
        ["podCidr: 10.0.0.0/20", "serviceCidr: 10.0.128.0/20"],
        "5:16: cluster.serviceCidr is 10.0.128.0/20, and must not overlap with network.vpcCidr, which is 10.0.0.0/16",
    ),
    "name with a blank": (
        ["version: '1.34'", "Name: x"],
        "5:3: cluster.Name: there is no such key; did you mean name?",
    ),
}

OTHERS = {
    "no cluster": ("pools: {p: {}}\ncluster: {}", "2:1: cluster.name is missing: its name, such as gpu-dev"),
    "name empty": (
        "pools: {p: {}}\ncluster: {name: ''}",
        "2:17: cluster.name is \"\", and must be a name of letters, digits, '-', '_' and '.', 100 at most",
    ),
    "no pool": ("cluster: {name: x}\npools: {}", "2:8: pools is empty, and must name at least one, such as h100:"),
    "pool's name": (
        "cluster: {name: x}\npools: {'h 100': {}}",
        "2:9: pools: the name \"h 100\" must be letters, digits, '-', '_' and '.', 63 at most",
    ),
    "pool twice": (
        "cluster: {name: x}\npools:\n  a: {gpu: h100}\n  a: {gpu: h200}",
        "4:3: pools.a stands twice: it is already in line 3",
    ),
    "pool as text": ("cluster: {name: x}\npools: {a: h100}", '2:12: pools.a is "h100", and must be a mapping'),
    "pool as a list": (
        "cluster: {name: x}\npools: {a: [h100]}",
        "2:12: pools.a is a list, and must be a mapping",
    ),
    "system misspelt": (
        "cluster: {name: x}\npools: {a: {}}\nmonitorring: {}",
        "3:1: monitorring: there is no such key; did you mean monitoring?",
    ),
    "open port": (
        "cluster: {name: x}\npools: {a: {}}\nnetwork: {openToTheWorld: [{port: 70000, why: x}]}",
        "3:35: network.openToTheWorld[0].port is 70000, and must be a whole number from 1 to 65535",
    ),
    "open port without a reason": (
        "cluster: {name: x}\npools: {a: {}}\nnetwork: {openToTheWorld: [{port: 443}]}",
        "3:28: network.openToTheWorld[0].why is missing: why it is open",
    ),
    "ranges as text": (
        "cluster: {name: x}\npools: {a: {}}\nnetwork: {nodePortsFrom: 10.0.0.0/8}",
        '3:26: network.nodePortsFrom is "10.0.0.0/8", and must be a list',
    ),
    "zone elsewhere": (
        (
            "config:\n  aws:region: us-east-2\n  nodeworthy:fleet:\n    cluster: {name: x}\n    pools: {a: {}}\n"
            "    network: {zone: us-west-2a}"
        ),
        "6:21: network.zone is us-west-2a, and must be a zone of aws:region, which is us-east-2",
    ),
    "registry as a URL": (
        "cluster: {name: x}\npools: {a: {}}\nregistries:\n  - host: http://cache:5000",
        '4:11: registries[0].host is "http://cache:5000", and is a URL: leave out the http://',
    ),
    "registry's port": (
        "cluster: {name: x}\npools: {a: {}}\nregistries:\n  - host: cache:500000",
        '4:11: registries[0].host is "cache:500000", and must have a port from 1 to 65535',
    ),
    "registry with a path": (
        "cluster: {name: x}\npools: {a: {}}\nregistries:\n  - host: ghcr.io/org",
        '4:11: registries[0].host is "ghcr.io/org", and must be a host, with its port where it has one',
    ),
    "registry without a host": (
        "cluster: {name: x}\npools: {a: {}}\nregistries:\n  - plainHttp: true",
        (
            "4:5: registries[0].host is missing: its host and port, as images name it, such as "
            "registry-ghcr.gpu-controlplane.svc.cluster.local:5000"
        ),
    ),
    "chart unquoted": (
        "cluster: {name: x}\npools: {a: {}}\noperator: {chart: 26.3}",
        (
            "3:19: operator.chart is 26.3, and must be a version of its chart in quotes, such as "
            '"26.3.0": quote it, or YAML '
            "drops its zeros"
        ),
    ),
    "values as a list": (
        "cluster: {name: x}\npools: {a: {}}\noperator: {values: [a]}",
        "3:20: operator.values is a list, and must be a mapping",
    ),
    "volume without a unit": (
        "cluster: {name: x}\npools: {a: {}}\nqueue: {volume: 100}",
        "3:17: queue.volume is 100, and must be a quantity such as 50Gi",
    ),
    "volume in GB": (
        "cluster: {name: x}\npools: {a: {}}\nmonitoring: {volume: 50GB}",
        '3:22: monitoring.volume is "50GB", and must be a quantity such as 50Gi',
    ),
    "volume of nothing": (
        "cluster: {name: x}\npools: {a: {}}\nqueue: {volume: 0Gi}",
        '3:17: queue.volume is "0Gi", and must be more than nothing',
    ),
    "retention": (
        "cluster: {name: x}\npools: {a: {}}\nmonitoring: {retention: two weeks}",
        '3:25: monitoring.retention is "two weeks", and must be a duration such as 15d or 12h',
    ),
    "Grafana's port": (
        "cluster: {name: x}\npools: {a: {}}\nmonitoring: {grafanaNodePort: 3000}",
        "3:31: monitoring.grafanaNodePort is 3000, and must be a whole number from 30000 to 32767",
    ),
    "storage's kind": (
        "cluster: {name: x}\npools: {a: {}}\nstorage: {kind: nfs}",
        '3:17: storage.kind is "nfs", and must be efs',
    ),
    "storage's mount": (
        "cluster: {name: x}\npools: {a: {}}\nstorage: {mount: shared}",
        "3:18: storage.mount is \"shared\", and must be an absolute path without blanks and '..'",
    ),
    "HAMi's namespace": (
        "cluster: {name: x}\npools: {a: {}}\nhami: {namespace: Hami_System}",
        '3:19: hami.namespace is "Hami_System", and must be a namespace',
    ),
    "all encrypted": (
        "config:\n  nodeworthy:fleet:\n    secure: v1:abc=",
        "3:5: nodeworthy:fleet is encrypted as a whole, so nothing of it is known: encrypt single values",
    ),
    "a list": ("config:\n  nodeworthy:fleet: []", "2:21: nodeworthy:fleet is a list, and must be a mapping"),
    "no fleet": (
        "config:\n  nodeworthy:flet: {}",
        "1:1: there is no nodeworthy:fleet under config; did you mean nodeworthy:fleet where it says nodeworthy:flet?",
    ),
}


@pytest.mark.parametrize(("lines", "message"), POOLS.values(), ids=POOLS)
def test_pool(lines: list[str], message: str) -> None:
    assert faults_of(with_pool(*lines)) == [message]


@pytest.mark.parametrize(("lines", "message"), CLUSTERS.values(), ids=CLUSTERS)
def test_cluster(lines: list[str], message: str) -> None:
    assert faults_of(with_cluster(*lines))[0] == message


@pytest.mark.parametrize(("text", "message"), OTHERS.values(), ids=OTHERS)
def test_rest(text: str, message: str) -> None:
    assert faults_of(text)[0] == message


def test_every_fault_is_told_in_the_order_of_the_file() -> None:
    text = """\
        cluster: {version: 1.30}
        pools:
          a: {nodes: two, gpuu: h100}
          b: {os: windows}
        registry: []
        """
    places = [line.split(": ")[0] for line in faults_of(text)]
    assert places == ["1:1", "1:20", "3:14", "3:19", "4:11", "5:1"]


def test_a_secret_is_never_shown() -> None:
    told = "\n".join(faults_of(with_pool("nodes: {secure: v1:hunter2}", "gpu: {secure: hunter2}")))
    assert "hunter2" not in told
