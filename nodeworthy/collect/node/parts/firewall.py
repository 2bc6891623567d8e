"""What a node filters: the tables of its kernel, its interfaces, and ufw's own switch."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from nodeworthy.collect.node.parts.units import lines, older, printed_value, units
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.firewall.effective import firewall_of_iptables
from nodeworthy.facts.firewall.firewall import IPV6, LEGACY
from nodeworthy.facts.firewall.hooked import firewall_of_nft, firewall_of_other_tables
from nodeworthy.facts.firewall.ranges import Route
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.node.firewall import NodeFirewall, NodeIpv6
from nodeworthy.patterns import pattern
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, Unknown


def _route6_of(words: Sequence[str]) -> Iterator[Route]:
    """Reads `route eni1a2b 26001f14000000000000000000000007 00000000000000000000000000000000 80`."""
    _, interface, *numbers = words
    try:
        target, gateway = (int.from_bytes(bytes.fromhex(each), "big") for each in numbers[:2])
        network = ipaddress.IPv6Network((target, int(numbers[2], 16)))
    except (ValueError, IndexError):
        return
    yield Route(interface, network, is_direct=gateway == 0)


def route_of(words: Sequence[str]) -> Iterator[Route]:
    """Reads `route cni0 0001F40A 00000000 00FFFFFF`; yields nothing where a word does not fit such a table."""
    _, interface, *numbers = words
    try:
        target, gateway, mask = (int.from_bytes(bytes.fromhex(each), "little") for each in numbers)
        network = ipaddress.IPv4Network((target & mask, mask.bit_count()))
    except ValueError:
        return
    yield Route(interface, network, is_direct=gateway == 0)


_SWITCH = "/etc/ufw/ufw.conf"
_ENABLED = pattern(r"^\s*ENABLED\s*=\s*[\"']?(\w+)", re.MULTILINE)
_QUOTED = pattern(r'"[^"\n]*"')
_HEX = pattern(r"[0-9a-f]{1,8}")
_LEGACY = "iptables legacy"


def _by_ip6tables(saved: str, host: Place) -> Firewall:
    return firewall_of_iptables(saved.replace("ufw6-", "ufw-"), host)


_Reader = Callable[[str, Place], Firewall]
_READERS: Mapping[str, _Reader] = {
    _LEGACY: firewall_of_iptables,
    "iptables": firewall_of_iptables,
    "iptables beside": firewall_of_other_tables,
    "nft": firewall_of_nft,
}
_READERS_OF_IPV6: Mapping[str, _Reader] = {"ip6tables": _by_ip6tables, "nft": partial(firewall_of_nft, of_ipv6=True)}


def firewall(recording: Recording, host: Place) -> NodeFirewall | Missing:
    place = host.about("firewall")
    asked = printed_value(recording, "filters", place, "what the kernel filters")
    if asked is None:
        return older("what the kernel filters", place)
    names, uplink, routes = _links(recording)
    # Without the interfaces nobody knows whose a rule's are.
    looks = (asked, _asked_links(recording, place), _asked_programs(recording, place))
    unread = next((each.state for each in looks if isinstance(each.state, Unknown)), None)
    kernels = Located[tuple[Firewall, ...]](unread, place) if unread is not None else None
    return NodeFirewall(
        place=place,
        kernels=kernels or _kernels(recording, host, place, of_ipv6=False),
        interfaces=names,
        uplink=uplink,
        routes=routes,
        ipv6=_ipv6(recording, host, place),
        switch=_switch(recording, host.about(_SWITCH)),
        units=units(recording, "ufw", host),
    )


def _kernels(recording: Recording, host: Place, place: Place, *, of_ipv6: bool) -> Located[tuple[Firewall, ...]]:
    found: list[Firewall] = []
    for name, read in (_READERS_OF_IPV6 if of_ipv6 else _READERS).items():
        what = f"what {name} filters{' of IPv6' if of_ipv6 else ''}"
        said = printed_value(recording, name, place, what)
        if said is None:
            continue
        if isinstance(said.state, Unknown):
            return Located(said.state, place)
        try:
            _check_whole(name, said.state.value)
            found.append(read(said.state.value, host))
        except ValueError as why:
            return Located.unknown(f"{what} is not understood: {why}", place)
        # What `iptables` shows and changes here is another table than the old one.
        is_old = name == _LEGACY and recording.part("iptables") is not None
        found[-1].kernel.owner = found[-1].kernel.owner or (IPV6 if of_ipv6 else LEGACY if is_old else "")
    return Located(Known(tuple(found)), place)


def _ipv6(recording: Recording, host: Place, place: Place) -> NodeIpv6 | None:
    """None where nobody asked for it."""
    asked = printed_value(recording, "links6", place, "which routes of IPv6 there are")
    if asked is None or isinstance(asked.state, Unknown):
        # A kernel without IPv6 has no such file, and no such packets.
        return None
    words = [line.split() for line in lines(recording, "links6")]
    defaults = [(int(each[2], 16), each[1]) for each in words if len(each) == 3 and _HEX.fullmatch(each[2])]
    routes = tuple(route for each in words if len(each) == 5 for route in _route6_of(each))
    return NodeIpv6(_kernels(recording, host, place, of_ipv6=True), min(defaults)[1] if defaults else "", routes)


def _check_whole(name: str, said: str) -> None:
    """Raises ValueError for half an answer, which would pass as a firewall with fewer rules."""
    written = [line for line in map(str.strip, said.splitlines()) if line and not line.startswith("#")]
    if name == "nft":
        plain = _QUOTED.sub("", said)
        is_whole = plain.count("{") == plain.count("}") and all(each.startswith("table ") for each in written[:1])
    else:
        tables = sum(each.startswith("*") for each in written)
        is_whole = tables == written.count("COMMIT") and bool(tables) == bool(written)
    if not is_whole:
        raise ValueError("its answer is not whole")


def _asked_links(recording: Recording, place: Place) -> Located[str]:
    said = printed_value(recording, "links", place, "which interfaces there are")
    return said if said is not None else Located.unknown("which interfaces there are was not read", place)


def _asked_programs(recording: Recording, place: Place) -> Located[None]:
    """Each program that is there to say what is filtered has said it."""
    for program in (word for line in lines(recording, "filters") for word in line.split()):
        wanted = ("nft",) if program.endswith("/nft") else ("iptables", _LEGACY)
        if all(recording.part(each) is None for each in wanted):
            return Located.unknown(f"what {wanted[0]} filters was not read", place)
    return Located(Known(None), place)


def _links(recording: Recording) -> tuple[tuple[str, ...], str, tuple[Route, ...]]:
    words = [line.split() for line in lines(recording, "links")]
    defaults = [(int(each[2][:18]), each[1]) for each in words if len(each) == 3 and each[2][:18].isdecimal()]
    routes = tuple(route for each in words if len(each) == 5 for route in route_of(each))
    return tuple(each[0] for each in words if len(each) == 1), min(defaults)[1] if defaults else "", routes


def _switch(recording: Recording, place: Place) -> Located[bool] | None:
    said = printed_value(recording, f"file {_SWITCH}", place, _SWITCH)
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    found = _ENABLED.findall(said.state.value)
    return Located.known(bool(found) and found[-1].lower() == "yes", place)
