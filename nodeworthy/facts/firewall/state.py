"""A firewall as its steps leave it, in one run of the script: who is asked, in which order, and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, UFW, Chains, Does, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.firewalld import Firewalld, chains_of
from nodeworthy.records import dataclass, field, replace

# ufw's own: a fresh installation forwards nothing and lets nobody in.
DEFAULTS = {Side.IN: False, Side.OUT: True, Side.ROUTED: False}


@dataclass
class Firewall:
    ufw: Chains = field(default_factory=lambda: Chains(UFW))
    # Before and behind ufw's rules, in the kernel's same chains.
    before: list[tuple[Filter, FirewallStep]] = field(default_factory=list)
    behind: list[tuple[Filter, FirewallStep]] = field(default_factory=list)
    kernel: Chains = field(default_factory=lambda: Chains(IPTABLES))
    nft: dict[str, Chains] = field(default_factory=dict)
    firewalld: Firewalld = field(default_factory=Firewalld)
    enabled: FirewallStep | None = None
    # ufw was switched off, or its unit was, and not on again.
    off: FirewallStep | None = None
    unit_off: FirewallStep | None = None
    refused: list[FirewallStep] = field(default_factory=list)
    unread: list[FirewallStep] = field(default_factory=list)
    # It was to be switched on, and asked, and nobody answered.
    unanswered: FirewallStep | None = None
    # Every rule that ufw was ever told: one that it has already takes the place of itself.
    told: set[tuple[object, ...]] = field(default_factory=set)
    # Steps that took rules away again.
    removed: list[FirewallStep] = field(default_factory=list)

    @property
    def is_up(self) -> bool:
        """Whether ufw filters."""
        return self.enabled is not None and self.unit_off is None

    @property
    def switched_off(self) -> FirewallStep | None:
        """The step by which nothing filters any more."""
        is_filtered = self.is_up or self.firewalld.runs is not None
        return None if is_filtered else (self.off or self.unit_off or self.firewalld.off)

    def closed(self) -> Iterator[Chains]:
        """The sets of chains that do not let everything through."""
        every = (self._of_the_kernel(), *self.nft.values(), *chains_of(self.firewalld))
        yield from (each for each in every if each.name == UFW or _keeps_something(each))

    def _of_the_kernel(self) -> Chains:
        policies = dict(self.kernel.policies)
        if self.is_up:
            ufws = {side: self.ufw.policies.get(side, (allows, self.enabled)) for side, allows in DEFAULTS.items()}
            policies = {**ufws, **policies}
        own = self.ufw.rules if self.is_up else []
        rules = [*self.before, *own, *self.behind]
        return Chains(UFW if self.is_up else IPTABLES, policies, rules, owner=self.kernel.owner)

    def do(self, step: FirewallStep) -> None:
        if step.does is Does.UNANSWERED:
            self.unanswered = step if step.why else self.unanswered
            return
        if step.does in (Does.REFUSED, Does.UNREAD):
            (self.refused if step.does is Does.REFUSED else self.unread).append(step)
            return
        if step.does is Does.REMOVE and step.filter is not None:
            self.removed.append(step)
        if step.table == UFW:
            self._ufw(step)
        elif step.table == FIREWALLD:
            self.firewalld.do(step)
        elif step.table == IPTABLES:
            self._iptables(step)
        else:
            self._nft(step)

    def _ufw(self, step: FirewallStep) -> None:
        if step.does is Does.ON:
            self._on(step)
        elif step.does in (Does.OFF, Does.CLEAR):
            self._off(step)
            self.ufw.rules = [] if step.does is Does.CLEAR else self.ufw.rules
        elif step.does is Does.POLICY:
            for side in step.sides:
                self.ufw.policies[side] = (step.allows, step)
                self.kernel.policies.pop(side, None)
        else:
            self._rule(step)

    def _rule(self, step: FirewallStep) -> None:
        if step.filter is not None and step.does is not Does.REMOVE:
            if step.filter.key in self.told and _is_there(self.ufw.rules, step):
                if step.does is Does.INSERT:
                    self.refused.append(replace(step, why="it has a rule about the same already, and inserts none"))
                return
            self.told.add(step.filter.key)
        _changed(self.ufw.rules, step)

    def _on(self, step: FirewallStep) -> None:
        if step.why == "unit":
            self.unit_off = None
            return
        self.enabled, self.off = step, None
        # It sets the kernel's policies to its own.
        self.kernel.policies.clear()

    def _off(self, step: FirewallStep) -> None:
        if step.why == "unit":
            self.unit_off = step
        elif step.does is Does.OFF:
            self.enabled, self.off = None, step
        elif not step.why:
            # `ufw reset` switches it off, too; a file that is written anew does not.
            self.enabled = None

    def _iptables(self, step: FirewallStep) -> None:
        if step.does is Does.POLICY:
            for side in step.sides:
                self.kernel.policies[side] = (step.allows, step)
        elif step.does is Does.CLEAR:
            self.before = [each for each in self.before if each[0].side not in step.sides]
            self.behind = [each for each in self.behind if each[0].side not in step.sides]
        elif step.does is Does.REMOVE:
            _changed(self.before, step)
            _changed(self.behind, step)
        else:
            _changed(self.before if step.does is Does.INSERT else self.behind, step)

    def _nft(self, step: FirewallStep) -> None:
        if step.does is Does.CLEAR:
            name = step.table.removeprefix("nft").strip()
            self.nft = {key: each for key, each in self.nft.items() if name and name not in key}
            return
        chains = self.nft.setdefault(step.table, Chains(step.table))
        if step.does is Does.POLICY:
            chains.policies.update(dict.fromkeys(step.sides, (step.allows, step)))
        else:
            _changed(chains.rules, step)


def _changed(rules: list[tuple[Filter, FirewallStep]], step: FirewallStep) -> None:
    if step.does is Does.REMOVE:
        if step.filter is None:
            del rules[max(step.position - 1, 0) : step.position]
            return
        wanted = step.filter
        rules[:] = [each for each in rules if (each[0].key, each[0].allows) != (wanted.key, wanted.allows)]
    elif step.filter is not None:
        if step.does is Does.INSERT:
            rules.insert(step.position, (step.filter, step))
        else:
            rules.append((step.filter, step))


def _is_there(rules: list[tuple[Filter, FirewallStep]], step: FirewallStep) -> bool:
    """A rule that ufw has already takes the place of itself, but not where it is to be inserted: ufw skips that."""
    rule = step.filter
    if rule is None:
        return False
    same = next((at for at, (each, _) in enumerate(rules) if each.key == rule.key), None)
    if same is not None and step.does is Does.ADD:
        rules[same] = (rule, step)
    return same is not None


def firewall_left_by(steps: Iterable[FirewallStep]) -> Firewall:
    firewall = Firewall()
    for each in steps:
        firewall.do(each)
    return firewall


def _keeps_something(chains: Chains) -> bool:
    """Whether something is let through only where a rule says so, or may be dropped by one."""
    may_deny = (rule for rule, _ in chains.rules if not rule.allows and not rule.limits)
    is_open = all(chains.policy(side)[0] for side in Side)
    return not is_open or any(rule.allows is None or not rule.is_narrowed for rule in may_deny)
