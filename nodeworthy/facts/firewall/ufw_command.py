"""What a call of ufw asks for, in the grammar of its own parser; what that refuses is refused here."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from itertools import pairwise

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import Does, Filter, Side
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace

# One rule of ufw: `allow in on eno1 from 10.0.0.0/8 to any port 22 proto tcp`, as ufw's own parser reads it.

_PORTS = pattern(r"\d+(?::\d+)?(?:,\d+(?::\d+)?)*")


class UfwRefusal(Exception):
    """ufw ends with an error, and nothing changes."""


class Unclear(Exception):
    """What is said can't be known before the script runs."""


def _address_of(value: Text) -> Text:
    """Empty for anybody's. Raises UfwRefusal."""
    known = value.known
    if known is None:
        return value
    if known.lower() == "any":
        return EMPTY
    try:
        network = ipaddress.ip_network(known, strict=False)
    except ValueError:
        raise UfwRefusal(f"`{known}` is no address") from None
    return EMPTY if network.prefixlen == 0 else Text.of(str(network))


def _is_port(written: str) -> bool:
    if not _PORTS.fullmatch(written):
        return False
    ends = [[int(end) for end in each.split(":")] for each in written.split(",")]
    return all(0 < end <= 65535 for each in ends for end in each) and all(a < b for a, b in (e for e in ends if e[1:]))


_ACTIONS = frozenset({"allow", "deny", "reject", "limit"})
_KEYS = ("proto", "from", "to", "port", "app", "in", "out")
_PORTLESS = frozenset({"ipv6", "esp", "ah", "igmp", "gre", "vrrp"})
_PROTOCOLS = frozenset({"tcp", "udp", "any"}) | _PORTLESS
_INTERFACE = pattern(r"[a-zA-Z0-9_.+,=%@-]{1,15}")
# More words than this, and ufw looks no further.
_MOST = 13


@dataclass(frozen=True)
class Rule:
    action: str
    filter: Filter


@dataclass
class _Clauses:
    side: Side = Side.IN
    interfaces: dict[str, Text] = field(default_factory=dict)
    addresses: dict[str, Text] = field(default_factory=dict)
    # What port or application, of which end.
    ports: dict[str, str] = field(default_factory=dict)
    proto: str = ""


def rule_of(words: Sequence[Text], *, routed: bool) -> Rule:
    """Raises UfwRefusal, Unclear."""
    if not words:
        raise UfwRefusal("it has no rule")
    action = _word(words[0])
    if action not in _ACTIONS:
        raise UfwRefusal(f"`{action}` is no action of ufw")
    clauses = _Clauses(Side.ROUTED if routed else Side.IN)
    rest = _directed(_without_comment(words[1:]), clauses, routed=routed)
    if len(rest) + 1 + 2 * len(clauses.interfaces) > _MOST:
        raise UfwRefusal("it has too many words")
    if len(rest) == 1 and not clauses.interfaces:
        _short(rest[0], clauses)
    else:
        _full(rest, clauses)
    _check(clauses)
    return Rule(action, _filter(action, clauses))


def _word(text: Text) -> str:
    if text.known is None:
        raise Unclear(f"it depends on {text.unsaid()}")
    return text.known


def _without_comment(words: Sequence[Text]) -> list[Text]:
    at = next((index for index, each in enumerate(words) if each.known == "comment"), None)
    if at is None:
        return list(words)
    if at == len(words) - 1:
        raise UfwRefusal("its comment is missing")
    if "'" in words[at + 1].string:
        raise UfwRefusal("its comment has a quote in it")
    return [*words[:at], *words[at + 2 :]]


def _directed(words: list[Text], clauses: _Clauses, *, routed: bool) -> list[Text]:
    """Takes off the direction, the interfaces, the wish to log; a route's second interface may stand behind."""
    rest = words
    if rest and rest[0].known in ("in", "out"):
        direction = rest[0].string
        if len(rest) > 1 and rest[1].known == "on":
            rest = _interface(rest, 0, clauses)
        elif len(rest) == 1 or routed:
            raise UfwRefusal("a direction of a route names its interface" if routed else "it has no rule")
        else:
            rest = rest[1:]
        clauses.side = Side.OUT if direction == "out" and not routed else clauses.side
    while routed and (at := _second_interface(rest)) is not None:
        rest = _interface(rest, at, clauses)
    return rest[1:] if rest and rest[0].known in ("log", "log-all") else rest


def _second_interface(words: Sequence[Text]) -> int | None:
    for at, (one, other) in enumerate(pairwise(words)):
        if one.known in ("in", "out") and other.known == "on":
            return at
    return None


def _interface(words: Sequence[Text], at: int, clauses: _Clauses) -> list[Text]:
    direction = words[at].string
    if at + 2 >= len(words) or direction in clauses.interfaces:
        raise UfwRefusal("it names no interface, or one twice")
    name = words[at + 2]
    if name.known is not None and not _INTERFACE.fullmatch(name.known):
        raise UfwRefusal(f"`{name.known}` is no name of an interface for ufw")
    clauses.interfaces[direction] = name
    return [*words[:at], *words[at + 3 :]]


def _short(word: Text, clauses: _Clauses) -> None:
    """`22`, `22/tcp`, `OpenSSH`."""
    if word.known is None:
        clauses.ports["to"] = word.shown()
        return
    port, slash, proto = word.known.partition("/")
    if slash and (proto not in _PROTOCOLS - _PORTLESS or "/" in proto):
        raise UfwRefusal(f"`{word.known}` is no port")
    clauses.ports["to"] = port
    clauses.proto = proto


def _full(words: Sequence[Text], clauses: _Clauses) -> None:
    if len(words) % 2:
        raise UfwRefusal("it has a wrong number of words")
    end = ""
    for key, value in zip(words[::2], words[1::2], strict=True):
        name = _word(key)
        if name not in _KEYS or name in ("in", "out"):
            raise UfwRefusal(f"`{name}` is no word of a rule")
        end = _clause(name, value, end, clauses)
    if not clauses.addresses and not clauses.interfaces:
        raise UfwRefusal("it has neither `from` nor `to`")


def _clause(name: str, value: Text, end: str, clauses: _Clauses) -> str:
    if name in ("from", "to"):
        if name in clauses.addresses:
            raise UfwRefusal(f"it has `{name}` twice")
        clauses.addresses[name] = _address_of(value)
        return name
    if name == "proto":
        if clauses.proto:
            raise UfwRefusal("it has `proto` twice")
        clauses.proto = (value.known or value.shown()).lower()
        if value.known is not None and clauses.proto not in _PROTOCOLS:
            raise UfwRefusal(f"`{value.known}` is no protocol of ufw")
        return end
    if not end or end in clauses.ports:
        raise UfwRefusal(f"`{name}` needs a `from` or a `to` of its own")
    clauses.ports[end] = value.shown()
    return end


def _check(clauses: _Clauses) -> None:
    known = [each.known for each in clauses.addresses.values() if each.known]
    if len({":" in each for each in known}) > 1:
        raise UfwRefusal("its addresses are of two versions of IP")
    for port in clauses.ports.values():
        if port[:1].isdigit() and not _is_port(port):
            raise UfwRefusal(f"`{port}` is no port")
        if (":" in port or "," in port) and clauses.proto not in ("tcp", "udp") and "$" not in port + clauses.proto:
            raise UfwRefusal("several ports need `proto tcp` or `proto udp`")
    if clauses.proto in _PORTLESS and clauses.ports:
        raise UfwRefusal(f"{clauses.proto} has no ports")


def _filter(action: str, clauses: _Clauses) -> Filter:
    ports = [f"port {port}" for port in clauses.ports.values() if port != "any"]
    proto = clauses.proto if clauses.proto != "any" else ""
    # `limit` lets a few connections through.
    limits = " ".join(filter(None, [proto, *ports, "a few connections" if action == "limit" else ""]))
    return Filter(
        clauses.side,
        action in ("allow", "limit"),
        clauses.interfaces.get("in", EMPTY),
        clauses.interfaces.get("out", EMPTY),
        clauses.addresses.get("from", EMPTY),
        clauses.addresses.get("to", EMPTY),
        limits,
    )


_SIDES = {
    **dict.fromkeys(("incoming", "input"), Side.IN),
    **dict.fromkeys(("outgoing", "output"), Side.OUT),
    **dict.fromkeys(("routed", "forward"), Side.ROUTED),
}
_RULES = frozenset({"allow", "deny", "reject", "limit", "insert", "prepend", "delete", "route", "rule"})
_ALONE = {"enable": Does.ON, "disable": Does.OFF, "reset": Does.CLEAR}
_LOGGING = frozenset({"on", "off", "low", "medium", "high", "full"})
_ASKS = frozenset({"status", "show", "version", "help", "app", "--version", "--help", "-h"})


@dataclass(frozen=True)
class UfwCommand:
    """What one call of ufw does. It changes nothing where `does` is None."""

    does: Does | None
    rule: Rule | None = None
    # Of a deletion by number.
    number: int = 0
    side: Side = Side.IN
    allows: bool = False
    why: str = ""
    # It asks before it does so: of `enable`, below ssh alone.
    asks: bool = False


NOTHING = UfwCommand(None)


def ufw_command(arguments: Sequence[Text]) -> UfwCommand:
    words = list(arguments)
    dry = bool(words) and words[0].string.lower() == "--dry-run"
    words = words[1:] if dry else words
    forced = bool(words) and words[0].string.lower() in ("--force", "-f")
    words = words[1:] if forced else words
    try:
        found = _command_of(words)
    except UfwRefusal as refusal:
        return UfwCommand(Does.REFUSED, why=str(refusal))
    except Unclear as unclear:
        return UfwCommand(Does.UNREAD, why=str(unclear))
    if dry:
        return NOTHING
    asks = found.does in (Does.ON, Does.CLEAR) or (found.does is Does.REMOVE and found.rule is None)
    return replace(found, asks=asks and not forced)


def _command_of(words: Sequence[Text]) -> UfwCommand:
    if not words:
        raise UfwRefusal("it is told nothing")
    verb = words[0].known
    if verb is None:
        raise Unclear(words[0].why)
    verb = verb.lower()
    if verb in _RULES:
        return _rule(words)
    if verb == "default":
        return _default(words[1:])
    if verb in _ALONE or verb == "reload":
        if len(words) > 1:
            raise UfwRefusal(f"`{verb}` stands alone")
        return UfwCommand(_ALONE[verb]) if verb in _ALONE else NOTHING
    if verb == "logging":
        return _logging(words[1:])
    if verb in _ASKS:
        return NOTHING
    raise UfwRefusal(f"ufw has no command `{verb}`")


def _default(words: Sequence[Text]) -> UfwCommand:
    known = [each.string.lower() for each in words]
    if any(each.known is None for each in words[:2]):
        raise Unclear(next(each.why for each in words if each.holes))
    if not known or known[0] not in ("allow", "deny", "reject"):
        raise UfwRefusal("a default is allow, deny or reject")
    if len(known) > 1 and known[1] not in _SIDES:
        raise UfwRefusal(f"a default is of incoming, outgoing or routed, and not of `{known[1]}`")
    side = _SIDES[known[1]] if len(known) > 1 else Side.IN
    return UfwCommand(Does.POLICY, side=side, allows=known[0] == "allow")


def _logging(words: Sequence[Text]) -> UfwCommand:
    if not words or (words[0].known is not None and words[0].known.lower() not in _LOGGING):
        raise UfwRefusal("logging is on, off, low, medium, high or full")
    return NOTHING


def _rule(words: Sequence[Text]) -> UfwCommand:
    routed = words[0].known == "route"
    rest = list(words[1:]) if words[0].known in ("route", "rule") else list(words)
    if not rest:
        raise UfwRefusal("it has no rule")
    first = rest[0].string.lower()
    if first == "delete":
        return _deleted(rest[1:], routed=routed)
    if first == "insert":
        if len(rest) < 4:
            raise UfwRefusal("it has no rule")
        position = rest[1].known or "1"
        if not position.isdigit() or position == "0":
            raise UfwRefusal(f"there is no position {position}")
        return UfwCommand(Does.INSERT, rule_of(rest[2:], routed=routed), number=int(position) - 1)
    if first == "prepend":
        return UfwCommand(Does.INSERT, rule_of(rest[1:], routed=routed))
    return UfwCommand(Does.ADD, rule_of(rest, routed=routed))


def _deleted(words: Sequence[Text], *, routed: bool) -> UfwCommand:
    if not words:
        raise UfwRefusal("it has no rule")
    if words[0].known is None:
        raise Unclear(words[0].why)
    if words[0].known.lstrip("-").isdigit():
        if routed:
            raise UfwRefusal("a route rule is deleted by its number without `route`")
        return UfwCommand(Does.REMOVE, number=int(words[0].known))
    return UfwCommand(Does.REMOVE, rule_of(words, routed=routed))
