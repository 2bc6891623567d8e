"""The keys of a fleet: what each takes, what it means, and what holds where it is left out."""

from __future__ import annotations

import ipaddress
import re

from nodeworthy.fleet.model import CapacityKind, Driver, Firewall
from nodeworthy.fleet.os import OSES
from nodeworthy.fleet.shape import Anything, Field, Items, Named, Record, Text, Truth, Whole
from nodeworthy.known.containerd import distributions
from nodeworthy.known.gpus import gpu_names
from nodeworthy.known.instances import types_with
from nodeworthy.patterns import pattern

# Kinds of values that several keys of a fleet take.

_HOST = pattern(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\]")
_DURATION = pattern(r"([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?")


def _cidr(text: str) -> str | None:
    if "/" not in text:
        return "must be a range of addresses with its length, such as 10.0.0.0/16"
    try:
        written = ipaddress.ip_interface(text)
    except ValueError:
        return "must be a range of addresses such as 10.0.0.0/16"
    if written.ip != written.network.network_address:
        return f"is an address within a range: the range itself is {written.network}"
    return None


def _quantity(text: str) -> str | None:
    return None if re.search("[1-9]", text) else "must be more than nothing"


def duration(text: str) -> str | None:
    if text and _DURATION.fullmatch(text) and re.search("[1-9]", text):
        return None
    return "must be a duration such as 15d or 12h"


def _absolute_path(text: str) -> str | None:
    if text.startswith("/") and ".." not in text.split("/") and not re.search(r"\s", text):
        return None
    return "must be an absolute path without blanks and '..'"


def host_and_port(text: str) -> str | None:
    if "://" in text:
        return f"is a URL: leave out the {text.partition('://')[0]}://"
    host, colon, port = text.rpartition(":") if re.search(r":[^\]]*$", text) else (text, "", "")
    if colon and not (port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65535):
        return "must have a port from 1 to 65535"
    return None if _HOST.fullmatch(host) else "must be a host, with its port where it has one"


# What people call them.
_CALLED = {
    **dict.fromkeys(("kubernetes", "k8s", "vanilla", "upstream"), ("kubeadm",)),
    **dict.fromkeys(("openshift", "ocp", "okd", "cri-o"), ("crio",)),
    **dict.fromkeys(("canonical-k8s", "canonical-kubernetes", "ck8s", "snap"), ("k8s-snap",)),
    **dict.fromkeys(("rancher",), ("rke2", "k3s")),
    **dict.fromkeys(("al2023", "amazon-linux-2023", "amazonlinux2023"), ("eks-al2023",)),
}


def distribution(text: str) -> str | None:
    known = distributions()
    if text in known:
        return None
    import difflib

    plain = text.lower().replace(" ", "-").replace("_", "-")
    begins = [each for each in known if each == plain or each.startswith(f"{plain}-")]
    near = begins or _CALLED.get(plain) or difflib.get_close_matches(plain, known, 1)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"is no distribution we know{meant}: {', '.join(known)}"


NOT_BLANK = r".*\S.*"
CIDR = Text("a range of addresses such as 10.0.0.0/16", fault=_cidr)
QUANTITY = Text("a quantity such as 50Gi", pattern=r"[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)", fault=_quantity)
PATH = Text("an absolute path", fault=_absolute_path)
# What both a label's value and a resource's name can be.
NAME = Text("letters, digits, '-', '_' and '.', 63 at most", pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
MINOR = Text('a minor version in quotes, such as "2.2"', pattern=r"[0-9]+\.[0-9]+", quote=True)


def choice(*words: str) -> Text:
    return Text(f"{', '.join(words[:-1])} or {words[-1]}", choices=words)


# The keys of a pool.

CAPACITY = Record(
    "How the nodes are bought",
    {
        "kind": Field(
            choice(*(each.value for each in CapacityKind)),
            "a capacity block, a reservation, or on demand",
            default=CapacityKind.ON_DEMAND.value,
            decides=True,
        ),
        "id": Field(
            Text("a capacity reservation's id such as cr-0123", pattern=r"cr-[0-9a-f]+"),
            "the block's or the reservation's id",
            example="cr-0123",
            decides=True,
        ),
    },
)

POOL = Record(
    "A pool of equal nodes",
    {
        "gpu": Field(
            Text("a GPU's name such as H100", pattern=NOT_BLANK),
            "the GPU of its nodes, in any case (that of the instance type)",
            example="h100",
            offered=gpu_names(),
        ),
        "instanceType": Field(
            Text("an EC2 instance type such as p5.48xlarge", pattern=NOT_BLANK),
            "the EC2 instance type",
            example="p5.48xlarge",
            offered=tuple(name for gpu in gpu_names() for name in types_with(gpu)),
        ),
        "nodes": Field(Whole(0), "how many nodes it has", default=1, decides=True),
        "min": Field(Whole(0), "the least (nodes)", example=1, decides=True),
        "max": Field(Whole(0), "the most (nodes)", example=4, decides=True),
        "gpusPerNode": Field(Whole(1), "GPUs of a node (what the instance type has)", example=8),
        "os": Field(
            choice(*OSES), "the nodes' operating system (what the distribution says, else al2023)", default="al2023"
        ),
        "distribution": Field(
            Text("a distribution", choices=distributions(), fault=distribution),
            "what brings kubelet and its containerd (what os says)",
            example="k8s-snap",
        ),
        "containerd": Field(MINOR, "the minor version of containerd, in quotes", example="2.2"),
        "containerdBaseDir": Field(
            PATH, "containerd-base-dir of the k8s snap", example="/var/lib/k8s-containerd/k8s-containerd"
        ),
        "snapConfinement": Field(choice("classic", "strict"), "confinement of the k8s snap", default="classic"),
        "driver": Field(
            choice(*(each.value for each in Driver)),
            "where the NVIDIA driver comes from (ami where EKS's image brings it, else operator)",
            example="ami",
            decides=True,
        ),
        "capacity": Field(CAPACITY, "how the nodes are bought", example={"kind": "block", "id": "cr-0123"}),
        "firewall": Field(
            choice(*(each.value for each in Firewall)),
            "the nodes' firewall: ufw must be active and right",
            default=Firewall.NONE.value,
            decides=True,
        ),
        "profilingDedicated": Field(Whole(0), "how many of its nodes are for profiling alone", default=0, decides=True),
        "provision": Field(
            Truth(),
            "whether we build the nodes, or only check them (true where there is an instance type)",
            example=False,
            decides=True,
        ),
    },
)


CLUSTER = Record(
    "The cluster",
    {
        "name": Field(
            Text(
                "a name of letters, digits, '-', '_' and '.', 100 at most", pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"
            ),
            "its name",
            required=True,
            example="gpu-dev",
        ),
        "version": Field(
            Text('a minor version of Kubernetes in quotes, such as "1.34"', pattern=r"1\.[0-9]+", quote=True),
            "the minor version of Kubernetes, in quotes",
            default="1.34",
        ),
        "serviceCidr": Field(CIDR, "the range of service addresses; it overlaps with nothing", default="172.20.0.0/16"),
        "podCidr": Field(
            CIDR,
            "the range of pod addresses; on EKS inside the VPC's range, which is its default",
            default="10.0.0.0/16",
        ),
    },
)

NETWORK = Record(
    "The network",
    {
        "vpcCidr": Field(CIDR, "the VPC's range of addresses", default="10.0.0.0/16"),
        "zone": Field(
            Text("an availability zone such as us-east-2a", pattern=r"[a-z0-9-]+[a-z]"),
            "the availability zone of the GPU pools (zone a of aws:region)",
            example="us-east-2a",
        ),
        "nodePortsFrom": Field(
            Items(CIDR), "who may reach NodePorts (the VPC's range)", default=["10.0.0.0/16"], example=["10.0.0.0/8"]
        ),
        "openToTheWorld": Field(
            Items(
                Record(
                    "A port that everyone may reach",
                    {
                        "port": Field(Whole(1, 65535), "the port", required=True, decides=True),
                        "why": Field(
                            Text("a reason", pattern=NOT_BLANK), "why it is open", required=True, decides=True
                        ),
                    },
                )
            ),
            "the only exceptions from 'no port is open to the world'",
            default=[],
            example=[{"port": 443, "why": "public API"}],
        ),
    },
)

REGISTRY = Record(
    "A registry cache",
    {
        "host": Field(
            Text("a host, with its port where it has one", fault=host_and_port),
            "its host and port, as images name it",
            required=True,
            example="registry-ghcr.gpu-controlplane.svc.cluster.local:5000",
        ),
        "plainHttp": Field(Truth(), "it speaks plain HTTP", default=False, decides=True),
        "mirrors": Field(
            Text("a registry's host such as ghcr.io", fault=host_and_port),
            "the registry that it caches",
            example="ghcr.io",
            decides=True,
        ),
    },
)

OPERATOR = Record(
    "The GPU operator",
    {
        "chart": Field(
            Text(
                'a version of its chart in quotes, such as "26.3.0"',
                pattern=r"v?[0-9]+\.[0-9]+(\.[0-9]+)?([-+][0-9A-Za-z.-]+)?",
                quote=True,
            ),
            "the version of its chart",
            default="26.3.0",
        ),
        "values": Field(
            Anything(), "Helm values, merged over what the pools imply", default={}, example={"toolkit": {"env": []}}
        ),
    },
    false="there is no GPU operator",
)

STORAGE = Record(
    "Shared storage",
    {
        "kind": Field(Text("efs", choices=("efs",)), "what it is", default="efs", decides=True),
        "mount": Field(PATH, "where nodes mount it", default="/shared", decides=True),
    },
    false="there is none",
)

MONITORING = Record(
    "kube-prometheus-stack",
    {
        "retention": Field(
            Text("a duration such as 15d", fault=duration),
            "how long metrics are kept",
            default="15d",
            decides=True,
        ),
        "volume": Field(QUANTITY, "the size of Prometheus' volume", default="50Gi", decides=True),
        "grafanaNodePort": Field(Whole(30000, 32767), "the NodePort of Grafana", default=30080, decides=True),
    },
    false="there is none",
)

QUEUE = Record(
    "The job queue's database",
    {"volume": Field(QUANTITY, "the size of its volume", default="100Gi", decides=True)},
    false="there is none",
)

HAMI = Record(
    "HAMi, through which GPUs are shared",
    {
        "namespace": Field(
            Text("a namespace", pattern=r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"),
            "where it is installed",
            default="hami-system",
            decides=True,
        )
    },
    false="there is none",
)

SPEED = Text("a speed such as 1.5GB/s or 114MB/s", pattern=r"[0-9]+(\.[0-9]+)?(MB|GB)/s", fault=_quantity)

ACCEPT = Record(
    "How real work proves the nodes",
    {
        "gate": Field(
            choice("none", "quick", "full"),
            "the level that a node must pass before it serves",
            default="none",
            decides=True,
        ),
        "image": Field(
            Text("an image", pattern=r"[^\s]+"), "an image with torch, for all tests but the first", example="IMAGE"
        ),
        "python": Field(PATH, "on Slurm: a Python that has torch", example="/shared/venv/bin/python"),
        "scratch": Field(PATH, "a folder that all nodes see", example="/shared/nodeworthy"),
        "window": Field(
            Text("times such as 22:00-06:00", pattern=r"[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]"),
            "when it may run",
            example="22:00-06:00",
            decides=True,
        ),
        "maxAge": Field(
            Text("a duration such as 30d", fault=duration), "how long a node counts as accepted", default="30d"
        ),
        "storage": Field(
            Record(
                "What storage was promised",
                {
                    "write": Field(SPEED, "how fast it is written", example="1.5GB/s", decides=True),
                    "read": Field(SPEED, "how fast it is read", example="2GB/s", decides=True),
                },
            ),
            "what storage was promised",
        ),
        "network": Field(
            Record(
                "What the network was promised",
                {
                    "node": Field(SPEED, "from one node to another", example="10GB/s", decides=True),
                    "download": Field(SPEED, "from outside", example="100MB/s", decides=True),
                },
            ),
            "what the network was promised",
        ),
        "floors": Field(
            Anything(), "by GPU, the least that it must measure", default={}, example={"h100": {"all_reduce-8": 440}}
        ),
    },
    false="nothing is said of it",
)

FLEET = Record(
    "A fleet of GPU nodes",
    {
        "cluster": Field(CLUSTER, "the cluster that the nodes join", required=True),
        "network": Field(NETWORK, "the network around it"),
        "registries": Field(Items(REGISTRY), "registry caches that every node must trust", default=[]),
        "operator": Field(OPERATOR, "the GPU operator; false if there is none"),
        "storage": Field(STORAGE, "shared storage; none unless named"),
        "monitoring": Field(MONITORING, "kube-prometheus-stack; none unless named"),
        "queue": Field(QUEUE, "the job queue's database; none unless named"),
        "hami": Field(HAMI, "HAMi; none unless named"),
        "accept": Field(ACCEPT, "how real work proves the nodes"),
        "pools": Field(Named(POOL, NAME, "h100"), "the pools of nodes, by name", required=True),
    },
)
