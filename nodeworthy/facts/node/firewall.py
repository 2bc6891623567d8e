"""A node's firewall, as its kernel has it now and as the next boot finds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.facts.firewall.firewall import PANIC
from nodeworthy.facts.firewall.needs import Pods
from nodeworthy.facts.firewall.pods import pods_in
from nodeworthy.facts.firewall.ranges import Route, of_neighbours, of_pods
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.firewall.story import Story, stories
from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.pod_interfaces import there
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

UFW_UNIT = "ufw.service"


@dataclass(frozen=True)
class NodeIpv6:
    """What is asked of IPv6's packets: tables of their own, and routes."""

    kernels: Located[tuple[Firewall, ...]]
    uplink: str
    routes: tuple[Route, ...]

    def pods(self, pods: Pods) -> Pods | None:
        """Pods as these packets have them; None where they have no address of IPv6 that leads anywhere."""
        lead = [each for each in self.routes if not each.network.is_link_local and not each.network.is_multicast]
        declared = pods.pod_range if pods.pod_range is not None and pods.pod_range.version == 6 else None
        seen = of_pods(lead, pods.networks)
        if declared is None and seen is None:
            return None
        services = pods.service_range if pods.service_range is not None and pods.service_range.version == 6 else None
        return replace(
            pods,
            is_ipv6=True,
            pod_range=declared,
            service_range=services,
            usual_range=None,
            usual_services=None,
            seen_range=seen,
            uplink=self.uplink or pods.uplink,
            neighbours=of_neighbours(lead, self.uplink) if self.uplink else None,
        )


@dataclass(frozen=True)
class NodeFirewall:
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
            seen_range=of_pods(self.routes, networks),
            neighbours=of_neighbours(self.routes, self.uplink),
        )

    def kept_back(self, pods: Pods) -> Iterator[tuple[Story, bool]]:
        """What of pods' traffic does not pass, and whether that is sure; nothing where nobody could look."""
        kernels = self.kernels.state.value if isinstance(self.kernels.state, Known) else ()
        told = [each for firewall in kernels for each in stories(firewall, pods, self.place)]
        told += self._kept_back_by_ipv6(pods, {story.says for story, _ in told})
        # In panic mode nothing else is to be told: every packet is dropped, whatever the rules say.
        yield from [each for each in told if each[0].chains.owner == PANIC][:1] or told

    def _kept_back_by_ipv6(self, pods: Pods, said: set[str]) -> list[tuple[Story, bool]]:
        """ufw writes most rules for both: what is kept back of both is told once."""
        of_ipv6 = self.ipv6.pods(pods) if self.ipv6 is not None else None
        if self.ipv6 is None or of_ipv6 is None or not isinstance(self.ipv6.kernels.state, Known):
            return []
        found = (each for kernel in self.ipv6.kernels.state.value for each in stories(kernel, of_ipv6, self.place))
        return [each for each in found if each[0].says not in said]
