"""The node can resolve the name of a registry cache that runs inside of the cluster.

kubelet and containerd are no pods: they ask the node's resolver, which knows nothing of `*.svc.cluster.local`. With the
best `hosts.toml`, every pull from such a name ends with `no such host` until the node has an entry in `/etc/hosts`,
a resolver that asks the cluster's DNS for `cluster.local`, or a `hosts.toml` that leads to an address that the node can
reach: a NodePort on localhost, an IP address, a name of the VPC's or the public DNS. A mirror in the `registries.yaml`
of k3s or RKE2 by such a name is passed by: the images come from the registry that it should spare.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from nodeworthy.boot.conditions import always, together, who_decides
from nodeworthy.facts.boot.final_files import files_under, speaking_of, without_own_questions
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.runtime import ready
from nodeworthy.facts.boot.script import BootPool, BootScript, PromisedPool
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.registries import NodeRegistries, names_of
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.registry.hosts_file import HOSTS, Way, ways, without_port
from nodeworthy.facts.registry.hosts_toml import NAME, HostsToml
from nodeworthy.facts.registry.k3s_lists import Lead, leads_of, lists_of
from nodeworthy.known.containerd import every_registry_hosts
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Place,
    Related,
    Severity,
    Verdict,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

RULE = Rule(
    "registry-resolvable",
    severity=Severity.ERROR,
    incident="D",
    title="The node can resolve the name of a cache inside of the cluster",
    remedy=f"add the address of its Service to {HOSTS}, let the node's resolver ask the cluster's DNS for "
    "cluster.local, or give the cache a NodePort or a name of the VPC's DNS",
)

CAUSE = "the node's resolver does not know names that only CoreDNS answers: pulls end with: no such host"


@RULE.check
def the_fleets_caches_have_names_that_resolve(script: BootScript, pool: PromisedPool) -> Findings:
    if not pool.fleet.registries:
        skip("the fleet has no registries")
    files = {each.folder: each for each in _files(script)}
    cidr = pool.fleet.cluster.service_cidr.state
    for registry in pool.fleet.registries:
        host = need(registry.host)
        says = Related(registry.host.place, "the fleet says that every node pulls from it")
        names = (host, "_default", *((registry.mirrors,) if registry.mirrors else ()))
        file = next((files[name] for name in names if name in files), None)
        place = file.write.place if file is not None else script.place
        for flaw in _flaws(script, host, place, file, cidr.value if isinstance(cidr, Known) else None):
            yield flaw.with_more(on=pool.title, related=(says,))


@RULE.check
def the_names_that_it_trusts_resolve(script: BootScript, pool: BootPool | None) -> Findings:
    registries = pool.fleet.registries if pool is not None else ()
    of_fleet = {need(each.host) for each in registries} | {each.mirrors for each in registries}
    files = [each for each in _files(script) if each.folder not in of_fleet and each.says_plain_http]
    if not files:
        skip("the script tells of no registry over plain HTTP")
    cidr = value_if_known(pool.fleet.cluster.service_cidr) if pool is not None else None
    for file in files:
        first = next((each for each in file.endpoints if each.serves("pull")), None)
        yield from _flaws(script, file.folder, first.place if first is not None else file.write.place, file, cidr)


@RULE.check
def the_mirrors_of_k3s_resolve(script: BootScript, pool: BootPool | None) -> Findings:
    caches = {each.host.state for each in pool.fleet.registries} if pool is not None else set()
    lists = lists_of(script.timeline).values()
    leads = [each for write in lists for each in leads_of(write) if Known(each.host) not in caches]
    if not leads:
        skip("the script tells k3s of no registry")
    cidr = value_if_known(pool.fleet.cluster.service_cidr) if pool is not None else None
    for each in leads:
        for flaw in _flaws(script, each.host, each.place, None, cidr):
            yield flaw if name_of(each.registry) == name_of(each.host) else _passed_by(flaw, each)


def _passed_by(flaw: Draft, lead: Lead) -> Draft:
    """containerd goes on to the registry itself, which is slower and asks more of it than anybody wanted."""
    if flaw.verdict is not Verdict.FAIL:
        return flaw
    cause = f"the node's resolver does not know names that only CoreDNS answers: images of {lead.registry} are pulled "
    return replace(flaw, severity=Severity.WARNING, cause=f"{cause}past this mirror, from the registry itself")


def _files(script: BootScript) -> list[HostsToml]:
    return [HostsToml(name, write) for name, write in files_under(script.timeline, every_registry_hosts(), NAME)]


def _flaws(
    script: BootScript, host: str, place: Place, file: HostsToml | None, service_cidr: str | None
) -> Iterator[Draft]:
    name = _name_to_resolve(host, file)
    if name is None:
        return
    found = list(ways(script.timeline, name, service_cidr))
    working = [each for each in found if not each.but and not each.unknown]
    if not working:
        yield _none(script, name, place, found)
        return
    for moment in ready(script.timeline):
        together_with = [each for each in working if together(each.step.conditions, moment.when)]
        guards = [without_own_questions(each.step.conditions, (HOSTS,)) for each in together_with]
        if always(guards, moment.when) is False:
            step = working[0].step
            says = f"the node can resolve {name} only if {shown_guard(step.conditions)}"
            yield fail(step.place, says, should="whenever the node joins", cause=CAUSE)
        elif decides := who_decides(guards, moment.when):
            yield unknown(working[0].step.place, f"whether the node can resolve {name} is not known: {decides}")


def _name_to_resolve(host: str, file: HostsToml | None) -> str | None:
    """The first name of the cluster's own that a pull needs; None where it is led elsewhere."""
    if file is not None and not file.reading.unknown and not file.reading.fault:
        serving = [each for each in file.endpoints if each.serves("pull")]
        leads = [without_port(file.reading.shown(each.authority)) for each in serving]
        if any(not is_in_cluster(each) for each in leads[:1]):
            return None
        host = leads[0] if leads else host
    name = without_port(host)
    return name if is_in_cluster(name) else None


def _none(script: BootScript, name: str, place: Place, found: list[Way]) -> Draft:
    broken = next((each for each in found if each.but), None)
    if broken is not None:
        says = f"the node can't resolve {name}: {broken.but}"
        return fail(broken.step.place, says, should=broken.should, cause=CAUSE, remedy=broken.remedy)
    unsure = next((each for each in found if each.unknown), None)
    if unsure is not None:
        return unknown(unsure.step.place, f"whether the node can resolve {name} is not known: {unsure.unknown}")
    gap = script.timeline.not_understood(HOSTS, "resolv", "dnsmasq", name)
    gap_or_program = gap or speaking_of(script.timeline, HOSTS, name)
    if gap_or_program is not None:
        return unknown(gap_or_program.place, f"whether this step lets the node resolve {name} is not known")
    remedy = (
        f'`echo "$SERVICE_IP {name}" >> {HOSTS}` with the address of the cache\'s Service, or a drop-in of '
        "systemd-resolved with DNS= (the cluster's DNS) and Domains=~cluster.local"
    )
    return fail(
        place,
        f"the node can't resolve {name}",
        should=f"an entry in {HOSTS}, or a resolver",
        cause=CAUSE,
        remedy=remedy,
    )


@RULE.check
def the_node_has_an_address_for_each(
    registries: NodeRegistries, runtimes: NodeRuntimes, identity: NodeIdentity
) -> Findings:
    yield from names_of(registries, runtimes, identity, CAUSE)


# Which addresses of the service range have an owner before anybody asks: EKS its DNS, the fleet its registry caches.
#
# Nodes can't ask the cluster's DNS, so a cache inside the cluster has an address that is known before the cluster is.
# Kubernetes gives services that ask for none an address from the rest of the range first: it spares 16 at least.


DNS = 10
FIRST_REGISTRY = 11
# Names that only the cluster's own DNS knows, whatever its domain is called.
_IN_CLUSTER = pattern(r"\.svc$|\.svc\.|\.cluster\.local$")


def dns(service_range: str) -> str:
    return str(ipaddress.ip_network(service_range)[DNS])


def name_of(host: str) -> str:
    """A registry's host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def is_in_cluster(host: str) -> bool:
    return _IN_CLUSTER.search(name_of(host).rstrip(".")) is not None


def registry_addresses(hosts: Iterable[str], service_range: str) -> dict[str, str]:
    """The address of each cache inside the cluster, by its name: what its Service asks for, and what nodes are told."""
    names = dict.fromkeys(name_of(host) for host in hosts if is_in_cluster(host))
    network = ipaddress.ip_network(service_range)
    return {name: str(network[FIRST_REGISTRY + position]) for position, name in enumerate(names)}
