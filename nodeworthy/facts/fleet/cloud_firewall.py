"""Ports that rules of Google Cloud's and Azure's firewalls open to everyone, as Terraform writes them: of machines and
pools with GPUs that stand beside them. A machine of which it is seen that it has no address of the internet is none.

A rule of Google's is for a network, or for those of its machines that have a tag; a rule of Azure's is one of a group,
which is laid before a subnet or before an interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.security_group import is_some_network
from nodeworthy.facts.aws.world_ports import OpenedPort
from nodeworthy.facts.fleet.gpu_machine import AZURES, GOOGLES, machine_in
from nodeworthy.facts.fleet.hosted_pools import (
    AKS_CLUSTER,
    AKS_POOL,
    GKE_CLUSTER,
    GKE_POOL,
    HostedResource,
    hosted_pools,
)
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

FIREWALL, GROUP, GROUPS_RULE = (
    "google_compute_firewall",
    "azurerm_network_security_group",
    "azurerm_network_security_rule",
)
_NETWORK, _SUBNETWORK = "google_compute_network", "google_compute_subnetwork"
_INTERFACE = "azurerm_network_interface"
_BEFORE_SUBNET = "azurerm_subnet_network_security_group_association"
_BEFORE_INTERFACE = "azurerm_network_interface_security_group_association"
READ = frozenset(
    (
        *(FIREWALL, GROUP, GROUPS_RULE, _NETWORK, _SUBNETWORK, _INTERFACE, _BEFORE_SUBNET, _BEFORE_INTERFACE),
        *(*GOOGLES, *AZURES, GKE_POOL, GKE_CLUSTER, AKS_POOL, AKS_CLUSTER),
    )
)
_EVERYONE = frozenset(("0.0.0.0/0", "::/0", "*", "internet", "any"))
_WITHOUT_PORTS = frozenset(("icmp", "icmpv6", "esp", "ah", "sctp", "ipip"))


@dataclass(frozen=True)
class Declared:
    """A resource, and the address by which others refer to it."""

    address: str
    resource: HostedResource

    @property
    def values(self) -> Tree:
        return self.resource.values


@dataclass(frozen=True)
class _Guarded:
    title: str
    place: Place
    # What rules name: networks, subnets, interfaces; and Google's tags.
    behind: frozenset[str]
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Root:
    declared: Sequence[Declared]

    def of(self, *types: str) -> Iterator[Declared]:
        return (each for each in self.declared if each.resource.type in types)

    def named(self, said: Tree, *types: str) -> Declared | None:
        """The resource that a reference or a name means."""
        if isinstance(said.value, Unknown):
            return next((each for each in self.of(*types) if each.address == said.value.of), None)
        name = said.string.rpartition("/")[2]
        return next((each for each in self.of(*types) if name and each.values.get("name").text == name), None)

    def meant(self, said: Tree, *types: str) -> str:
        """What stands for it on both sides: an address, or else the name itself; nothing where neither is known."""
        found = self.named(said, *types)
        if found is not None:
            return found.address
        return said.value.of if isinstance(said.value, Unknown) else said.string.rpartition("/")[2]


def ports_open_to_everyone(declared: Sequence[Declared]) -> Iterator[OpenedPort]:
    root = _Root(declared)
    if any(root.of(FIREWALL)):
        yield from _opened_by_google(root, [*_googles_machines(root), *_pools_of_gke(root)])
    if any(root.of(GROUP, GROUPS_RULE)):
        yield from _opened_by_azure(root, [*_azures_machines(root), *_pools_of_aks(root)])


def _opened(title: str, ports: str, sources: Sequence[Tree], guarded: _Guarded) -> Iterator[OpenedPort]:
    machine = (guarded.place, guarded.title)
    world = next((each for each in sources if (each.text or "").lower() in _EVERYONE), None)
    if world is not None:
        yield OpenedPort(world.place, title, ports, world.string, True, *machine, is_of_a_script=False)
        return
    unknown = [each for each in sources if isinstance(each.value, Unknown) and not is_some_network(each.located())]
    for each in unknown or [one for one in sources if not one.says_nothing][:1]:
        why = each.value.why if isinstance(each.value, Unknown) and unknown else ""
        yield OpenedPort(each.place, title, ports, each.string, False, *machine, is_of_a_script=False, why=why)


def _listed(said: Tree) -> Sequence[Tree]:
    """A list, or what stands in place of one that nobody knows."""
    return [said] if said.is_unknown else said.sequence


# Google Cloud


def _opened_by_google(root: _Root, guarded: Sequence[_Guarded]) -> Iterator[OpenedPort]:
    for each in root.of(FIREWALL):
        said = each.values
        ports = ", ".join(_allowed(said))
        is_off = said.get("disabled").value is True or said.get("direction").string == "EGRESS"
        found = next((one for one in guarded if _is_for(root, said, one)), None)
        if ports and not is_off and found is not None:
            title = f"firewall rule '{said.get('name').text or each.resource.name}'"
            yield from _opened(title, ports, _listed(said.get("source_ranges")), found)


def _allowed(said: Tree) -> Iterator[str]:
    for each in said.get("allow").sequence:
        protocol = each.get("protocol").string.lower()
        if protocol in _WITHOUT_PORTS or not protocol:
            continue
        ports = ",".join(one.string or str(one.value) for one in each.get("ports").sequence)
        yield f"{'everything' if protocol == 'all' else protocol}{f' {ports}' if ports else ''}"


def _is_for(root: _Root, said: Tree, guarded: _Guarded) -> bool:
    if not said.get("target_service_accounts").says_nothing:
        return False
    network, tags = root.meant(said.get("network"), _NETWORK), said.get("target_tags")
    if tags.says_nothing or (tags.is_sequence and not tags.sequence):
        return bool(network) and network in guarded.behind
    return bool({each.text for each in tags.sequence} & guarded.tags) and network in guarded.behind


def _googles_machines(root: _Root) -> Iterator[_Guarded]:
    for each in root.of(*GOOGLES):
        interfaces = each.values.get("network_interface").sequence
        if machine_in(each.resource, ()) is None or not any(_has_an_address(one) for one in interfaces):
            continue
        behind = frozenset(network for one in interfaces for network in _networks(root, one))
        tags = frozenset(_texts(each.values.get("tags")))
        yield _Guarded(f"{each.resource.type}.{each.resource.name}", each.resource.place, behind, tags)


def _has_an_address(interface: Tree) -> bool:
    return bool(interface.get("access_config").sequence)


def _networks(root: _Root, said: Tree) -> Iterator[str]:
    subnet = root.named(said.get("subnetwork"), _SUBNETWORK)
    named = subnet.values.get("network") if subnet is not None else said.get("network")
    if not named.says_nothing:
        yield root.meant(named, _NETWORK)
    elif said.get("subnetwork").says_nothing:
        yield "default"


def _pools_of_gke(root: _Root) -> Iterator[_Guarded]:
    for each in root.of(GKE_POOL):
        pool = next(iter(hosted_pools([each.resource])), None)
        cluster = root.named(each.values.get("cluster"), GKE_CLUSTER)
        if pool is None or cluster is None or _are_private(cluster.resource, each.resource):
            continue
        tags = frozenset(_texts(each.resource.block("node_config").get("tags")))
        yield _Guarded(pool.title, pool.place, frozenset(_networks(root, cluster.values)), tags)


def _are_private(cluster: HostedResource, pool: HostedResource) -> bool:
    """Whether its nodes have no address of the internet, or may have none."""
    said = (cluster.block("private_cluster_config"), pool.block("network_config"))
    private = [each.get("enable_private_nodes") for each in said]
    return any(each.is_unknown or each.value is True for each in private)


# Azure


def _opened_by_azure(root: _Root, guarded: Sequence[_Guarded]) -> Iterator[OpenedPort]:
    laid = list(_laid_before(root))
    for group, rule, name in _rules(root):
        behind = {what for of, what in laid if of == group}
        found = next((one for one in guarded if behind & one.behind), None)
        lets_in = rule.get("direction").string.lower() == "inbound" and rule.get("access").string.lower() == "allow"
        sources = [rule.get("source_address_prefix"), *_listed(rule.get("source_address_prefixes"))]
        protocol = rule.get("protocol").string.lower()
        if found is not None and lets_in and protocol not in _WITHOUT_PORTS:
            yield from _opened(f"security rule '{name}'", _ports_of_azure(rule, protocol), sources, found)


def _ports_of_azure(rule: Tree, protocol: str) -> str:
    said = (rule.get("destination_port_range"), *rule.get("destination_port_ranges").sequence)
    ports = ",".join(each.string or str(each.value) for each in said if not each.says_nothing)
    which = "every protocol" if protocol == "*" else protocol
    return f"{which}, every port" if ports in ("*", "") else f"{which} {ports}"


def _rules(root: _Root) -> Iterator[tuple[str, Tree, str]]:
    """Each with the group that it is one of."""
    for each in root.of(GROUP):
        yield from ((each.address, one, one.get("name").string) for one in each.values.get("security_rule").sequence)
    for each in root.of(GROUPS_RULE):
        group = root.meant(each.values.get("network_security_group_name"), GROUP)
        yield group, each.values, each.values.get("name").text or each.resource.name


def _laid_before(root: _Root) -> Iterator[tuple[str, str]]:
    """A group, and the subnet or the interface that it is laid before."""
    for kind, name in ((_BEFORE_SUBNET, "subnet_id"), (_BEFORE_INTERFACE, "network_interface_id")):
        for each in root.of(kind):
            group = root.meant(each.values.get("network_security_group_id"), GROUP)
            yield group, _id(each.values.get(name))


def _id(said: Tree) -> str:
    return said.value.of if isinstance(said.value, Unknown) else said.string


def _azures_machines(root: _Root) -> Iterator[_Guarded]:
    interfaces = {each.address: each for each in root.of(_INTERFACE)}
    for each in root.of(*AZURES):
        if machine_in(each.resource, ()) is None:
            continue
        named = [_id(one) for one in each.values.get("network_interface_ids").sequence]
        own = [
            *each.values.get("network_interface").sequence,
            *(interfaces[one].values for one in named if one in interfaces),
        ]
        if any(map(_is_public, own)):
            behind = frozenset((*named, *(subnet for one in own for subnet in _subnets(one))))
            yield _Guarded(f"{each.resource.type}.{each.resource.name}", each.resource.place, behind)


def _is_public(interface: Tree) -> bool:
    return any(
        not each.get("public_ip_address_id").says_nothing or bool(each.get("public_ip_address").sequence)
        for each in interface.get("ip_configuration").sequence
    )


def _subnets(interface: Tree) -> Iterator[str]:
    yield from (_id(each.get("subnet_id")) for each in interface.get("ip_configuration").sequence)


def _pools_of_aks(root: _Root) -> Iterator[_Guarded]:
    for each in root.of(AKS_POOL, AKS_CLUSTER):
        said = each.resource.block("default_node_pool") if each.resource.type == AKS_CLUSTER else each.values
        pool = next(iter(hosted_pools([each.resource])), None)
        if pool is not None and (subnet := _id(said.get("vnet_subnet_id"))):
            yield _Guarded(pool.title, pool.place, frozenset((subnet,)))


def _texts(said: Tree) -> Iterator[str]:
    yield from (each.text for each in said.sequence if each.text)
