"""What a node filters: the tables of its kernel, its interfaces, and ufw's own switch."""

from __future__ import annotations

import re
from collections.abc import Callable

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines, printed
from nodeworthy.collect.node.seen.routes import route6_of, route_of
from nodeworthy.collect.node.seen.units import units
from nodeworthy.facts.firewall.beside import by_other_tables
from nodeworthy.facts.firewall.effective import by_iptables
from nodeworthy.facts.firewall.firewall import IPV6, LEGACY
from nodeworthy.facts.firewall.hooked import by_nft
from nodeworthy.facts.firewall.routes import Route
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.node.firewall import NodeFirewall, NodeIpv6
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place, Unknown

_SWITCH = "/etc/ufw/ufw.conf"
_ENABLED = pattern(r"^\s*ENABLED\s*=\s*[\"']?(\w+)", re.MULTILINE)
_QUOTED = pattern(r'"[^"\n]*"')
_TABLE6 = pattern(r"^table ip6 .*?^\}", re.MULTILINE | re.DOTALL)
_OF_IPV6 = pattern(r"\bip6\b")
_HEX = pattern(r"[0-9a-f]{1,8}")
_LEGACY = "iptables legacy"
_READERS: dict[str, Callable[[str, Place], Firewall]] = {
    _LEGACY: by_iptables,
    "iptables": by_iptables,
    "iptables beside": by_other_tables,
    "nft": by_nft,
}


def firewall(recording: Recording, host: Place) -> NodeFirewall | None:
    place = host.about("firewall")
    asked = printed(recording, "filters", place, "what the kernel filters")
    if asked is None:
        return None
    names, uplink, routes = _links(recording)
    # Without the interfaces nobody knows whose a rule's are.
    looks = (asked, _asked_links(recording, place), _asked_programs(recording, place))
    unread = next((each.state for each in looks if isinstance(each.state, Unknown)), None)
    kernels = Located[tuple[Firewall, ...]](unread, place) if unread is not None else None
    return NodeFirewall(
        place=place,
        kernels=kernels or _kernels(recording, host, place),
        interfaces=names,
        uplink=uplink,
        routes=routes,
        ipv6=_ipv6(recording, host, place),
        switch=_switch(recording, host.about(_SWITCH)),
        units=units(recording, "ufw", host),
    )


def _kernels(recording: Recording, host: Place, place: Place) -> Located[tuple[Firewall, ...]]:
    found: list[Firewall] = []
    for name, read in _READERS.items():
        said = printed(recording, name, place, f"what {name} filters")
        if said is None:
            continue
        if isinstance(said.state, Unknown):
            return Located(said.state, place)
        try:
            _check_whole(name, said.state.value)
            found.append(read(said.state.value, host))
        except ValueError as why:
            return Located.unknown(f"what {name} filters is not understood: {why}", place)
        if name == _LEGACY and recording.part("iptables") is not None:
            # What `iptables` shows and changes here is another table.
            found[-1].kernel.owner = found[-1].kernel.owner or LEGACY
    return Located(Known(tuple(found)), place)


def _ipv6(recording: Recording, host: Place, place: Place) -> NodeIpv6 | None:
    """None where nobody asked for it."""
    asked = printed(recording, "links6", place, "which routes of IPv6 there are")
    if asked is None or isinstance(asked.state, Unknown):
        # A kernel without IPv6 has no such file, and no such packets.
        return None
    words = [line.split() for line in lines(recording, "links6")]
    defaults = [(int(each[2], 16), each[1]) for each in words if len(each) == 3 and _HEX.fullmatch(each[2])]
    routes = tuple(route for each in words if len(each) == 5 for route in route6_of(each))
    return NodeIpv6(_kernels6(recording, host, place), min(defaults)[1] if defaults else "", routes)


def _kernels6(recording: Recording, host: Place, place: Place) -> Located[tuple[Firewall, ...]]:
    found: list[Firewall] = []
    for name, read, written in (("ip6tables", by_iptables, _as_ufw_names_them), ("nft", by_nft, _as_if_of_ipv4)):
        said = printed(recording, name, place, f"what {name} filters of IPv6")
        if said is None:
            continue
        if isinstance(said.state, Unknown):
            return Located(said.state, place)
        try:
            _check_whole(name, said.state.value)
            found.append(read(written(said.state.value), host))
        except ValueError as why:
            return Located.unknown(f"what {name} filters of IPv6 is not understood: {why}", place)
        found[-1].kernel.owner = found[-1].kernel.owner or IPV6
    return Located(Known(tuple(found)), place)


def _as_ufw_names_them(saved: str) -> str:
    return saved.replace("ufw6-", "ufw-")


def _as_if_of_ipv4(listed: str) -> str:
    """Tables of IPv6 alone, which nft lists in the same words."""
    return "\n".join(_OF_IPV6.sub("ip", each[0]) for each in _TABLE6.finditer(listed))


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
    said = printed(recording, "links", place, "which interfaces there are")
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
    said = printed(recording, f"file {_SWITCH}", place, _SWITCH)
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    found = _ENABLED.findall(said.state.value)
    return Located.known(bool(found) and found[-1].lower() == "yes", place)
