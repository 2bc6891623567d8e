"""What `nft list table` prints, as chains, sets and maps: the rules of each chain, and the elements of each set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.firewall.firewall import Side
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# In some a packet is before or behind the choice of where it goes: what is forwarded passes them, too.
HOOKS: dict[str, tuple[Side, ...]] = {
    "input": (Side.IN,),
    "output": (Side.OUT,),
    "forward": (Side.ROUTED,),
    "prerouting": (Side.ROUTED, Side.IN),
    "postrouting": (Side.ROUTED, Side.OUT),
    "ingress": (Side.ROUTED, Side.IN),
    "egress": (Side.ROUTED, Side.OUT),
}
# In chains of nat programs choose ends, and drop nothing.
_TYPES = ("filter", "route")
# Those whose packets are of both kinds.
_OF_BOTH = ("inet", "netdev")
_SETS = ("set", "map")
_TOKEN = pattern(r'"[^"\n]*"|[{},;\n]|#[^\n]*|[^\s{},;"]+')


@dataclass
class Chain:
    name: str
    rules: list[Sequence[str]] = field(default_factory=list)
    # Of a chain that hangs in a hook: packets begin here.
    hook: str = ""
    accepts: bool = True
    # Of a hook that is asked of some interfaces alone.
    devices: Sequence[str] = ()

    @property
    def sides(self) -> tuple[Side, ...]:
        return HOOKS.get(self.hook, ())


@dataclass
class Table:
    name: str
    chains: dict[str, Chain] = field(default_factory=dict)
    # The elements of a set or map; those of one that was not listed whole are not here.
    sets: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    # Those that were listed at all.
    terse: set[str] = field(default_factory=set)
    # Whether it is asked what becomes of IPv6's packets, and not of IPv4's.
    of_ipv6: bool = False


def tables(printed: str, *, of_ipv6: bool = False) -> list[Table]:
    """The tables that packets of one family meet. A table that is listed in several parts is one."""
    families = ("ip6" if of_ipv6 else "ip", *_OF_BOTH)
    found: dict[str, Table] = {}
    for words, block in _statements(_tokens(printed)):
        if words[:1] == ["table"] and len(words) == 3 and words[1] in families and block is not None:
            name = " ".join(words[1:])
            _fill(found.setdefault(name, Table(name, of_ipv6=of_ipv6)), block)
    return list(found.values())


def _fill(table: Table, block: Sequence[str]) -> None:
    for words, inner in _statements(block):
        if len(words) != 2 or inner is None:
            continue
        kind, name = words
        if kind == "chain":
            table.chains[name] = _chain(name, inner)
        elif kind in _SETS:
            _keep(table, name, next((rest[2:] for rest in _plain(inner) if rest[:2] == ["elements", "="]), None))


def _keep(table: Table, name: str, listed: Sequence[str] | None) -> None:
    """A set is listed for itself behind its table: if it has no elements there, it has none."""
    if listed is not None:
        table.sets[name] = elements(listed)
    elif name in table.terse:
        table.sets.setdefault(name, [])
    table.terse.add(name)


def _chain(name: str, block: Sequence[str]) -> Chain:
    chain = Chain(name)
    for words in _plain(block):
        if words[0] == "type" and "hook" in words:
            _hang_in(chain, words)
        elif words[0] == "policy":
            chain.accepts = words[1:2] != ["drop"]
        elif words[0] not in ("comment", "flags", "devices"):
            chain.rules.append(words)
    return chain


def _hang_in(chain: Chain, words: Sequence[str]) -> None:
    """`type filter hook ingress device "eno1" priority -500`"""
    rest = words[words.index("hook") + 1 :]
    chain.hook = rest[0] if rest and words[1] in _TYPES else ""
    named = next((at for at, each in enumerate(rest) if each in ("device", "devices")), None)
    if named is not None:
        end = rest.index("priority") if "priority" in rest else len(rest)
        chain.devices = [each for each in rest[named + 1 : end] if each not in ("=", "{", "}", ",")]


def elements(braced: Sequence[str]) -> list[Sequence[str]]:
    """What stands between braces, split at its commas."""
    inner = [each for each in braced if each != "\n"]
    inner = inner[1:-1] if inner[:1] == ["{"] and inner[-1:] == ["}"] else inner
    found: list[list[str]] = [[]]
    for each in inner:
        if each == ",":
            found.append([])
        else:
            found[-1].append(each)
    return [each for each in found if each]


def _tokens(text: str) -> list[str]:
    found = (each[0] for each in _TOKEN.finditer(text))
    return [each.strip('"') for each in found if not each.startswith("#")]


def _statements(script: Sequence[str]) -> Iterator[tuple[list[str], Sequence[str] | None]]:
    """Each statement with the block behind it; a rule's own braces belong to its words."""
    words: list[str] = []
    at = 0
    while at < len(script):
        token = script[at]
        if token == "{":
            end = closing_brace(script, at)
            yield words, script[at + 1 : end]
            words, at = [], end
        elif token in (";", "\n"):
            if words:
                yield words, None
            words = []
        else:
            words.append(token)
        at += 1


def _plain(block: Sequence[str]) -> Iterator[list[str]]:
    """Each statement of a block that has none in it: braces are part of it, over as many lines as they take."""
    words: list[str] = []
    depth = 0
    for token in (*block, "\n"):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth == 0 and token in (";", "\n"):
            if words:
                yield words
            words = []
        else:
            words.append(token)


def closing_brace(script: Sequence[str], at: int) -> int:
    """Where the block ends that begins here, or behind its words."""
    depth = 0
    for index in range(at, len(script)):
        depth += {"{": 1, "}": -1}.get(script[index], 0)
        if depth == 0:
            return index
    return len(script)
