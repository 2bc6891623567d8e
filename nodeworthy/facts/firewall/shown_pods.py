"""What a script and the files around it show of the pods on its node: their network, their addresses, the uplink."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from nodeworthy.boot.userdata import Part
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.firewall.needs import Pods
from nodeworthy.facts.firewall.pods import of_networks
from nodeworthy.facts.firewall.ranges import Range
from nodeworthy.known.network_signs import Sign, Usual, mark, ranges, signs, usual
from nodeworthy.known.pod_interfaces import Cni, brought_by, network
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

# More of one line nobody wrote.
_LONGEST = 2000
_VARIABLE = pattern(r"\$\{?(\w+)(?::?-([^}]*))?\}?")


@dataclass(frozen=True)
class Written:
    """One line of a script or a manifest; a key that stands alone goes on in the next one."""

    text: str
    place: Place

    @property
    def is_comment(self) -> bool:
        return self.text.lstrip().startswith(("#", "//"))


@dataclass(frozen=True)
class Shown:
    sign: Sign
    place: Place

    @property
    def networks(self) -> tuple[Cni, ...]:
        sign = self.sign
        if not sign.network:
            return brought_by(sign.distribution) if sign.distribution else ()
        one = network(sign.network)
        return (replace(one, forwards=True, in_front=True) if sign.in_front else one,)


@dataclass(frozen=True)
class Networks:
    """Those that pods may have; none where nothing shows one."""

    any_of: tuple[Cni, ...] = ()
    by: tuple[Shown, ...] = ()
    # The ranges that somebody chose, and those that are usual.
    chosen: Mapping[str, Range] = field(default_factory=dict)
    usual: Usual = Usual()
    # The script itself does not show it.
    is_guessed: bool = False


def lines_of(text: str, place: Place) -> Iterator[Written]:
    rows = text.splitlines()
    for index, row in enumerate(rows):
        goes_on = row.rstrip().endswith(":") and index + 1 < len(rows)
        whole = f"{row.rstrip()} {rows[index + 1].strip()}" if goes_on else row
        yield Written(whole[:_LONGEST], Place(place.path, index + 1, 1))


def _shown_in(lines: Iterable[Written]) -> list[Shown]:
    """Every sign at its first place. What only speaks of a network may do so in a comment."""
    found: dict[str, Shown] = {}
    for line in lines:
        for sign in signs():
            if sign.id not in found and not (sign.is_certain and line.is_comment) and sign.text.search(line.text):
                found[sign.id] = Shown(sign, line.place)
    return list(found.values())


def networks_in(own: Sequence[Written], around: Iterable[Written] = ()) -> Networks:
    """What the script does comes first, then what it speaks of, then what the files around it do."""
    shown = _shown_in(own)
    certain, likely = ([each for each in shown if each.sign.is_certain is sure] for sure in (True, False))
    chosen = dict(_ranges(own))
    found = _of(certain, chosen)
    if not found.any_of:
        found = replace(_of(likely, chosen), is_guessed=True)
    if not found.any_of:
        beside = [each for each in _shown_in(around) if each.sign.is_certain and each.sign.everywhere]
        found = replace(_of(beside, chosen), is_guessed=True)
    return found


def _of(shown: Sequence[Shown], chosen: Mapping[str, Range]) -> Networks:
    """A network that somebody chose stands in the place of that which the distribution brings."""
    named = [each for each in shown if each.sign.network]
    if not named and any(each.sign.without for each in shown):
        named = []
    elif not named:
        named = [each for each in shown if each.sign.distribution]
    any_of = {cni.key: cni for each in named for cni in each.networks}
    return Networks(tuple(any_of.values()), tuple(named), chosen, _usual(shown))


def _usual(shown: Sequence[Shown]) -> Usual:
    """Where all that is shown has one."""
    keys = [each.sign.distribution or each.sign.network for each in shown]
    found = {each for each in map(usual, keys) if each.pods}
    return found.pop() if len(found) == 1 else Usual()


def _ranges(lines: Sequence[Written]) -> Iterator[tuple[str, Range]]:
    """The last one that is written counts; one of two families is its first."""
    for of, text in ranges():
        for line in lines:
            said = text.search(line.text) if not line.is_comment else None
            value = next(filter(None, said.groups()), "") if said else ""
            found = _range_of_words(_valued(value, lines).split(",")[0])
            if found is not None:
                yield of, found


def _valued(written: str, lines: Sequence[Written]) -> str:
    """What a variable is set to, where that is written out."""
    named = _VARIABLE.fullmatch(written)
    if named is None:
        return written
    name = f"{named[1]}="
    for line in lines:
        said = line.text.strip().removeprefix("export ").removeprefix("readonly ")
        if said.startswith(name):
            value = said.removeprefix(name).strip("\"'")
            default = _VARIABLE.fullmatch(value)
            return (default[2] or "") if default is not None else value
    return named[2] or ""


def _range_of_words(written: str) -> Range | None:
    if "/" not in written:
        return None
    try:
        return ipaddress.ip_network(written.strip("\"'"), strict=False)
    except ValueError:
        return None


# Files that say how a cluster is made.
_SUFFIXES = (".yaml", ".yml", ".sh", ".bash", ".tf", ".tofu", ".tpl", ".tftpl", ".j2", ".json", ".toml", ".hcl")
# `IFACE=$(ip route get 1.1.1.1 | awk …)`
_ASKED = pattern(
    r"^\s*(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=[\"']?\$\(\s*(?:/sbin/)?ip\b[^)\n]{0,80}\broute\b"
)


def shown_by(script: BootScript, said: Pods) -> Pods:
    """What somebody declared stands; the rest is what is shown."""
    own = [line for part in (*script.userdata.parts, *script.told_in) for line in _lines(part)]
    said = replace(said, uplink=said.uplink or _uplink(own))
    if said.networks:
        return said
    found = networks_in(own, _around(script))
    networks = of_networks(found.any_of)
    return replace(
        said,
        networks=networks.networks,
        is_overlaid=networks.is_overlaid,
        shown=tuple(_related(found)),
        is_guessed=found.is_guessed,
        distribution=next((each.sign.distribution for each in found.by), ""),
        pod_range=said.pod_range or found.chosen.get("pods"),
        usual_range=_range(found.usual.pods),
        usual_services=found.chosen.get("services") or _range(found.usual.services),
    )


def _lines(part: Part) -> Iterator[Written]:
    for each in lines_of(part.text, Place()):
        yield replace(each, place=part.origin.at(each.place.line or 1, 1))


def _around(script: BootScript) -> Iterator[Written]:
    """Asked for only where the script itself shows nothing."""
    if script.surroundings is None:
        return
    for held in script.surroundings.holding(mark(), _SUFFIXES):
        yield from lines_of(held.data.decode("utf-8", "replace"), Place(os.path.relpath(held.path)))


def _related(found: Networks) -> Iterator[Related]:
    for each in found.by:
        named = " or ".join(cni.key for cni in each.networks)
        by = f"{each.sign.distribution}, and it brings {named}" if each.sign.distribution else named
        sure = "this shows" if each.sign.is_certain else "this speaks of"
        yield Related(each.place, f"pods' network: {sure} {by}")


def _range(written: str) -> Range | None:
    return ipaddress.ip_network(written) if written else None


def _uplink(lines: list[Written]) -> str:
    """The variable in which the script keeps its name. An interface that it only names may be a private network's."""
    asked = (said[1] for line in lines if not line.is_comment and (said := _ASKED.search(line.text)))
    return next((f"${name}" for name in asked), "")
