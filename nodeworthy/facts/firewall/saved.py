"""The kernel's filters as iptables-save prints them: every rule that a packet may meet, in its order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import Filter, Side
from nodeworthy.facts.firewall.iptables import filter_of, goes_on, jumps_for, words_of
from nodeworthy.facts.firewall.ranges import range_of
from nodeworthy.known.pod_interfaces import Cni, commenting, holds, network_of
from nodeworthy.records import dataclass, field, replace


class _Apart(Exception):
    """No packet matches both filters."""


def both(outer: Filter, inner: Filter) -> Filter | None:
    """The filter of the packets that both filters match; None if there can be no such packet."""
    limits = dict.fromkeys(each for each in (outer.limits, inner.limits) if each)
    try:
        return Filter(
            inner.side,
            inner.allows,
            _interface(outer.in_, inner.in_),
            _interface(outer.out, inner.out),
            _addresses(outer.source, inner.source),
            _addresses(outer.to, inner.to),
            " ".join(limits),
            outer.is_narrowed or inner.is_narrowed,
            (*outer.unless, *inner.unless),
        )
    except _Apart:
        return None


def _interface(one: Text, other: Text) -> Text:
    if not one or not other:
        return one or other
    if holds(one.shown(), other.shown()):
        return other
    if holds(other.shown(), one.shown()):
        return one
    raise _Apart


def _addresses(one: Text, other: Text) -> Text:
    first, second = range_of(one), range_of(other)
    if not one or not other or first is None or second is None:
        return one or other
    if first.version != second.version or not first.overlaps(second):
        raise _Apart
    return one if first.prefixlen >= second.prefixlen else other


BUILT_IN = {"INPUT": Side.IN, "OUTPUT": Side.OUT, "FORWARD": Side.ROUTED}
_UFWS = {Side.IN: "ufw-before-input", Side.OUT: "ufw-before-output", Side.ROUTED: "ufw-before-forward"}
# By this one ufw itself tells whether it is on.
_USERS = "ufw-user-input"
# Chains of programs that let through what they have marked themselves: never what a pod sends of its own accord.
_MARKING = ("KUBE-", "CILIUM_")
_JUMPS, _GOES = ("-j", "--jump"), ("-g", "--goto")
_MOST, _DEEPEST = 20_000, 100


@dataclass(frozen=True)
class Met:
    """A rule on a packet's way, and the line of the chain in which it stands."""

    filter: Filter
    chain: str
    line: str


def is_for_all(rule: Filter) -> bool:
    """Whether no packet that comes here goes on."""
    asks = rule.in_ or rule.out or rule.source or rule.to or rule.limits or rule.is_narrowed or rule.unless
    return rule.allows is not None and not asks


@dataclass(frozen=True)
class _Rule:
    words: Sequence[Text]
    line: str

    @property
    def target(self) -> str:
        return next((self._behind(each) for each in (*_JUMPS, *_GOES) if self._has(each)), "")

    @property
    def is_goto(self) -> bool:
        return any(self._has(each) for each in _GOES)

    @property
    def marked_by(self) -> Cni | None:
        """The network that lets through here what it has marked itself."""
        return self.written_by if self._has("--mark") else None

    @property
    def written_by(self) -> Cni | None:
        return commenting(self._behind("--comment")) if self._has("--comment") else None

    def _has(self, word: str) -> bool:
        return any(each.known == word for each in self.words[:-1])

    def _behind(self, word: str) -> str:
        at = next(index for index, each in enumerate(self.words) if each.known == word)
        return self.words[at + 1].shown()


@dataclass
class Saved:
    """One table of an iptables-save."""

    # Of the kernel's own chains, by their names: whether it accepts.
    policies: dict[str, bool] = field(default_factory=dict)
    chains: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    followed: int = 0

    @classmethod
    def of(cls, printed: str) -> Saved:
        """The filter table of what was printed."""
        return next((saved for table, saved in cls.tables(printed) if table == "filter"), cls())

    @classmethod
    def tables(cls, printed: str) -> list[tuple[str, Saved]]:
        found = [("filter", cls())]
        for line in map(str.strip, printed.splitlines()):
            if line.startswith("*"):
                found.append((line[1:], cls()))
            else:
                found[-1][1]._read(line)
        return [each for each in found if each[1].chains]

    def _read(self, line: str) -> None:
        if line.startswith(":"):
            self._chain(line[1:].split())
        elif line.startswith("-A "):
            words = words_of(Text.of(line))
            self.chains[words[1].shown() if len(words) > 1 else ""].append(_Rule(words[2:], line))

    def _chain(self, words: Sequence[str]) -> None:
        if len(words) > 1:
            self.chains.setdefault(words[0], [])
            if words[1] in ("ACCEPT", "DROP"):
                self.policies[words[0]] = words[1] == "ACCEPT"

    @property
    def is_ufws(self) -> bool:
        """Whether packets that come in and that pass meet ufw's rules: one that is off leaves empty chains behind."""
        return _USERS in self.chains and all(
            any(rule.target == _UFWS[side] for rule in self.chains.get(name, ()))
            for name, side in BUILT_IN.items()
            if side is not Side.OUT
        )

    def met(self, chain: str, side: Side) -> list[Met]:
        """Raises ValueError where nobody could follow them all."""
        self.followed = 0
        return list(self._walk(chain, Filter(side, None), ()))

    def _walk(self, chain: str, via: Filter, path: tuple[str, ...]) -> Iterator[Met]:
        if chain in path:
            return
        for rule in self.chains.get(chain, ()):
            self.followed += 1
            if self.followed > _MOST or len(path) > _DEEPEST:
                raise ValueError(f"the chain {(*path, chain)[0]} leads to more rules than can be followed")
            target = rule.target
            own = _conditions(rule, via, chain)
            if own is None:
                continue
            if target == "RETURN":
                if _is_the_same(own, via):
                    return
                # The rest is for those packets that did not return; of new ones, where others do, for all.
                via = via if own.limits else replace(via, is_narrowed=True)
            elif target in self.chains and not goes_on(target):
                yield from self._into(target, rule, own, (*path, chain))
                if rule.is_goto and _is_the_same(own, via):
                    return
            elif (act := filter_of(rule.words, via.side)) is not None:
                yield from _acts(rule, replace(own, allows=act.allows), via, chain)

    def _into(self, target: str, rule: _Rule, own: Filter, path: tuple[str, ...]) -> Iterator[Met]:
        network = network_of(target)
        if network is None:
            yield from self._walk(target, own, path)
            return
        if target != network.chain:
            return
        # It lets its pods through by marks of its own, if it lets anybody through.
        if any(each.target == "ACCEPT" for each in self.chains[target]):
            yield from _lets_through(network, own, target, rule.line)


def _acts(rule: _Rule, own: Filter, via: Filter, chain: str) -> Iterator[Met]:
    network = rule.marked_by
    if network is not None and own.allows:
        yield from _lets_through(network, via, chain, rule.line)
    elif own.allows or via.side is Side.ROUTED or rule.written_by is None:
        # Whom a network keeps from the node is a policy of its own.
        yield Met(own, chain, rule.line)


def _lets_through(network: Cni, of: Filter, chain: str, line: str) -> Iterator[Met]:
    for pods in map(Text.of, network.pods):
        yield Met(replace(of, allows=True, in_=pods), chain, line)
        yield Met(replace(of, allows=True, out=pods), chain, line)


def _conditions(rule: _Rule, via: Filter, chain: str) -> Filter | None:
    """What this rule is about, of the packets that come by here; None where it is about none of them."""
    asked = jumps_for([*_asserted(rule.words)], via.side)
    if chain.startswith(_MARKING) and any(each.known == "--mark" for each in rule.words):
        asked = replace(asked, limits=f"{asked.limits} packets with a mark".strip(), is_narrowed=False)
    return both(via, asked)


def _asserted(words: Sequence[Text]) -> Iterator[Text]:
    """The words without what must not be so: a negation narrows the rule, and names nothing that it is about."""
    rest = iter(words)
    for each in rest:
        if each.known == "!":
            yield each
            next(rest, None)
            next(rest, None)
        else:
            yield each


def _is_the_same(own: Filter, via: Filter) -> bool:
    return own.key == via.key and own.is_narrowed == via.is_narrowed
