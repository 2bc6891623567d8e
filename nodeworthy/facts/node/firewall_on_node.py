"""What a node's firewall keeps from pods, and what it lets through beside them, told of the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.firewall.effective import written_by_people
from nodeworthy.facts.firewall.firewall import Side
from nodeworthy.facts.firewall.needs import Pods, Way
from nodeworthy.facts.firewall.story import Story
from nodeworthy.facts.firewall.too_wide import flaws_of
from nodeworthy.facts.node.firewall import UFW_UNIT, NodeFirewall
from nodeworthy.facts.node.node import Node
from nodeworthy.facts.node.seen import Blocked, read_then
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.known.pod_interfaces import holds, is_pods, is_uplink
from nodeworthy.verdict import Draft, Findings, Known, Related, Verdict, fail, need, unknown

OFF = "every port of the node is open to whoever reaches it"


def seen_on(node: Node) -> tuple[NodeFirewall, Pods]:
    seen = read_then(node.seen.firewall, "what the kernel filters")
    need(seen.kernels)
    pods = pods_on(node, seen)
    if seen.ipv6 is not None and seen.ipv6.pods(pods) is not None:
        need(seen.ipv6.kernels)
    return seen, pods


def pods_on(node: Node, seen: NodeFirewall) -> Pods:
    return seen.pods(node.fleet, node.declared.state.value if isinstance(node.declared.state, Known) else None)


def once_booted(node: Node, findings: Iterable[Draft]) -> Findings:
    """What a boot script that still runs may mend by itself is no fault yet."""
    found = list(findings)
    if any(each.verdict is Verdict.FAIL for each in found) and not need(node.seen.boot_ended):
        yield unknown(node, f"the boot has not ended yet, and until now {found[0].message}")
        return
    yield from found


def keeps_pods_back(node: Node) -> bool:
    """Whether pod-egress-forwarded tells of this node what its packets run into."""
    seen = node.seen.firewall
    return seen is not None and any(is_sure for _, is_sure in seen.kept_back(pods_on(node, seen)))


def evidence(node: Node, story: Story) -> Iterator[Related]:
    """Rules for another uplink, and the last packet that the kernel's log says was dropped on each of these ways."""
    yield from _for_another_uplink(story)
    log = node.seen.kernel_log
    for way in dict.fromkeys(each.way for each in story.lacking) if log is not None else ():
        dropped = [each for each in log.blocked if _way_of(each) is way] if log is not None else []
        if log is not None and dropped:
            yield Related(log.place, f"the kernel's log says so: {dropped[-1].line}")


def _for_another_uplink(story: Story) -> Iterator[Related]:
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


def wanted_by(node: Node, seen: NodeFirewall) -> BootPool | None:
    """Its pool, if that has ufw. Where its pool is not known, and some have ufw, whether it must be on is not."""
    if node.fleet is None or not any(each.firewall is Wanted.UFW for each in node.fleet.pools):
        return None
    if not isinstance(node.declared.state, Known) and _off(seen) is not None:
        need(node.declared)
    return known_to_want(node)


def known_to_want(node: Node) -> BootPool | None:
    """Its pool, if that is known and has ufw."""
    pool = node.declared.state.value if isinstance(node.declared.state, Known) else None
    if pool is None or node.fleet is None or pool.firewall is not Wanted.UFW:
        return None
    return BootPool(pool, node.fleet)


def declared(pool: BootPool | None) -> tuple[Related, ...]:
    return (pool.declared("has ufw as its firewall"),) if pool is not None else ()


def open_to_others(seen: NodeFirewall, pods: Pods, pool: BootPool | None) -> Sequence[Draft]:
    off = _off(seen) if pool is not None else None
    if off is not None:
        return [off]
    told = [flaw for each in need(seen.kernels) for flaw in flaws_of(written_by_people(each), pods)]
    ipv6 = seen.ipv6
    # Whom no route of IPv6 leads out of reaches nobody by it, and is reached by nobody.
    if ipv6 is not None and ipv6.uplink and isinstance(ipv6.kernels.state, Known):
        of_ipv6 = ipv6.pods(pods) or replace(pods, is_ipv6=True, uplink=ipv6.uplink)
        flaws = (flaw for each in ipv6.kernels.state.value for flaw in flaws_of(written_by_people(each), of_ipv6))
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
