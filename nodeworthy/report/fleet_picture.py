"""What a picture of a fleet shows, and the same as plain text: pools, what serves them, who talks to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.fleet.model import CapacityKind, Firewall, Fleet, Pool
from nodeworthy.known.efa import efa_of
from nodeworthy.records import dataclass
from nodeworthy.report.fleet import DEFAULT, value_in_words
from nodeworthy.report.table import align_columns
from nodeworthy.verdict import Known, Located

CONTROL_PLANE = "control plane"
NODES = "nodes"
UNKNOWN = "?"


@dataclass(frozen=True)
class Flow:
    """One side that reaches another: on which ports, and what for."""

    source: str
    target: str
    ports: str
    why: str


@dataclass(frozen=True)
class Card:
    """A pool: one square a GPU, one row a node."""

    name: str
    title: str
    instance_type: str
    nodes: int
    gpus_per_node: int
    profiling_nodes: int
    marks: tuple[str, ...]
    is_built: bool


@dataclass(frozen=True)
class Service:
    name: str
    says: str


@dataclass(frozen=True)
class Picture:
    title: str
    # What the control plane is called.
    plane: str
    network: str
    outside: tuple[str, ...]
    cards: tuple[Card, ...]
    services: tuple[Service, ...]
    flows: tuple[Flow, ...]

    @property
    def gpus(self) -> int:
        return sum(each.nodes * each.gpus_per_node for each in self.cards)


def picture_of(fleet: Fleet) -> Picture:
    stack = f" (stack {fleet.stack})" if fleet.stack else ""
    is_built = any(each.provision for each in fleet.pools)
    ours = f"VPC {value_in_words(fleet.network.vpc_cidr)}, {_zone(fleet)}" if is_built else ""
    return Picture(
        f"{shown_value(fleet.cluster.name)}{stack}: Kubernetes {value_in_words(fleet.cluster.version)}",
        "EKS control plane" if is_built else "control plane",
        f"{ours}pods {value_in_words(fleet.cluster.pod_cidr)}, services {value_in_words(fleet.cluster.service_cidr)}",
        tuple(_outside(fleet)),
        tuple(_card(each) for each in fleet.pools),
        tuple(_services(fleet)),
        tuple(_flows(fleet)),
    )


def _zone(fleet: Fleet) -> str:
    """The zone of the pools; empty where neither it nor a region is named."""
    zone = fleet.network.zone
    return "" if zone.state == Known(None) else f"GPU pools in {shown_value(zone)}, "


def shown_value(located: Located[Any] | None) -> str:
    return str(located.state.value) if located is not None and isinstance(located.state, Known) else UNKNOWN


def _node_ports_from(fleet: Fleet) -> Sequence[Located[str]]:
    """Whom a program of ours would let in; a cluster that it does not build lets in whom somebody else said."""
    ranges = fleet.network.node_ports_from
    return ranges if any(each.provision for each in fleet.pools) else [each for each in ranges if each.written]


def _outside(fleet: Fleet) -> Iterator[str]:
    yield from (shown_value(each) for each in _node_ports_from(fleet))
    if fleet.network.open_to_the_world:
        yield "everyone"


def _card(pool: Pool) -> Card:
    per_node = pool.gpus_per_node.state
    count = per_node.value if isinstance(per_node, Known) and pool.is_gpu else 0
    gpu = shown_value(pool.gpu) if pool.is_gpu else "no GPU"
    many = f"{count} × {gpu}" if pool.is_gpu and isinstance(per_node, Known) else gpu
    return Card(
        pool.name,
        many,
        shown_value(pool.instance_type) if pool.instance_type is not None else "not of EC2",
        pool.nodes,
        count,
        pool.profiling_dedicated,
        tuple(_marks(pool)),
        pool.provision,
    )


def _marks(pool: Pool) -> Iterator[str]:
    yield f"{pool.nodes} nodes" if pool.min == pool.max else f"{pool.nodes} nodes, {pool.min} to {pool.max}"
    if pool.capacity.kind is not CapacityKind.ON_DEMAND:
        yield f"capacity {pool.capacity.kind.value}"
    efa = efa_of(shown_value(pool.instance_type)) if pool.instance_type is not None else None
    if pool.is_gpu and efa is not None and efa.interfaces:
        yield f"EFA × {efa.interfaces}"
    if pool.profiling_dedicated:
        yield f"{pool.profiling_dedicated} for profiling"
    if pool.is_gpu:
        yield f"driver: {pool.driver.value}"
    if pool.firewall is not Firewall.NONE:
        yield f"firewall: {pool.firewall.value}"
    if not pool.provision:
        yield "checked, not built"


def _services(fleet: Fleet) -> Iterator[Service]:
    if fleet.operator is not None:
        yield Service("GPU operator", value_in_words(fleet.operator.chart))
    for each in fleet.registries:
        yield Service("registry cache", f"{shown_value(each.host)}{f' for {each.mirrors}' if each.mirrors else ''}")
    if fleet.storage is not None:
        yield Service(f"{fleet.storage.kind.upper()} storage", f"on {fleet.storage.mount}")
    if fleet.queue is not None:
        yield Service("job queue", f"PostgreSQL, primary and replica, {fleet.queue.volume} each")
    if fleet.monitoring is not None:
        yield Service("monitoring", f"{fleet.monitoring.retention} in {fleet.monitoring.volume}")
    if fleet.hami is not None:
        yield Service("HAMi", f"in {fleet.hami.namespace}")


def _flows(fleet: Fleet) -> Iterator[Flow]:
    if any(each.provision for each in fleet.pools):
        yield Flow(CONTROL_PLANE, NODES, "tcp 10250", "kubelet: logs, exec, metrics")
        yield Flow(NODES, CONTROL_PLANE, "tcp 443", "the API server")
    yield Flow(NODES, NODES, "udp, tcp 53", "CoreDNS")
    if any("EFA" in mark for pool in fleet.pools for mark in _marks(pool)):
        yield Flow(NODES, NODES, "all", "EFA, within a pool")
    for each in _node_ports_from(fleet):
        yield Flow(shown_value(each), NODES, "tcp 30000–32767", f"NodePorts{'' if each.written else DEFAULT}")
    for port in fleet.network.open_to_the_world:
        yield Flow("everyone", NODES, f"tcp {port.port}", port.why)
    yield from _to_services(fleet)


def _to_services(fleet: Fleet) -> Iterator[Flow]:
    for each in fleet.registries:
        port = shown_value(each.host).rpartition(":")[2]
        yield Flow(NODES, "registry cache", f"tcp {port}", "images, over plain HTTP" if each.plain_http else "images")
    if fleet.storage is not None:
        yield Flow(NODES, f"{fleet.storage.kind.upper()} storage", "tcp 2049", f"NFS, {fleet.storage.mount}")
    if fleet.queue is not None:
        yield Flow(NODES, "job queue", "tcp 5432", "jobs")
    if fleet.monitoring is not None:
        for range_ in _node_ports_from(fleet):
            yield Flow(shown_value(range_), "monitoring", f"tcp {fleet.monitoring.grafana_node_port}", "Grafana")
        if fleet.operator is not None:
            yield Flow("monitoring", NODES, "tcp 9400", "metrics of the GPUs")


GPU, PROFILING, NO_GPU = "■", "▣", "□"
_MOST_NODES = 12


def text_picture(picture: Picture) -> str:
    return "\n".join(_lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    yield picture.title
    yield picture.network
    yield ""
    rows = [
        (each.name, each.title, each.instance_type, _squares(each), ", ".join(each.marks)) for each in picture.cards
    ]
    yield align_columns(("pool", "GPUs", "instance type", "nodes", ""), rows)
    if picture.services:
        yield ""
        yield align_columns(("beside them", ""), [(each.name, each.says) for each in picture.services])
    yield ""
    flows = [(each.source, "→", each.target, each.ports, each.why) for each in picture.flows]
    yield align_columns(("who", "", "reaches", "on", "for"), flows)
    yield ""
    yield f"{GPU} a GPU   {PROFILING} a GPU of a node for profiling   {NO_GPU} a node without GPUs"


def _squares(card: Card) -> str:
    """A group of squares a node; of many nodes the first."""
    shown = min(card.nodes, _MOST_NODES)
    groups = [_node(card, index) for index in range(shown)]
    more = f" … {card.nodes} in all" if card.nodes > shown else ""
    return (" ".join(groups) or "none") + more


def _node(card: Card, index: int) -> str:
    if not card.gpus_per_node:
        return NO_GPU
    return (PROFILING if index < card.profiling_nodes else GPU) * card.gpus_per_node
