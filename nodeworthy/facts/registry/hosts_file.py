"""Entries of /etc/hosts that a boot makes, and whether they are still there at its end."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import always
from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Act, Effect, How, Reboots, Runs, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Way:
    """A step by which the node can resolve a name, or may."""

    step: Effect
    # What keeps it from working; empty where it works.
    but: str = ""
    remedy: str = ""
    should: str = "a resolver that asks the cluster's DNS"
    # Why it is not known whether it is one.
    unknown: str = ""


def lines_of(write: Writes) -> Sequence[Line]:
    """The lines of the file after this step, as far as they are known, and what an edit says."""
    content = content_of(write) or write.content
    edited = tuple(Line(each, write.place) for each in write.expressions) if write.how is How.EDIT else ()
    return (*(content.lines if content is not None else ()), *edited)


HOSTS = "/etc/hosts"
_ENTRY = f"an address and the name in {HOSTS}"
_TOLD = {How.WRITE: "writes the file anew", How.EDIT: "takes it out", How.DELETE: "deletes the file"}
# sed's `/NAME/d`.
_TAKES_AWAY = pattern(r"/I?\s*d\s*$")


def entries(timeline: Timeline, write: Writes, name: str) -> Iterator[Way]:
    """What this step has to do with an entry for this name."""
    return (_as_left(timeline, each, name) for each in _entries(write, name))


def _entries(write: Writes, name: str) -> Iterator[Way]:
    lines = lines_of(write)
    naming = [line for line in lines if name in line.text.shown().partition("#")[0].split()]
    if write.how is not How.EDIT and naming and not any(_begins_with_address(line.text) for line in naming):
        remedy = f"write the address before {name}"
        yield Way(write, f"its line in {HOSTS} does not begin with an address", remedy, _ENTRY)
        return
    if naming:
        yield Way(write)
        return
    if write.how is How.EDIT:
        if any(name in line.text.shown() and not _TAKES_AWAY.search(line.text.shown()) for line in lines):
            yield Way(write)
        return
    hidden = next((line for line in lines if line.text.holes and not line.text.contains("localhost")), None)
    if hidden is not None:
        yield Way(write, unknown=f"{hidden.text.shown()} may be an entry for {name}")
    elif not lines and write.content is None:
        yield Way(write, unknown=f"what it brings to {HOSTS} could not be read")


def _begins_with_address(text: Text) -> bool:
    first = text.pieces[0]
    words = first.split(maxsplit=1) if isinstance(first, str) else []
    # What goes on in a hole may be any address.
    if len(words) < 2 and (len(text.pieces) > 1 or not words):
        return True
    try:
        return bool(ipaddress.ip_address(words[0]))
    except ValueError:
        return False


def _as_left(timeline: Timeline, way: Way, name: str) -> Way:
    """An entry as it is behind every later step: one that writes the file anew takes it away."""
    for each in timeline.after(way.step):
        if way.but or way.unknown or not isinstance(each, Writes) or each.path.known != HOSTS:
            continue
        if always([each.conditions], way.step.conditions) is not True:
            continue
        if _is_taken_away(each, name):
            says = f"its entry in {HOSTS} is gone again: {each.place.spot} {_TOLD[each.how]}"
            return Way(each, says, "add the entry behind this line", _ENTRY)
        if each.how in (How.WRITE, How.LINK) and not _brings(each, name):
            return Way(each, unknown=f"this step may take its entry out of {HOSTS} again")
    return way


def _is_taken_away(write: Writes, name: str) -> bool:
    if write.how is How.EDIT:
        shown = [each.shown() for each in write.expressions]
        return any(name in each and _TAKES_AWAY.search(each) for each in shown)
    content = write.content
    return write.how is How.DELETE or (
        write.how is How.WRITE and content is not None and not content.text.holes and not _brings(write, name)
    )


def _brings(write: Writes, name: str) -> bool:
    return any(name in line.text.shown() for line in lines_of(write))


# How a node that boots with a script resolves names which the cluster's DNS alone knows.

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
            yield from _ways_by_write(timeline, each, name, service_cidr)
        elif isinstance(each, Runs) and _tells_resolved(each, service_cidr):
            yield Way(each)


def _ways_by_write(timeline: Timeline, write: Writes, name: str, service_cidr: str | None) -> Iterator[Way]:
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
