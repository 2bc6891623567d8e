"""What a call of ufw asks for, in the grammar of its own parser; what that refuses is refused here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import Does, Side
from nodeworthy.facts.firewall.ufw_rule import Refused, Rule, Unclear, rule_of
from nodeworthy.records import dataclass

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
    """None of `does`: nothing changes."""

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
    dry = bool(words) and (words[0].known or "").lower() == "--dry-run"
    words = words[1:] if dry else words
    forced = bool(words) and (words[0].known or "").lower() in ("--force", "-f")
    words = words[1:] if forced else words
    try:
        found = _read(words)
    except Refused as refusal:
        return UfwCommand(Does.REFUSED, why=str(refusal))
    except Unclear as unclear:
        return UfwCommand(Does.UNREAD, why=str(unclear))
    if dry:
        return NOTHING
    asks = found.does in (Does.ON, Does.CLEAR) or (found.does is Does.REMOVE and found.rule is None)
    return replace(found, asks=asks and not forced)


def _read(words: Sequence[Text]) -> UfwCommand:
    if not words:
        raise Refused("it is told nothing")
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
            raise Refused(f"`{verb}` stands alone")
        return UfwCommand(_ALONE[verb]) if verb in _ALONE else NOTHING
    if verb == "logging":
        return _logging(words[1:])
    if verb in _ASKS:
        return NOTHING
    raise Refused(f"ufw has no command `{verb}`")


def _default(words: Sequence[Text]) -> UfwCommand:
    known = [(each.known or "").lower() for each in words]
    if any(each.known is None for each in words[:2]):
        raise Unclear(next(each.why for each in words if each.holes))
    if not known or known[0] not in ("allow", "deny", "reject"):
        raise Refused("a default is allow, deny or reject")
    if len(known) > 1 and known[1] not in _SIDES:
        raise Refused(f"a default is of incoming, outgoing or routed, and not of `{known[1]}`")
    side = _SIDES[known[1]] if len(known) > 1 else Side.IN
    return UfwCommand(Does.POLICY, side=side, allows=known[0] == "allow")


def _logging(words: Sequence[Text]) -> UfwCommand:
    if not words or (words[0].known is not None and words[0].known.lower() not in _LOGGING):
        raise Refused("logging is on, off, low, medium, high or full")
    return NOTHING


def _rule(words: Sequence[Text]) -> UfwCommand:
    routed = words[0].known == "route"
    rest = list(words[1:]) if words[0].known in ("route", "rule") else list(words)
    if not rest:
        raise Refused("it has no rule")
    first = (rest[0].known or "").lower()
    if first == "delete":
        return _deleted(rest[1:], routed=routed)
    if first == "insert":
        if len(rest) < 4:
            raise Refused("it has no rule")
        position = rest[1].known or "1"
        if not position.isdigit() or position == "0":
            raise Refused(f"there is no position {position}")
        return UfwCommand(Does.INSERT, rule_of(rest[2:], routed=routed), number=int(position) - 1)
    if first == "prepend":
        return UfwCommand(Does.INSERT, rule_of(rest[1:], routed=routed))
    return UfwCommand(Does.ADD, rule_of(rest, routed=routed))


def _deleted(words: Sequence[Text], *, routed: bool) -> UfwCommand:
    if not words:
        raise Refused("it has no rule")
    if words[0].known is None:
        raise Unclear(words[0].why)
    if words[0].known.lstrip("-").isdigit():
        if routed:
            raise Refused("a route rule is deleted by its number without `route`")
        return UfwCommand(Does.REMOVE, number=int(words[0].known))
    return UfwCommand(Does.REMOVE, rule_of(words, routed=routed))
