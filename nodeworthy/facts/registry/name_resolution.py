"""How a node that boots with a script resolves names which the cluster's DNS alone knows."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Act, Effect, How, Reboots, Runs, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.registry.hosts_file import HOSTS, Way, entries, lines_of
from nodeworthy.patterns import pattern

RESOLVED = "systemd-resolved.service"
# Where node-local DNS listens.
NODE_LOCAL = "169.254.20.10"
_RESOLVED_FILE = pattern(r"/(?:etc|usr/lib|run)/systemd/resolved\.conf(?:\.d/[^/]*\.conf)?")
_DNSMASQ_FILE = pattern(r"/etc/(?:dnsmasq\.conf|(?:NetworkManager/)?dnsmasq\.d/.*)")
_FOLDERS = (
    HOSTS,
    "/etc/resolv",
    "/etc/systemd/resolved",
    "/usr/lib/systemd/resolved",
    "/run/systemd/resolved",
    "/etc/dnsmasq",
    "/etc/NetworkManager/",
    "/etc/dhcp/",
    "/etc/netplan/",
    "/etc/unbound/",
    "/etc/coredns/",
)
_OTHER_FILE = pattern(r"/etc/(?:dhcp/dhclient\.conf|netplan/.*\.yaml|unbound/.*|coredns/.*|resolvconf/.*)")


def without_port(authority: str) -> str:
    return authority.rsplit(":", 1)[0] if re.search(r":\d*$", authority) else authority


def ways(timeline: Timeline, name: str, service_cidr: str | None) -> Iterator[Way]:
    """Every step that has to do with it, in their order."""
    for each in timeline.effects:
        if isinstance(each, Writes) and each.how is not How.DELETE:
            yield from _written(timeline, each, name, service_cidr)
        elif isinstance(each, Runs) and _tells_resolved(each, service_cidr):
            yield Way(each)


def _written(timeline: Timeline, write: Writes, name: str, service_cidr: str | None) -> Iterator[Way]:
    path = write.path.shown()
    # Every way to a name leads through a file under /etc, or through one of systemd's.
    if not path.startswith(_FOLDERS):
        return
    lines = lines_of(write)
    if path == HOSTS:
        yield from entries(timeline, write, name)
    elif path == "/etc/resolv.conf":
        if any(_asks(each, service_cidr) for line in lines for each in _values(line, "nameserver")):
            yield Way(write)
    elif _RESOLVED_FILE.fullmatch(path):
        yield from _resolved(timeline, write, lines, name, service_cidr)
    elif _DNSMASQ_FILE.fullmatch(path):
        if any(_dnsmasq_knows(line.text.shown(), name) for line in lines):
            yield Way(write)
    elif _OTHER_FILE.fullmatch(path) and any(_has_server(line.text, service_cidr) for line in lines):
        yield Way(write)


def _values(line: Line, key: str) -> list[str]:
    words = line.text.shown().split()
    return words[1:] if words[:1] == [key] else []


def _asks(server: str, service_cidr: str | None) -> bool:
    """Whether this may be the cluster's DNS, or one that asks it."""
    if "$" in server or server == NODE_LOCAL:
        return True
    try:
        address = ipaddress.ip_address(server)
        return address in ipaddress.ip_network(service_cidr) if service_cidr else _may_be_a_service(address)
    except ValueError:
        return False


def _may_be_a_service(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_private and not address.is_link_local and not address.is_loopback


def _has_server(text: Text, service_cidr: str | None) -> bool:
    shown = text.shown()
    return any(_asks(each, service_cidr) for each in re.findall(r"\b\d+\.\d+\.\d+\.\d+\b", shown)) or bool(text.holes)


def _resolved(
    timeline: Timeline, write: Writes, lines: Sequence[Line], name: str, service_cidr: str | None
) -> Iterator[Way]:
    told = {key.strip(): value.split() for line in lines for key, _, value in [line.text.shown().partition("=")]}
    domains = [each.lstrip("~").rstrip(".") for each in told.get("Domains", ())]
    fits = any(name.endswith(f".{each}") or each == "" for each in domains)
    servers = told.get("DNS", ())
    if not any(_asks(each.partition("#")[0], service_cidr) for each in servers):
        if fits:
            remedy = "add DNS= with the address of the cluster's DNS"
            yield Way(write, f"it routes {' '.join(domains)} and names no DNS of the cluster to ask", remedy)
        return
    if domains and not fits:
        yield Way(write, f"it asks the cluster's DNS for {' '.join(domains)} only", "add ~cluster.local to Domains=")
    elif not any(_reads_resolved(each) for each in timeline.after(write)):
        yield Way(write, "systemd-resolved is not restarted behind it", f"systemctl restart {RESOLVED}")
    else:
        yield Way(write)


def _reads_resolved(effect: Effect) -> bool:
    if isinstance(effect, Unit):
        return effect.unit.known == RESOLVED and effect.act in (Act.RESTART, Act.START)
    return isinstance(effect, Reboots)


def _dnsmasq_knows(line: str, name: str) -> bool:
    found = re.match(r"\s*(?:server|address|host-record)=/?(?P<names>[^#\s]*)", line)
    if found is None:
        return False
    named = re.split("[/,]", found["names"])
    return any(name == each or (each and name.endswith(f".{each.lstrip('.')}")) for each in named)


def _tells_resolved(runs: Runs, service_cidr: str | None) -> bool:
    words = [argument.shown() for argument in runs.arguments]
    return words[:2] == ["resolvectl", "dns"] and any(_asks(each, service_cidr) for each in words[3:])
