"""A fleet as the rest of the house sees it: read, checked, resolved, every value with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from nodeworthy.documents.tree import Tree
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Located, Place, ToGive, name_all


class Driver(StrEnum):
    AMI = "ami"
    USER_DATA = "user-data"
    OPERATOR = "operator"


BROUGHT_BY = {Driver.AMI: "the image", Driver.USER_DATA: "the user data", Driver.OPERATOR: "the operator"}


# What a pool of a fleet says of its nodes that rules on boot scripts ask for.
ASKED_OF_A_POOL = ("distribution", "GPU", "driver")
_GIVE_A_FLEET = (
    "give --fleet FILE (`nodeworthy fleet infer` begins one), or keep a Pulumi.<stack>.yaml beside it, whose pools say"
)


def no_fleet(asked: Sequence[str] = ASKED_OF_A_POOL) -> ToGive:
    """Why nothing can be judged by a fleet where none is: it ends with what a pool of one would have to say."""
    return ToGive("there is no fleet to judge by", _GIVE_A_FLEET, *asked)


def not_inferred(asked: Sequence[str]) -> ToGive:
    """Why nodes that follow from evidence can't be judged by what no evidence says of them."""
    return ToGive(name_all("nothing says its nodes'", asked), _GIVE_A_FLEET, *asked)


class CapacityKind(StrEnum):
    BLOCK = "block"
    RESERVATION = "reservation"
    ON_DEMAND = "on-demand"


class Firewall(StrEnum):
    NONE = "none"
    UFW = "ufw"


@dataclass(frozen=True)
class Cluster:
    place: Place
    name: Located[str]
    version: Located[str]
    service_cidr: Located[str]
    pod_cidr: Located[str]


@dataclass(frozen=True)
class OpenPort:
    place: Place
    port: int
    why: str


@dataclass(frozen=True)
class Network:
    place: Place
    vpc_cidr: Located[str]
    zone: Located[str | None]
    node_ports_from: tuple[Located[str], ...]
    open_to_the_world: tuple[OpenPort, ...]


@dataclass(frozen=True)
class Registry:
    place: Place
    host: Located[str]
    plain_http: bool
    mirrors: str | None


@dataclass(frozen=True)
class Operator:
    place: Place
    chart: Located[str]
    # Whether the fleet names it: where it does not, there is one by default.
    declared: bool
    # As the user wrote them, at their lines; merged over what the pools imply by `operator.effective_values`.
    values: Tree


@dataclass(frozen=True)
class Storage:
    place: Place
    kind: str
    mount: str


@dataclass(frozen=True)
class Monitoring:
    place: Place
    retention: str
    volume: str
    grafana_node_port: int


@dataclass(frozen=True)
class Queue:
    place: Place
    volume: str


@dataclass(frozen=True)
class Hami:
    place: Place
    namespace: str


@dataclass(frozen=True)
class Accept:
    """How real work proves the nodes."""

    place: Place
    gate: str
    image: str | None
    python: str | None
    scratch: str | None
    window: str | None
    max_age: str
    # By GPU (empty: of any) and by what is measured: the least, in the unit of the table, and where it stands.
    floors: Mapping[tuple[str, str], tuple[float, Place]]


@dataclass(frozen=True)
class Capacity:
    place: Place
    kind: CapacityKind
    id: str | None


@dataclass(frozen=True)
class Pool:
    """One pool of equal nodes. A GPU pool has a `gpu`; a CPU pool has none."""

    name: str
    place: Place
    gpu: Located[str] | None  # the canonical name: H100, A10G
    instance_type: Located[str] | None
    nodes: int
    min: int
    max: int
    gpus_per_node: Located[int]
    os: Located[str]
    distribution: Located[str]
    # The runtime that kubelet talks to; unknown where the distribution is.
    runtime: Located[Containerd]
    containerd_version: Located[str]
    driver: Driver
    capacity: Capacity
    firewall: Firewall
    profiling_dedicated: int
    provision: bool
    # False where `driver` is what follows from the rest.
    driver_is_said: bool = True

    @property
    def is_gpu(self) -> bool:
        return self.gpu is not None


@dataclass(frozen=True)
class Impossible:
    """Well-formed, and yet it can't exist: a GPU or an instance type that nobody makes, a pair that does not fit."""

    place: Place
    message: str
    is_: str
    should: str
    pool: str = ""


@dataclass(frozen=True)
class Fleet:
    place: Place
    stack: str | None
    region: str | None
    cluster: Cluster
    network: Network
    registries: tuple[Registry, ...]
    operator: Operator | None
    storage: Storage | None
    monitoring: Monitoring | None
    queue: Queue | None
    hami: Hami | None
    pools: tuple[Pool, ...]
    impossible: tuple[Impossible, ...] = ()
    accept: Accept | None = None
    # Other values of the stack's config, by full name (`aws:region`).
    config: Mapping[str, Tree] = field(default_factory=dict)

    @property
    def gpu_pools(self) -> tuple[Pool, ...]:
        return tuple(pool for pool in self.pools if pool.is_gpu)


# Whether a document declares one: asked of every document that is read, and most do not.

KEY = "nodeworthy:fleet"


def has_fleet(tree: Tree) -> bool:
    """Whether a document is a stack's config with a fleet in it, or a bare fleet and nothing else: other people's files
    have clusters and pools, too."""
    return KEY in tree.get("config").mapping or (is_bare(tree) and _has_no_other_keys(tree))


def is_bare(tree: Tree) -> bool:
    return tree.get("cluster").is_mapping and tree.get("pools").is_mapping


def _has_no_other_keys(tree: Tree) -> bool:
    from nodeworthy.fleet.declaration import FLEET

    return tree.mapping.keys() <= FLEET.fields.keys()
