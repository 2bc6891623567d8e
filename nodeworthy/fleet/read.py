"""Reads a fleet from stack config; what is malformed is refused with every fault and its place."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nodeworthy.documents.files import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.errors import InputError
from nodeworthy.fleet import os as systems
from nodeworthy.fleet import pool as pools
from nodeworthy.fleet.declaration import FLEET
from nodeworthy.fleet.model import (
    KEY,
    Accept,
    Cluster,
    Fleet,
    Hami,
    Monitoring,
    Network,
    OpenPort,
    Operator,
    Pool,
    Queue,
    Registry,
    Storage,
    has_fleet,
    is_bare,
)
from nodeworthy.fleet.walk import FleetFault, FleetFaults, Section, Walker, without_encrypted
from nodeworthy.verdict import Known, Located, Place, Unknown

LIMIT = 10_000_000


class Malformed(InputError):
    """No fleet: what is wrong with it, and where. `place` is that of the first fault."""

    def __init__(self, faults: Sequence[FleetFault]) -> None:
        self.faults = tuple(faults)
        self.place = self.faults[0].place
        super().__init__("\n".join(f"{_place_in_words(each.place)}: {each.message}" for each in self.faults))


def _place_in_words(place: Place) -> str:
    return ":".join(str(part) for part in (place.path, place.line, place.column) if part is not None) or str(place)


def read_fleet(tree: Tree, stack: str | None) -> Fleet:
    """The fleet of a stack's config, or a bare one. Raises Malformed."""
    config = {name: without_encrypted(child) for name, child in tree.get("config").mapping.items() if name != KEY}
    declared = tree.get("config", KEY)
    if declared.is_absent:
        if not is_bare(tree):
            raise Malformed([FleetFault(tree.place, _no_fleet(config, is_beside=KEY in tree.mapping))])
        declared, config = tree, {}
    faults = FleetFaults()
    if declared.is_null:
        declared = Tree({}, declared.place, declared.key)
    walker = Walker(faults)
    plain = walker.plainly(declared, KEY)
    if not plain.is_mapping and not faults.found:
        walker.fault(declared, KEY, "must be a mapping")
    if faults.found:
        raise Malformed(faults.in_order())  # nothing inside can be spoken of
    section = walker.section(FLEET, plain, "")
    fleet = resolve(section, stack, config, faults.add)
    if faults.found:
        raise Malformed(faults.in_order())
    return fleet


def _no_fleet(config: Mapping[str, Tree], *, is_beside: bool) -> str:
    import difflib

    near = difflib.get_close_matches(KEY, config, 1)
    if is_beside:
        return f"{KEY} stands at the top, and must stand under config: write `config:` above it, and indent all of it"
    return f"there is no {KEY} under config{f'; did you mean {KEY} where it says {near[0]}?' if near else ''}"


def read_fleet_file(path: Path, shown_as: str) -> Fleet:
    """The fleet of a file that findings call `shown_as`. Raises Malformed, or InputError where it can't be read."""
    tree = _document(path, shown_as)
    if tree is None:
        raise Malformed([FleetFault(Place(path=shown_as), "the file is empty")])
    return read_fleet(tree, stack_of(path))


def declares_fleet(path: Path, shown_as: str) -> bool:
    """Whether a stack's file does. Raises Malformed or InputError where nobody can say: it is no mapping."""
    tree = _document(path, shown_as)
    if tree is None or tree.is_null:
        return False
    config = tree.get("config")
    for each, name in ((tree, "a stack's file"), (config, "config")):
        if not (each.is_mapping or each.says_nothing):
            raise Malformed([FleetFault(each.place, f"{name} is {each.kind()}, and must be a mapping")])
    return has_fleet(tree)


def _document(path: Path, shown_as: str) -> Tree | None:
    try:
        return read(text_of(path, shown_as, LIMIT, "a fleet"), Place(path=shown_as))
    except NotYaml as problem:
        raise Malformed([FleetFault(problem.place, problem.why)]) from None


def stack_of(path: Path) -> str | None:
    """The stack that a file's name says: Pulumi.<stack>.yaml."""
    first, *stack, last = path.name.split(".")
    return ".".join(stack) if first == "Pulumi" and last in ("yaml", "yml") and stack else None


def refuse_impossible(fleet: Fleet) -> None:
    """Ends the run where somebody is to be judged by a fleet that can't exist."""
    if fleet.impossible:
        raise Malformed([FleetFault(each.place, f"pool '{each.pool}': {each.message}") for each in fleet.impossible])


# Turns a fleet as it was read into the fleet as the house sees it, and refuses what does not agree.


Refuse = Callable[[Place, str], None]


def resolve(fleet: Section, stack: str | None, config: Mapping[str, Tree], refuse: Refuse) -> Fleet:
    resolved = [pools.resolve(name, section, refuse) for name, section in fleet.sections("pools").items()]
    its_pools = tuple(pool for pool, _ in resolved)
    region = config["aws:region"].text if "aws:region" in config else None
    impossible = [each for _, found in resolved for each in found]
    impossible += [each for pool in its_pools for each in pools.not_offered(pool, region)]
    on_eks = any(_is_eks(pool) for pool in its_pools)
    network = _network(fleet.section("network"), region, refuse)
    cluster = _cluster(fleet.section("cluster"), network, on_eks=on_eks)
    _agree(cluster, network, refuse, on_eks=on_eks)
    return Fleet(
        place=fleet.place,
        stack=stack,
        region=region,
        cluster=cluster,
        network=network,
        registries=tuple(_registry(each) for each in fleet.items("registries")),
        operator=_operator(fleet.section("operator"), declared=fleet.wrote("operator")),
        storage=_storage(fleet),
        monitoring=_monitoring(fleet),
        queue=_queue(fleet),
        hami=_hami(fleet),
        accept=_accept(fleet, refuse),
        pools=its_pools,
        impossible=tuple(impossible),
        config=config,
    )


def _is_eks(pool: Pool) -> bool:
    return isinstance(pool.distribution.state, Known) and pool.distribution.state.value in systems.EKS


def _network(section: Section, region: str | None, refuse: Refuse) -> Network:
    vpc = section.located("vpcCidr")
    ports = tuple(section.items("nodePortsFrom"))
    opened = [
        OpenPort(each.place, each.plain("port") or 0, each.plain("why") or "")
        for each in section.items("openToTheWorld")
    ]
    return Network(
        section.place,
        vpc_cidr=vpc,
        zone=_zone(section, region, refuse),
        node_ports_from=ports if section.wrote("nodePortsFrom") else (Located(vpc.state, vpc.place, written=False),),
        open_to_the_world=tuple(opened),
    )


def _zone(section: Section, region: str | None, refuse: Refuse) -> Located[str | None]:
    zone: Located[str | None] = section.located("zone")
    if not section.wrote("zone"):
        return Located(Known(f"{region}a" if region else None), zone.place, written=False)
    if region and isinstance(zone.state, Known) and not str(zone.state.value).startswith(region):
        refuse(
            zone.place,
            f"{section.path}.zone is {zone.state.value}, and must be a zone of aws:region, which is {region}",
        )
    return zone


def _cluster(section: Section, network: Network, *, on_eks: bool) -> Cluster:
    return Cluster(
        section.place,
        name=section.located("name"),
        version=section.located("version"),
        service_cidr=_range_of(section, "serviceCidr", section.located("serviceCidr"), on_eks=on_eks),
        pod_cidr=_range_of(section, "podCidr", network.vpc_cidr, on_eks=on_eks),
    )


def _range_of(section: Section, name: str, default: Located[str], *, on_eks: bool) -> Located[str]:
    """A range of the cluster. Off EKS every distribution has its own default, so that what nobody says is unknown."""
    if section.wrote(name):
        return section.located(name)
    place = section.located(name).place
    if not on_eks:
        return Located(
            Unknown(f"{section.path}.{name} is not given, and no pool is on EKS, whose default we know"),
            place,
            written=False,
        )
    return Located(default.state, place, written=False)


def _registry(section: Section) -> Registry:
    return Registry(
        section.place, section.located("host"), section.plain("plainHttp") is True, section.plain("mirrors")
    )


def _operator(section: Section | None, *, declared: bool) -> Operator | None:
    if section is None:
        return None
    values: Tree = section.read["values"]
    return Operator(section.place, section.located("chart"), declared, values)


def _section_where_named(fleet: Section, name: str) -> Section | None:
    """A system that is there only where the fleet names it."""
    return fleet.section(name) if fleet.wrote(name) else None


def _storage(fleet: Section) -> Storage | None:
    section = _section_where_named(fleet, "storage")
    return Storage(section.place, section.plain("kind"), section.plain("mount")) if section else None


def _monitoring(fleet: Section) -> Monitoring | None:
    section = _section_where_named(fleet, "monitoring")
    if section is None:
        return None
    return Monitoring(
        section.place, section.plain("retention"), section.plain("volume"), section.plain("grafanaNodePort")
    )


def _queue(fleet: Section) -> Queue | None:
    section = _section_where_named(fleet, "queue")
    return Queue(section.place, section.plain("volume")) if section else None


def _hami(fleet: Section) -> Hami | None:
    section = _section_where_named(fleet, "hami")
    return Hami(section.place, section.plain("namespace")) if section else None


def _accept(fleet: Section, refuse: Refuse) -> Accept | None:
    section = _section_where_named(fleet, "accept")
    if section is None:
        return None
    from nodeworthy.fleet.accept import floors

    return Accept(
        section.place,
        section.plain("gate"),
        section.plain("image"),
        section.plain("python"),
        section.plain("scratch"),
        section.plain("window"),
        section.plain("maxAge"),
        floors(section, refuse),
    )


Range = ipaddress.IPv4Network | ipaddress.IPv6Network


def _agree(cluster: Cluster, network: Network, refuse: Refuse, *, on_eks: bool) -> None:
    """Refuses ranges that overlap, and on EKS pods' addresses that are not the VPC's."""
    service, pod, vpc = (_network_of(each) for each in (cluster.service_cidr, cluster.pod_cidr, network.vpc_cidr))
    if pod and vpc and on_eks and not _inside(pod, vpc):
        refuse(
            _first_written_place(cluster.pod_cidr, network.vpc_cidr),
            f"cluster.podCidr is {pod}, and must be inside network.vpcCidr, which is {vpc}: "
            "EKS gives pods addresses of the VPC",
        )
    if service and pod and service.overlaps(pod):
        refuse(
            _first_written_place(cluster.service_cidr, cluster.pod_cidr),
            f"cluster.serviceCidr is {service}, and must not overlap with cluster.podCidr, which is {pod}",
        )
    elif service and vpc and (on_eks or network.vpc_cidr.written) and service.overlaps(vpc):
        refuse(
            _first_written_place(cluster.service_cidr, network.vpc_cidr),
            f"cluster.serviceCidr is {service}, and must not overlap with network.vpcCidr, which is {vpc}",
        )


def _first_written_place(*located: Located[str]) -> Place:
    """The place of the first that somebody wrote."""
    return next((each.place for each in located if each.written), located[0].place)


def _network_of(located: Located[str]) -> Range | None:
    return ipaddress.ip_network(located.state.value) if isinstance(located.state, Known) else None


def _inside(inner: Range, outer: Range) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]
