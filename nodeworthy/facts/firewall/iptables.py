"""Rules of iptables, as arguments and as lines of iptables-save: also ufw's own files are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.content import Content
from nodeworthy.boot.text import EMPTY, Hole, Piece, Text
from nodeworthy.facts.firewall.firewall import Does, Filter, Side
from nodeworthy.records import dataclass, field


def words_of(text: Text) -> list[Text]:
    """Splits a line as the programs do: at blanks outside of quotes. A hole is a part of the word that it is in."""
    words: list[Text] = []
    word: list[Piece] = []
    quote = ""
    for piece in text.pieces:
        if isinstance(piece, Hole):
            word.append(piece)
            continue
        for letter in piece:
            if quote:
                quote = "" if letter == quote else quote
                if quote:
                    word.append(letter)
            elif letter in "\"'":
                quote = letter
                word.append("")
            elif not letter.isspace():
                word.append(letter)
            elif word:
                words.append(Text.of(*word))
                word = []
    return [*words, Text.of(*word)] if word else words


_SIDES = {"INPUT": Side.IN, "OUTPUT": Side.OUT, "FORWARD": Side.ROUTED}
_UFW = {f"ufw-{part}-{name.lower()}": side for part in ("user", "before", "after") for name, side in _SIDES.items()}
CHAINS = {**_SIDES, **_UFW}

_ACTS = {
    **dict.fromkeys(("-A", "--append"), Does.ADD),
    **dict.fromkeys(("-I", "--insert"), Does.INSERT),
    **dict.fromkeys(("-D", "--delete"), Does.REMOVE),
    **dict.fromkeys(("-P", "--policy"), Does.POLICY),
    **dict.fromkeys(("-F", "--flush"), Does.CLEAR),
}
_NAMES = {
    **dict.fromkeys(("-i", "--in-interface"), "in"),
    **dict.fromkeys(("-o", "--out-interface"), "out"),
    **dict.fromkeys(("-s", "--source", "--src"), "source"),
    **dict.fromkeys(("-d", "--destination", "--dst"), "to"),
    **dict.fromkeys(("-j", "--jump", "-g", "--goto"), "target"),
}
_LIMITS = {
    **dict.fromkeys(("-p", "--protocol", "--proto"), ""),
    **dict.fromkeys(("--dport", "--dports", "--destination-port"), "port "),
    **dict.fromkeys(("--sport", "--sports", "--source-port"), "from port "),
    "--icmp-type": "ICMP ",
}
_STATES = frozenset({"--ctstate", "--state"})
_PLAIN_MATCHES = frozenset({"comment", "tcp", "udp", "conntrack", "state", "multiport", "icmp"})
# These say something about a packet, and let it go on.
_GOES_ON = frozenset(
    "LOG NFLOG ULOG MARK CONNMARK TCPMSS CT NOTRACK TRACE CLASSIFY DSCP TOS ECN TTL HL CHECKSUM SET TEE AUDIT SECMARK "
    "CONNSECMARK IDLETIMER RATEEST RETURN ufw-not-local ufw-logging-deny "
    # To the policy, which is that of the side: so end broadcasts and noise.
    "ufw-skip-to-policy-input ufw-skip-to-policy-output ufw-skip-to-policy-forward".split()
)
_VERDICTS = {"ACCEPT": True, "DROP": False, "REJECT": False, "ufw-user-limit-accept": True}


@dataclass(frozen=True)
class Act:
    """One thing that is done to one of the chains that every packet passes."""

    does: Does
    sides: tuple[Side, ...]
    filter: Filter | None = None
    allows: bool = False
    position: int = 0
    chain: str = ""


@dataclass
class _Spec:
    texts: dict[str, Text] = field(default_factory=dict)
    limits: list[str] = field(default_factory=list)
    is_narrowed: bool = False


def act_of(arguments: Sequence[Text]) -> Act | None:
    """None where it is about another table or chain, or only asks. Raises ValueError where a word is not known."""
    words = list(arguments)
    for at, each in enumerate(words):
        if each.known in ("-t", "--table") and at + 1 < len(words):
            if words[at + 1].known != "filter":
                return None
            words = [*words[:at], *words[at + 2 :]]
            break
    acts = [index for index, each in enumerate(words) if each.known in _ACTS]
    if not acts:
        return None
    at = acts[0]
    does = _ACTS[words[at].string]
    chain = words[at + 1].known if at + 1 < len(words) else None
    if does is Does.CLEAR and (chain is None or chain.startswith("-")):
        return Act(does, tuple(Side))
    if chain not in CHAINS:
        return None
    return _on(does, chain or "", [*words[:at], *words[at + 2 :]])


def _on(does: Does, chain: str, rest: Sequence[Text]) -> Act | None:
    side = CHAINS[chain]
    if does is Does.POLICY:
        return Act(does, (side,), allows=any(each.known == "ACCEPT" for each in rest), chain=chain)
    if does is Does.CLEAR:
        return Act(does, (side,), chain=chain)
    position = 0
    if rest and rest[0].string.isdigit():
        position = int(rest[0].known or "0") - (does is Does.INSERT)
        rest = rest[1:]
        if does is Does.REMOVE:
            return Act(does, (side,), position=position, chain=chain)
    found = filter_of(rest, side)
    return Act(does, (side,), found, position=position, chain=chain) if found is not None else None


def filter_of(words: Sequence[Text], side: Side) -> Filter | None:
    """None where it lets every packet go on."""
    spec = _spec(words)
    target = spec.texts.get("target", EMPTY).known
    if target is None:
        raise ValueError("what becomes of the packet is not known")
    return _filter(spec, side, allows=_VERDICTS.get(target)) if target and target not in _GOES_ON else None


def jumps_for(words: Sequence[Text], side: Side) -> Filter:
    """Which packets go on in the chain to which a rule leads: as a jump it has conditions, and no verdict."""
    return _filter(_spec(words), side, allows=None)


def _filter(spec: _Spec, side: Side, *, allows: bool | None) -> Filter:
    return Filter(
        side,
        allows,
        spec.texts.get("in", EMPTY),
        spec.texts.get("out", EMPTY),
        _address(spec.texts.get("source", EMPTY)),
        _address(spec.texts.get("to", EMPTY)),
        " ".join(spec.limits),
        spec.is_narrowed,
    )


def goes_on(target: str) -> bool:
    """Whether packets go on behind a rule with this target, whatever stands in its chain."""
    return target in _GOES_ON or target in _VERDICTS


def _spec(words: Sequence[Text]) -> _Spec:
    spec = _Spec()
    rest = iter(words)
    for each in rest:
        known = each.known
        if known is None:
            raise ValueError(each.why)
        if known == "!":
            spec.is_narrowed = True
        elif known in _NAMES:
            spec.texts[_NAMES[known]] = next(rest, EMPTY)
        elif known in _LIMITS:
            value = next(rest, EMPTY).shown()
            spec.limits += [f"{_LIMITS[known]}{value}"] if value != "all" else []
        elif known in _STATES:
            spec.limits += [] if "NEW" in next(rest, EMPTY).shown() else ["established connections"]
        elif known in ("-m", "--match"):
            spec.is_narrowed |= next(rest, EMPTY).shown() not in _PLAIN_MATCHES
        elif known in ("--comment", "--reject-with"):
            next(rest, None)
    return spec


def _address(text: Text) -> Text:
    return EMPTY if text.known in ("0.0.0.0/0", "any", "anywhere") else text


def acts_in(content: Content) -> Iterator[tuple[Act, int]]:
    """What the lines of an iptables-save do, each with the index of its line."""
    table = "filter"
    for index, line in enumerate(content.lines):
        words = words_of(line.text)
        first = words[0].string if words else "#"
        if first.startswith("*"):
            table = first[1:]
        elif table != "filter" or first.startswith("#"):
            continue
        elif first.startswith(":"):
            if len(words) > 1 and first[1:] in _SIDES and words[1].known in ("ACCEPT", "DROP"):
                side = _SIDES[first[1:]]
                yield Act(Does.POLICY, (side,), allows=words[1].known == "ACCEPT", chain=first[1:]), index
        else:
            act = act_of(words)
            if act is not None:
                yield act, index
