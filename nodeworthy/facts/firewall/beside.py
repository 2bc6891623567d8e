"""Tables of iptables beside filter, in which a packet may be dropped as well: raw and mangle."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.firewall.firewall import IPTABLES, PANIC, Chains, Does, Side, Step
from nodeworthy.facts.firewall.nft_listing import HOOKS
from nodeworthy.facts.firewall.saved import Saved, is_for_all
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.verdict import Place

_TABLES = ("raw", "mangle")
# firewalld's chains for rules that it is given as they are; it closes raw in panic alone.
_FIREWALLDS = "PREROUTING_direct"


def by_other_tables(printed: str, host: Place) -> Firewall:
    """What iptables-save printed of them. Raises ValueError where nobody can follow a chain."""
    firewall = Firewall()
    tables = [each for each in Saved.tables(printed) if each[0] in _TABLES]
    if any(_is_panic(table, saved) for table, saved in tables):
        firewall.nft[PANIC] = _panic(host)
        return firewall
    for number, (table, saved) in enumerate(tables):
        for chains in _chains(table, saved, host):
            firewall.nft[f"{number} {chains.name}"] = chains
    return firewall


def _is_panic(table: str, saved: Saved) -> bool:
    return table == "raw" and _FIREWALLDS in saved.chains and saved.policies.get("PREROUTING") is False


def _panic(host: Place) -> Chains:
    command = f"{IPTABLES} -t raw -P PREROUTING DROP"
    step = Step(Does.POLICY, IPTABLES, host.about(f"{IPTABLES}: raw PREROUTING"), command, sides=tuple(Side))
    return Chains(PANIC, dict.fromkeys(Side, (False, step)), owner=PANIC)


def _chains(table: str, saved: Saved, host: Place) -> Iterator[Chains]:
    for chain, accepts in saved.policies.items():
        hook = chain.lower()
        name = f"{IPTABLES} -t {table} {chain}"
        chains = Chains(name, hook=hook)
        command = f"{IPTABLES} -t {table} -P {chain} {'ACCEPT' if accepts else 'DROP'}"
        policy = Step(Does.POLICY, name, host.about(f"{IPTABLES}: {table} {chain}"), command, allows=accepts)
        for side in HOOKS.get(hook, ()):
            _fill(chains, saved, side, (accepts, policy), host)
        yield chains


def _fill(chains: Chains, saved: Saved, side: Side, policy: tuple[bool, Step], host: Place) -> None:
    chains.policies[side] = policy
    for each in saved.met(chains.name.rpartition(" ")[2], side):
        step = Step(Does.ADD, chains.name, host.about(each.line), each.line, filter=each.filter)
        if is_for_all(each.filter) and each.filter.allows is False:
            chains.policies[side] = (False, step)
            return
        chains.rules.append((each.filter, step))
