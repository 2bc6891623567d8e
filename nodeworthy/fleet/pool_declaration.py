"""The keys of a pool."""

from __future__ import annotations

from nodeworthy.fleet.kinds import MINOR, NOT_BLANK, PATH, choice, distribution
from nodeworthy.fleet.model import CapacityKind, Driver, Firewall
from nodeworthy.fleet.shape import Field, Record, Text, Truth, Whole
from nodeworthy.known.containerd import distributions
from nodeworthy.known.gpus import gpu_names
from nodeworthy.known.instances import types_with

OSES = ("al2023", "al2", "ubuntu-22.04", "ubuntu-24.04", "bottlerocket")

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
