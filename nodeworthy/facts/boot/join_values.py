"""What of a cluster's coordinates can't be right, whatever the cluster is."""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Callable, Iterator

from nodeworthy.documents.settled import is_placeholder
from nodeworthy.facts.boot.cluster_join import Coordinates
from nodeworthy.facts.boot.families import BOOTSTRAP, BOTTLEROCKET, NODEADM
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located

_BEGINS = "-----BEGIN CERTIFICATE-----"
# That in base64.
_PACKED = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR"
_BASE64 = pattern(r"[A-Za-z0-9+/]+")
_MARK = pattern(r"\{\{|^(?:https?://)?(?:%[sdv]|<[^<>]+>)$|(?i:\byour[-_])")
# Who answers there is no cluster: what tests nodeadm.
_ITSELF = pattern(r"http://(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
_OTHER_PEM = pattern(r"-----BEGIN (?P<what>[A-Z0-9 ]*(?:KEY|REQUEST|CRL))-----")
StandsFor = Callable[[str], str | None]


@dataclass(frozen=True)
class Malformed:
    at: Located[str]
    message: str
    is_: str
    should: str


def malformed(at: Coordinates, stands_for: StandsFor) -> Iterator[Malformed]:
    """Values that are known and can't be right; those that a preview made up are right by themselves."""
    checked = [(at.service_cidr, "the service range", _fault_of_range, "such as 172.20.0.0/16")]
    if at.how in (NODEADM, BOOTSTRAP, BOTTLEROCKET):
        pem = "base64 of the cluster's certificate (`certificateAuthority.data`)"
        checked += [
            (at.endpoint, "the endpoint", _fault_of_endpoint, "https://…"),
            (at.authority, "the CA", _fault_of_authority, pem),
        ]
    for located, called, fault_of, should in checked:
        if located is None or not isinstance(located.state, Known):
            continue
        value = str(located.state.value)
        fault = None if stands_for(value) or is_filled_in(value) else fault_of(value)
        if fault is not None:
            yield Malformed(located, f"{called} {fault}", _shortened(value), should)
    yield from _of_two_clusters(at, stands_for)


def is_filled_in(value: str) -> bool:
    """Whether a program's format, a template or a person puts the value in its place: it is none."""
    return is_placeholder(value) or "${" in value or _MARK.search(value) is not None


def _of_two_clusters(at: Coordinates, stands_for: StandsFor) -> Iterator[Malformed]:
    """Of outputs of the program that are made up, at least this is known: of which cluster each is."""
    first = ""
    for each in at.said:
        origin = stands_for(str(each.state.value)) if each is not None and isinstance(each.state, Known) else None
        cluster = origin.rpartition(" of ")[2] if origin else ""
        if each is not None and first and cluster not in ("", first):
            both = f"{first} and {cluster}"
            yield Malformed(each, f"joins with outputs of two clusters: {both}", both, "outputs of one cluster")
            return
        first = first or cluster


def _fault_of_endpoint(value: str) -> str | None:
    if value.startswith("http://") and not _ITSELF.match(value):
        return "is http, and EKS answers https alone"
    return None if value.strip() else "is empty"


def _fault_of_range(value: str) -> str | None:
    try:
        ipaddress.ip_network(value.strip(), strict=False)
    except ValueError:
        return "is no range of addresses"
    return None if "/" in value else "is an address and no range of them: the mask is missing"


def same_range(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_network(one, strict=False) == ipaddress.ip_network(other, strict=False)
    except ValueError:
        return one == other


def is_outside(address: str, range_: str) -> bool:
    try:
        return ipaddress.ip_address(address) not in ipaddress.ip_network(range_, strict=False)
    except ValueError:
        return False


def _fault_of_authority(value: str) -> str | None:
    """Why this can't be what nodeadm takes. A certificate that is cut short is let pass: examples have such ones."""
    if _BEGINS in value:
        return "is a certificate as it is, and must be in base64"
    encoded = "".join(value.split()).rstrip("=")
    if not _BASE64.fullmatch(encoded):
        return "is no base64"
    decoded = base64.b64decode(encoded[: len(encoded) // 4 * 4]).decode("latin-1")
    if decoded.startswith(_PACKED):
        return "is in base64 twice"
    other = _OTHER_PEM.match(decoded)
    return f"is base64 of another thing: {other['what'].lower()}" if other is not None else None


def _shortened(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= 60 else f"{value[:40]}… ({len(value)} characters)"
