"""What the boot script of a pool must bring about: from the fleet, and from what only the cloud could tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodeworthy.fleet.model import Driver, Firewall, Fleet, Pool
from nodeworthy.known import instances
from nodeworthy.known.containerd import Containerd, registries
from nodeworthy.rules import registry_resolvable
from nodeworthy.verdict import need
from userdata import registration
from userdata.registration import Taint


class CannotWrite(ValueError):
    """There is no boot script that would do this."""


@dataclass(frozen=True)
class Told:
    """What only the cloud knows: outputs of the program."""

    cluster: str
    endpoint: str
    # In base64, as EKS gives it.
    certificate_authority: str
    service_range: str
    # What shared storage is mounted from: fs-0123.efs.us-east-2.amazonaws.com
    file_system: str | None = None


@dataclass(frozen=True)
class Registry:
    host: str
    plain_http: bool = False
    # Where nodes can't ask for its name.
    address: str | None = None

    @property
    def name(self) -> str:
        return registry_resolvable.name_of(self.host)

    @property
    def url(self) -> str:
        return f"{'http' if self.plain_http else 'https'}://{self.host}"


@dataclass(frozen=True)
class Storage:
    source: str
    mount: str


@dataclass(frozen=True)
class Gpus:
    gpu: str
    driver: Driver
    nvswitch: bool = False


@dataclass(frozen=True)
class Ufw:
    vpc_range: str
    pod_range: str
    service_range: str
    node_ports_from: tuple[str, ...]


@dataclass(frozen=True)
class NodePlan:
    pool: str
    stack: str
    os: str
    told: Told
    containerd: Containerd
    instance_type: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    gpus: Gpus | None = None
    efa: int = 0
    registries: tuple[Registry, ...] = ()
    storage: Storage | None = None
    firewall: Ufw | None = None

    @property
    def certs_d(self) -> str:
        """Where containerd looks for hosts.toml, or is told to look."""
        return (self.containerd.registry_hosts or registries().hosts)[0]

    @property
    def driver(self) -> Driver | None:
        return self.gpus.driver if self.gpus is not None else None

    @property
    def needs_fabric_manager(self) -> bool:
        """Where the operator brings the driver, it brings this too."""
        return self.gpus is not None and self.gpus.nvswitch and self.gpus.driver is not Driver.OPERATOR


def plan(fleet: Fleet, pool: Pool, told: Told, *, profiling: bool = False) -> NodePlan:
    """Of the pool's nodes, or of those among them that are dedicated to profiling."""
    instance_type = need(pool.instance_type) if pool.instance_type is not None else ""
    has = instances.gpus_of(instance_type)
    return NodePlan(
        pool=pool.name,
        stack=fleet.stack or "",
        os=need(pool.os),
        told=told,
        containerd=need(pool.runtime),
        instance_type=instance_type,
        labels=registration.labels(fleet, pool, profiling=profiling),
        taints=registration.taints(fleet, pool),
        gpus=Gpus(need(pool.gpu), pool.driver, has is not None and has.nvswitch) if pool.gpu is not None else None,
        efa=(has.efa or 0) if has is not None else 0,
        registries=_registries(fleet, told.service_range),
        storage=_storage(fleet, told),
        firewall=_firewall(fleet, told) if pool.firewall is Firewall.UFW else None,
    )


def _registries(fleet: Fleet, service_range: str) -> tuple[Registry, ...]:
    hosts = {need(each.host): each.plain_http for each in fleet.registries}
    addresses = registry_resolvable.registry_addresses(hosts, service_range)
    return tuple(
        Registry(host, plain_http, addresses.get(registry_resolvable.name_of(host)))
        for host, plain_http in hosts.items()
    )


def _storage(fleet: Fleet, told: Told) -> Storage | None:
    if fleet.storage is None:
        return None
    if told.file_system is None:
        raise CannotWrite("the fleet has shared storage, and nobody told which file system that is")
    return Storage(f"{told.file_system}:/", fleet.storage.mount)


def _firewall(fleet: Fleet, told: Told) -> Ufw:
    return Ufw(
        vpc_range=need(fleet.network.vpc_cidr),
        pod_range=need(fleet.cluster.pod_cidr),
        service_range=told.service_range,
        node_ports_from=tuple(need(each) for each in fleet.network.node_ports_from),
    )
