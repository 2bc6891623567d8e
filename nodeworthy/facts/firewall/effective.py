"""A node's firewall as its kernel has it, whoever put it there."""

from __future__ import annotations

from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, UFW, Does, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.saved import BUILT_IN, Met, Saved, is_for_all
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import is_a_networks_own
from nodeworthy.records import replace
from nodeworthy.verdict import Place

# Chains in which firewalld asks by zones, whatever its version.
_FIREWALLDS = {"INPUT_ZONES", "FORWARD_ZONES"}
_OF_UFWS_USER = "ufw-user-"
# Of ufw's chains those that its files fill; in others it does what its policies say.
_OF_UFWS_FILES = ("ufw-before-", "ufw-after-", _OF_UFWS_USER)


def firewall_of_iptables(printed: str, host: Place) -> Firewall:
    """What iptables-save printed. Raises ValueError where nobody can follow its chains."""
    saved, firewall = Saved.of(printed), Firewall()
    if saved.chains.keys() >= _FIREWALLDS:
        firewall.kernel.owner = FIREWALLD
    if saved.is_ufws:
        firewall.enabled = FirewallStep(Does.ON, UFW, host.about("ufw"), "ufw enable")
    for name, side in BUILT_IN.items():
        end = _fill(firewall, saved.met(name, side), host)
        if end is not None:
            firewall.kernel.policies[side] = (False, end)
        elif name in saved.policies:
            firewall.kernel.policies[side] = _policy(name, side, saved, host)
    return firewall


def _fill(firewall: Firewall, met: list[Met], host: Place) -> FirewallStep | None:
    """Puts every rule where it stands to ufw's; gives the one that drops all packets, behind which none is met."""
    rules = firewall.before
    for each in met:
        step = FirewallStep(Does.ADD, IPTABLES, host.about(each.line), each.line, filter=each.filter)
        if is_for_all(each.filter) and each.filter.allows is False:
            return step
        if firewall.is_up and each.chain.startswith(_OF_UFWS_USER):
            firewall.ufw.rules.append((each.filter, step))
            rules = firewall.behind
        else:
            rules.append((each.filter, step))
    return None


def _policy(name: str, side: Side, saved: Saved, host: Place) -> tuple[bool, FirewallStep]:
    allows = saved.policies[name]
    if saved.is_ufws:
        command, place = f"ufw default {'allow' if allows else 'deny'} {side.value}", host.about("ufw")
    else:
        command = f"iptables -P {name} {'ACCEPT' if allows else 'DROP'}"
        place = host.about(f"iptables: {name}")
    return allows, FirewallStep(Does.POLICY, IPTABLES, place, command, sides=(side,), allows=allows)


def written_by_people(firewall: Firewall) -> Firewall:
    """The firewall without the rules that programs write for themselves: in chains of their own, or with a comment."""
    return replace(
        firewall,
        before=[each for each in firewall.before if _is_somebodys(*each)],
        behind=[each for each in firewall.behind if _is_somebodys(*each)],
    )


def _is_somebodys(rule: Filter, step: FirewallStep) -> bool:
    chain = step.command.split()[1] if step.command.count(" ") else ""
    own = any(is_a_networks_own(end.shown()) for end in (rule.in_, rule.out) if end)
    return (chain in BUILT_IN or chain.startswith(_OF_UFWS_FILES)) and "--comment" not in step.command and not own
