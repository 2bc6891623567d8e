"""What a kernel asks besides iptables' filter table: its raw and mangle, and nftables' chains, whoever made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, PANIC, Chains, Does, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.nft_listing import HOOKS, Chain, Table, tables
from nodeworthy.facts.firewall.nft_rule import Outcome, outcomes
from nodeworthy.facts.firewall.saved import Met, Saved, both, is_for_all
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import network_with_table
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

_VERDICTS: dict[str, bool | None] = {"accept": True, "drop": False, "reject": False}
_OTHER_WAY = {"ip": "ip6", "ip6": "ip", "ipv4": "ipv6", "ipv6": "ipv4"}
# What other conditions a packet must have escaped to meet a rule: more than these are told by nobody.
_MOST, _MOST_UNLESS = 20_000, 200


@dataclass
class Followed:
    """One table, whose chains know each other alone."""

    table: Table
    count: int = 0

    def met(self, chain: Chain, via: Filter) -> list[Met]:
        """What these packets meet. Raises ValueError where nobody could follow them all."""
        self.count = 0
        return list(self._walk(chain.name, via, ()))

    def _walk(self, name: str, via: Filter, path: tuple[str, ...]) -> Iterator[Met]:
        chain = self.table.chains.get(name)
        if chain is None or name in path:
            yield Met(replace(via, allows=None), name, f"jump {name}")
            return
        for words in chain.rules:
            for each in outcomes(_seen_by(words, self.table), via.side, self.table.sets):
                own = self._own(via, each, name)
                if own is None:
                    continue
                if each.verdict in ("jump", "goto"):
                    yield from self._walk(each.chain, own, (*path, name))
                elif each.verdict != "return":
                    yield Met(replace(own, allows=_VERDICTS.get(each.verdict)), name, " ".join(words))
                if each.verdict in ("goto", "return"):
                    if _is_everything(each.filter):
                        return
                    via = _without(via, each.filter)

    def _own(self, via: Filter, outcome: Outcome, name: str) -> Filter | None:
        self.count += 1
        if self.count > _MOST or len(via.unless) > _MOST_UNLESS:
            raise ValueError(f"the chain {name} leads to more rules than can be followed")
        return both(via, outcome.filter)


def _seen_by(words: Sequence[str], table: Table) -> Sequence[str]:
    """The words of a rule for the family that is followed: in a table of IPv6, `ip` and `ip6` change places."""
    return [_OTHER_WAY.get(each, each) for each in words] if table.of_ipv6 else words


def _is_everything(asked: Filter) -> bool:
    return is_for_all(replace(asked, allows=True))


def _without(via: Filter, gone: Filter) -> Filter:
    """What is left of these packets: of those that a port or a protocol narrows, all others."""
    return via if gone.limits else replace(via, unless=(*via.unless, gone))


_TABLES = ("raw", "mangle")
# firewalld's chains for rules that it is given as they are; it closes raw in panic alone.
_FIREWALLDS_CHAIN = "PREROUTING_direct"


def firewall_of_other_tables(printed: str, host: Place) -> Firewall:
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
    return table == "raw" and _FIREWALLDS_CHAIN in saved.chains and saved.policies.get("PREROUTING") is False


def _panic(host: Place) -> Chains:
    command = f"{IPTABLES} -t raw -P PREROUTING DROP"
    step = FirewallStep(Does.POLICY, IPTABLES, host.about(f"{IPTABLES}: raw PREROUTING"), command, sides=tuple(Side))
    return Chains(PANIC, dict.fromkeys(Side, (False, step)), owner=PANIC)


def _chains(table: str, saved: Saved, host: Place) -> Iterator[Chains]:
    for chain, accepts in saved.policies.items():
        hook = chain.lower()
        name = f"{IPTABLES} -t {table} {chain}"
        chains = Chains(name, hook=hook)
        command = f"{IPTABLES} -t {table} -P {chain} {'ACCEPT' if accepts else 'DROP'}"
        policy = FirewallStep(Does.POLICY, name, host.about(f"{IPTABLES}: {table} {chain}"), command, allows=accepts)
        for side in HOOKS.get(hook, ()):
            _fill(chains, saved, side, (accepts, policy), host)
        yield chains


def _fill(chains: Chains, saved: Saved, side: Side, policy: tuple[bool, FirewallStep], host: Place) -> None:
    chains.policies[side] = policy
    for each in saved.met(chains.name.rpartition(" ")[2], side):
        step = FirewallStep(Does.ADD, chains.name, host.about(each.line), each.line, filter=each.filter)
        if is_for_all(each.filter) and each.filter.allows is False:
            chains.policies[side] = (False, step)
            return
        chains.rules.append((each.filter, step))


# firewalld has a chain for each hook, and they are one firewall.
_FIREWALLDS = {"inet firewalld": FIREWALLD, "inet firewalld_policy_drop": PANIC}
_WITHIN = ("input", "output", "forward")


def firewall_of_nft(printed: str, host: Place, *, of_ipv6: bool = False) -> Firewall:
    """What nft listed of tables that are not those of iptables. Raises ValueError where nobody can follow a chain."""
    firewall = Firewall()
    for table in tables(printed, of_ipv6=of_ipv6):
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
    """Joins the chains of one owner into one, under the name of the table."""
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
        policy = FirewallStep(
            Does.POLICY, chains.name, self._place, self._policy, sides=(via.side,), allows=self.chain.accepts
        )
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

    def _step(self, met: Met) -> FirewallStep:
        place = self.host.about(f"nft: {self.table.name} {met.chain}")
        return FirewallStep(Does.ADD, f"nft {self.table.name} {self.chain.name}", place, met.line, filter=met.filter)
