"""The chains of nftables by which its kernel asks what becomes of a packet, whoever hung them in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import FIREWALLD, PANIC, Chains, Does, Filter, Side, Step
from nodeworthy.facts.firewall.nft_followed import Followed
from nodeworthy.facts.firewall.nft_listing import Chain, Table, tables
from nodeworthy.facts.firewall.saved import Met, is_for_all
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import network_with_table
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# firewalld has a chain for each hook, and they are one firewall.
_FIREWALLDS = {"inet firewalld": FIREWALLD, "inet firewalld_policy_drop": PANIC}
_WITHIN = ("input", "output", "forward")


def by_nft(printed: str, host: Place) -> Firewall:
    """What nft listed of tables that are not those of iptables. Raises ValueError where nobody can follow a chain."""
    firewall = Firewall()
    for table in tables(printed):
        if network_with_table(table.name) is not None:
            continue
        owner = _FIREWALLDS.get(table.name, "")
        for chain in table.chains.values():
            if chain.sides:
                chains = _Hung(table, chain, host).chains(owner)
                _add(firewall.nft, chains, table.name if owner and _is_one(chain, owner) else "")
    return firewall


def _is_one(chain: Chain, owner: str) -> bool:
    return owner == PANIC or chain.hook in _WITHIN


def _add(found: dict[str, Chains], chains: Chains, table: str) -> None:
    """Those of one owner become one, under the name of the table."""
    if not table:
        found[chains.name] = chains
        return
    whole = found.setdefault(f"nft {table}", Chains(f"nft {table}", owner=chains.owner))
    whole.policies.update(chains.policies)
    whole.rules.extend(chains.rules)


@dataclass(frozen=True)
class _Hung:
    """One chain that hangs in a hook."""

    table: Table
    chain: Chain
    host: Place

    def chains(self, owner: str) -> Chains:
        """What packets meet, up to the rule that drops them all."""
        chains = Chains(f"nft {self.table.name} {self.chain.name}", hook=self.chain.hook, owner=owner)
        for side in self.chain.sides:
            for via in self._vias(side):
                self._fill(chains, via)
        return chains

    def _vias(self, side: Side) -> Iterator[Filter]:
        for device in map(Text.of, self.chain.devices):
            comes = self.chain.hook != "egress"
            yield Filter(side, None, in_=device if comes else EMPTY, out=EMPTY if comes else device)
        if not self.chain.devices:
            yield Filter(side, None)

    def _fill(self, chains: Chains, via: Filter) -> None:
        for each in Followed(self.table).met(self.chain, via):
            if is_for_all(each.filter) and each.filter.allows is False:
                step = replace(self._step(each), place=self._place, command="drop, behind all other rules")
                chains.policies[via.side] = (False, step)
                return
            chains.rules.append((each.filter, self._step(each)))
        policy = Step(Does.POLICY, chains.name, self._place, self._policy, sides=(via.side,), allows=self.chain.accepts)
        if self.chain.devices:
            # What comes by other interfaces never gets here.
            chains.rules.append((replace(via, allows=self.chain.accepts), policy))
        else:
            chains.policies[via.side] = (self.chain.accepts, policy)

    @property
    def _policy(self) -> str:
        return f"policy {'accept' if self.chain.accepts else 'drop'}"

    @property
    def _place(self) -> Place:
        return self.host.about(f"nft: {self.table.name} {self.chain.name}")

    def _step(self, met: Met) -> Step:
        place = self.host.about(f"nft: {self.table.name} {met.chain}")
        return Step(Does.ADD, f"nft {self.table.name} {self.chain.name}", place, met.line, filter=met.filter)
