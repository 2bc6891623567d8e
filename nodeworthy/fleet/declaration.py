"""The keys of a fleet: what each takes, what it means, and what holds where it is left out."""

from __future__ import annotations

from nodeworthy.fleet.kinds import CIDR, NAME, NOT_BLANK, PATH, QUANTITY, duration, host_and_port
from nodeworthy.fleet.pool_declaration import POOL
from nodeworthy.fleet.shape import Anything, Field, Items, Named, Record, Text, Truth, Whole

KEY = "nodeworthy:fleet"

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
        "pools": Field(Named(POOL, NAME, "h100"), "the pools of nodes, by name", required=True),
    },
)
