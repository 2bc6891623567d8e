"""nftables: base chains with their policies, and the rules in them, from a file or from arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.facts.firewall.firewall import Does, Filter, Side
from nodeworthy.facts.firewall.nft_listing import closing_brace
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_TOKEN = pattern(r'"[^"\n]*"|[{};\n]|#[^\n]*|[^\s{};"]+')
_ENDS = frozenset({";", "\n"})


def tokens(text: str) -> list[str]:
    """The words of a ruleset without comments; a backslash at the end of a line joins lines."""
    found = (each[0] for each in _TOKEN.finditer(text.replace("\\\n", " ")))
    return [each.strip('"') for each in found if not each.startswith("#")]


def _statements(script: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Each statement, and the block behind it. Braces inside of a rule are a set, and belong to its words."""
    words: list[str] = []
    at = 0
    while at < len(script):
        token = script[at]
        if token in _ENDS:
            if words:
                yield words, []
            words = []
        elif token == "{" and _opens_a_block(words):
            end = closing_brace(script, at)
            yield words, list(script[at + 1 : end])
            words, at = [], end
        elif token == "}" and "{" not in words:
            pass
        else:
            words.append(token)
        at += 1
    if words:
        yield words, []


def _opens_a_block(words: Sequence[str]) -> bool:
    kinds = ("table", "chain", "set", "map", "flowtable", "counter", "quota")
    made = words[1:] if words[:1] in (["add"], ["create"]) else words
    return bool(made) and made[0] in kinds


_HOOKS = {"input": Side.IN, "output": Side.OUT, "forward": Side.ROUTED}
_FAMILIES = frozenset({"ip", "ip6", "inet", "arp", "bridge", "netdev"})
_VERDICTS: dict[str, bool | None] = {"accept": True, "drop": False, "reject": False, "jump": None, "goto": None}
# Words of a rule that narrow nothing.
_PASSING = frozenset({"counter", "meta", "log", "ip", "ct", "flags"})
_ENDS_OF_A_PACKET = {
    **dict.fromkeys(("iif", "iifname"), "in"),
    **dict.fromkeys(("oif", "oifname"), "out"),
    "saddr": "source",
    "daddr": "to",
}
_WITH_VALUE = frozenset({"comment", "prefix", "level", "packets", "bytes"})
_PORTS = frozenset({"tcp", "udp", "sctp", "th", "icmp", "icmpv6", "l4proto", "protocol", "sport"})


@dataclass(frozen=True)
class NftAct:
    does: Does
    # family, table and chain; empty for all of them.
    chain: str
    sides: tuple[Side, ...]
    filter: Filter | None = None
    allows: bool = False


@dataclass
class _Rule:
    ends: dict[str, list[Text]] = field(default_factory=dict)
    limits: list[str] = field(default_factory=list)
    verdict: str = ""
    is_narrowed: bool = False


@dataclass
class NftReader:
    """Remembers which chain hangs in which hook: rules may come in a later command."""

    hooks: dict[str, Side] = field(default_factory=dict)
    _holes: dict[str, Hole] = field(default_factory=dict)

    def read(self, text: Text) -> Iterator[NftAct]:
        yield from self._commands(self._tokens(text), "")

    def _tokens(self, text: Text) -> list[str]:
        spelt = ""
        for piece in text.pieces:
            if isinstance(piece, str):
                spelt += piece
                continue
            name = f"zzhole{len(self._holes)}zz"
            self._holes[name] = piece
            spelt += name
        return tokens(spelt)

    def _text(self, token: str) -> Text:
        parts = re.split(r"(zzhole\d+zz)", token)
        return Text.of(*(self._holes.get(each, each) for each in parts))

    def _commands(self, script: Sequence[str], table: str) -> Iterator[NftAct]:
        for words, block in _statements(script):
            if not words and not block:
                continue
            verb = words[0] if words else ""
            rest = words[1:] if verb in ("add", "create", "insert", "delete", "flush", "replace", "destroy") else words
            yield from self._command(verb, rest, block, table)

    def _command(self, verb: str, words: Sequence[str], block: Sequence[str], table: str) -> Iterator[NftAct]:
        kind, named = (words[0], _with_family(words[1:])) if words else ("", [])
        if verb in ("flush", "delete", "destroy"):
            if kind in ("ruleset", "table", "chain"):
                yield NftAct(Does.CLEAR, "" if kind == "ruleset" else " ".join(named), tuple(Side))
        elif kind == "table" and not table:
            yield from self._commands(block, " ".join(named[:2]))
        elif kind == "chain":
            yield from self._chain(" ".join([table, words[1]]) if table else " ".join(named[:3]), block)
        elif kind == "rule":
            yield from self._rule(" ".join(named[:3]), named[3:], Does.INSERT if verb == "insert" else Does.ADD)

    def _chain(self, name: str, block: Sequence[str]) -> Iterator[NftAct]:
        for words, braces in _statements(block):
            if "hook" in words[:-1]:
                side = _HOOKS.get(words[words.index("hook") + 1])
                if side is None or words[:2] != ["type", "filter"] or not name.startswith(("ip ", "inet ")):
                    return
                self.hooks[name] = side
                yield NftAct(Does.POLICY, name, (side,), allows=True)
            if words[:1] == ["policy"]:
                if name in self.hooks:
                    yield NftAct(Does.POLICY, name, (self.hooks[name],), allows=words[1:2] != ["drop"])
            elif words and words[0] != "type":
                yield from self._rule(name, [*words, *braces], Does.ADD)

    def _rule(self, chain: str, words: Sequence[str], does: Does) -> Iterator[NftAct]:
        side = self.hooks.get(chain)
        if side is None:
            return
        for each in self._filters(list(words), side):
            yield NftAct(does, chain, (side,), each)

    def _filters(self, words: list[str], side: Side) -> Iterator[Filter]:
        rule = _Rule()
        at = 0
        while at < len(words) and not rule.verdict:
            at = self._word(words, at, rule)
        if rule.verdict:
            ends = [rule.ends.get(each, [EMPTY]) for each in ("in", "out", "source", "to")]
            for in_, out, source, to in product(*ends):
                limits = " ".join(rule.limits)
                yield Filter(side, _VERDICTS[rule.verdict], in_, out, source, to, limits, rule.is_narrowed)

    def _word(self, words: Sequence[str], at: int, rule: _Rule) -> int:
        """Takes one word with what belongs to it, and says where the next one stands."""
        word = words[at]
        values, after = _values(words, at + 1)
        if word in _ENDS_OF_A_PACKET:
            rule.is_narrowed |= "!=" in values
            make = self._interface if word.endswith(("if", "ifname")) else self._text
            rule.ends[_ENDS_OF_A_PACKET[word]] = [make(each) for each in values if each != "!="]
            return after
        if word == "state":
            rule.limits += [] if "new" in ",".join(values) else ["established connections"]
            return after
        if word == "dport":
            rule.limits.append(f"port {','.join(values)}")
            return after
        if word in _WITH_VALUE:
            return at + 2
        if word in _VERDICTS:
            rule.verdict = word
        elif word in _PORTS or word == "ip6":
            rule.limits.append(word)
        elif word not in _PASSING and not rule.limits:
            rule.is_narrowed = True
        return at + 1

    def _interface(self, token: str) -> Text:
        return self._text(f"{token[:-1]}+" if token.endswith("*") else token)


def _with_family(words: Sequence[str]) -> list[str]:
    """The family stands first, and is ip where it is left out."""
    return list(words) if words and words[0] in _FAMILIES else ["ip", *words]


def _values(words: Sequence[str], at: int) -> tuple[list[str], int]:
    """What stands behind a word: one value, a set in braces, a list with commas."""
    found: list[str] = []
    if at < len(words) and words[at] in ("!=", "=="):
        found += ["!="] if words[at] == "!=" else []
        at += 1
    if at < len(words) and words[at] == "{":
        end = words.index("}", at) if "}" in words[at:] else len(words)
        found += [each.strip(",") for word in words[at + 1 : end] for each in word.split(",") if each.strip(",")]
        return found, end + 1
    while at < len(words):
        found += [each for each in words[at].split(",") if each]
        at += 1
        if not words[at - 1].endswith(","):
            break
    return found, at
