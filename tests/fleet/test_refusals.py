"""What a fleet can have wrong beside its pools is refused with its place, what is there, and what would be right."""

from __future__ import annotations

import pytest

from tests.fleet.reading import faults_of, with_cluster, with_pool

CLUSTERS = {
    "version unquoted": (
        ["version: 1.30"],
        (
            "4:12: cluster.version is 1.3, and must be a minor version of Kubernetes in quotes, such "
            'as "1.34": quote it, "1.3", or '
            "YAML drops its zeros"
        ),
    ),
    "version with a patch": (
        ['version: "1.34.1"'],
        '4:12: cluster.version is "1.34.1", and must be a minor version of Kubernetes in quotes, such as "1.34": write "1.34"',
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
            '"26.3.0": quote it, "26.3", or YAML '
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
