"""A node's firewall, as its kernel has it now and as the next boot finds it: what it keeps from pods, and what it lets
through beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.firewall.effective import written_by_people
from nodeworthy.facts.firewall.firewall import PANIC, Side
from nodeworthy.facts.firewall.pod_needs import Pods, Way
from nodeworthy.facts.firewall.pod_traffic import BlockedTraffic, blocked_traffic
from nodeworthy.facts.firewall.pods import pods_in
from nodeworthy.facts.firewall.ranges import Range, Route, range_of_neighbours, range_of_pods
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.firewall.too_wide import flaws_of
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import Blocked, NodeKernelLog
from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.pod_interfaces import holds, is_pods, is_uplink, there
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Place,
    Related,
    Verdict,
    fail,
    need,
    unknown,
    value_if_known,
)

UFW_UNIT = "ufw.service"
OFF = "every port of the node is open to whoever reaches it"


@dataclass(frozen=True)
class NodeIpv6:
    """What is asked of IPv6's packets: tables of their own, and routes."""

    kernels: Located[tuple[Firewall, ...]]
    uplink: str
    routes: tuple[Route, ...]

    def pods(self, pods: Pods) -> Pods | None:
        """Pods as these packets have them; None where they have no address of IPv6 that leads anywhere."""
        lead = [each for each in self.routes if not each.network.is_link_local and not each.network.is_multicast]
        declared = _of_ipv6(pods.pod_range)
        seen = range_of_pods(lead, pods.networks)
        if declared is None and seen is None:
            return None
        return replace(
            pods,
            is_ipv6=True,
            pod_range=declared,
            service_range=_of_ipv6(pods.service_range),
            usual_range=None,
            usual_services=None,
            seen_range=seen,
            uplink=self.uplink or pods.uplink,
            neighbours=range_of_neighbours(lead, self.uplink) if self.uplink else None,
        )


def _of_ipv6(network: Range | None) -> Range | None:
    return network if network is not None and network.version == 6 else None


@dataclass(frozen=True)
class NodeFirewall:
    called: ClassVar[str] = "a node's firewall"

    place: Place
    # Tables of iptables, in both kinds, and others of nftables: a packet has to pass them all.
    kernels: Located[tuple[Firewall, ...]]
    interfaces: tuple[str, ...]
    # The interface of the best default route; empty where there is none.
    uplink: str
    # ENABLED of ufw's own file; None where ufw is not installed.
    switch: Located[bool] | None
    units: NodeUnits | None
    # But for default ones.
    routes: tuple[Route, ...] = ()
    # None where nobody asked, or where the kernel has none.
    ipv6: NodeIpv6 | None = None

    def pods(self, fleet: Fleet | None, pool: Pool | None) -> Pods:
        """What the fleet says of pods, and what the node shows: that is what its rules have to name."""
        said = pods_in(fleet, pool) if fleet is not None and pool is not None else Pods()
        networks = there(self.interfaces)
        seen = replace(said, networks=networks or said.networks, are_seen=bool(networks), uplink=self.uplink)
        overlays = {name for each in networks for name in each.overlays}
        return replace(
            seen,
            is_overlaid=bool(overlays.intersection(self.interfaces)),
            seen_range=range_of_pods(self.routes, networks),
            neighbours=range_of_neighbours(self.routes, self.uplink),
        )

    def kept_back(self, pods: Pods) -> Iterator[tuple[BlockedTraffic, bool]]:
        """What of pods' traffic does not pass, and whether that is sure; nothing where nobody could look."""
        kernels = value_if_known(self.kernels) or ()
        told = [each for firewall in kernels for each in blocked_traffic(firewall, pods, self.place)]
        told += self._kept_back_by_ipv6(pods, {story.says for story, _ in told})
        # In panic mode nothing else is to be told: every packet is dropped, whatever the rules say.
        yield from [each for each in told if each[0].chains.owner == PANIC][:1] or told

    def _kept_back_by_ipv6(self, pods: Pods, said: set[str]) -> list[tuple[BlockedTraffic, bool]]:
        """ufw writes most rules for both: what is kept back of both is told once."""
        if self.ipv6 is None:
            return []
        of_ipv6 = self.ipv6.pods(pods)
        if of_ipv6 is None:
            return []
        kernels = value_if_known(self.ipv6.kernels) or ()
        found = (each for kernel in kernels for each in blocked_traffic(kernel, of_ipv6, self.place))
        return [each for each in found if each[0].says not in said]


def pods_behind(firewall: NodeFirewall, identity: NodeIdentity) -> Pods:
    """Ends the judgement as unknown where nobody could see what is filtered of their packets."""
    need(firewall.kernels)
    pods = firewall.pods(identity.fleet, identity.known_pool)
    if firewall.ipv6 is not None and firewall.ipv6.pods(pods) is not None:
        need(firewall.ipv6.kernels)
    return pods


def once_booted(end: BootEnd, findings: Iterable[Draft]) -> Findings:
    """What a boot script that still runs may mend by itself is no fault yet."""
    found = list(findings)
    if any(each.verdict is Verdict.FAIL for each in found) and not need(end.reached):
        yield unknown(Place(host=end.place.host), f"the boot has not ended yet, and until now {found[0].message}")
        return
    yield from found


def keeps_pods_back(firewall: NodeFirewall, identity: NodeIdentity) -> bool:
    """Whether pod-egress-forwarded tells of this node what its packets run into."""
    pods = firewall.pods(identity.fleet, identity.known_pool)
    return any(is_sure for _, is_sure in firewall.kept_back(pods))


def evidence(log: NodeKernelLog | None, story: BlockedTraffic) -> Iterator[Related]:
    """Rules for another uplink, and the last packet that the kernel's log says was dropped on each of these ways."""
    yield from _for_another_uplink(story)
    if log is None:
        return
    for way in dict.fromkeys(each.way for each in story.lacking):
        dropped = [each for each in log.blocked if _way_of(each) is way]
        if dropped:
            yield Related(log.place, f"the kernel's log says so: {dropped[-1].line}")


def _for_another_uplink(story: BlockedTraffic) -> Iterator[Related]:
    uplink = story.pods.uplink
    for rule, step in story.chains.rules:
        ends = [end.shown() for end in (rule.in_, rule.out) if rule.side is Side.ROUTED and is_uplink(end.shown())]
        if uplink and ends and not holds(ends[0], uplink):
            yield Related(step.place, f"this is about {ends[0]}, and {uplink} leads out of this node")


def _way_of(packet: Blocked) -> Way | None:
    comes, goes = is_pods(packet.came_by), is_pods(packet.to_go_by)
    if comes:
        return Way.LEAVE if packet.to_go_by else Way.TO_NODE
    if goes:
        return Way.REACH if packet.came_by else Way.FROM_NODE
    return None


def pool_with_ufw(identity: NodeIdentity, seen: NodeFirewall) -> BootPool | None:
    """The node's pool, if that has ufw. Where the pool is not known and some pools have ufw, it is not known whether
    ufw must be on."""
    if identity.fleet is None or not any(each.firewall is Wanted.UFW for each in identity.fleet.pools):
        return None
    if not isinstance(identity.pool.state, Known) and _off(seen) is not None:
        need(identity.pool)
    return known_to_want(identity)


def known_to_want(identity: NodeIdentity) -> BootPool | None:
    """The node's pool, if that is known and has ufw."""
    pool = identity.known_pool
    if pool is None or identity.fleet is None or pool.firewall is not Wanted.UFW:
        return None
    return BootPool(pool, identity.fleet)


def declared_firewall(pool: BootPool | None) -> tuple[Related, ...]:
    return (pool.declared("has ufw as its firewall"),) if pool is not None else ()


def open_to_others(seen: NodeFirewall, pods: Pods, pool: BootPool | None) -> Sequence[Draft]:
    off = _off(seen) if pool is not None else None
    if off is not None:
        return [off]
    told = [flaw for each in need(seen.kernels) for flaw in flaws_of(written_by_people(each), pods)]
    ipv6 = seen.ipv6
    # Whom no route of IPv6 leads out of reaches nobody by it, and is reached by nobody.
    if ipv6 is not None and ipv6.uplink:
        of_ipv6 = ipv6.pods(pods) or replace(pods, is_ipv6=True, uplink=ipv6.uplink)
        kernels = value_if_known(ipv6.kernels) or ()
        flaws = (flaw for each in kernels for flaw in flaws_of(written_by_people(each), of_ipv6))
        said = {each.message for each in told}
        told += [replace(each, message=f"{each.message} (IPv6)") for each in flaws if each.message not in said]
    return told


def _off(seen: NodeFirewall) -> Draft | None:
    """ufw does not filter, or will not after the next boot."""
    is_switched_on = seen.switch is None or need(seen.switch)
    if any(each.is_up for each in need(seen.kernels)):
        return _off_tomorrow(seen, is_switched_on=is_switched_on)
    if seen.switch is None:
        return _flaw(seen, "ufw is not installed", "no ufw", "apt-get install ufw; ufw --force enable")
    if is_switched_on:
        says = "ufw is switched on, and the kernel has none of its rules: something took them away"
        return _flaw(seen, says, "ENABLED=yes, and no chain of ufw's", "ufw reload")
    return _flaw(seen, "ufw is off", "Status: inactive", "let ssh and what pods need through, then: ufw --force enable")


def _off_tomorrow(seen: NodeFirewall, *, is_switched_on: bool) -> Draft | None:
    if not is_switched_on:
        is_ = "ENABLED=no in /etc/ufw/ufw.conf"
        return _flaw(seen, "ufw is on, and off after the next boot", is_, "ufw --force enable")
    unit = need(seen.units.by_name).get(UFW_UNIT) if seen.units is not None else None
    if unit is None or not unit.is_there or unit.starts_at_boot is not False:
        return None
    return _flaw(seen, "nothing switches ufw on at the next boot", unit.says, f"systemctl enable {unit.name}")


def _flaw(seen: NodeFirewall, says: str, is_: str, remedy: str) -> Draft:
    return fail(seen.place, says, should="ufw on, now and after a reboot", cause=OFF, is_=is_, remedy=remedy)
