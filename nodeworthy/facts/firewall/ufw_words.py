"""Words of ufw's rules that have a form: addresses and ports."""

from __future__ import annotations

import ipaddress

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.patterns import pattern

_PORTS = pattern(r"\d+(?::\d+)?(?:,\d+(?::\d+)?)*")


class Refused(Exception):
    """ufw ends with an error, and nothing changes."""


class Unclear(Exception):
    """What is said can't be known before the script runs."""


def address_of(value: Text) -> Text:
    """Empty for anybody's. Raises Refused."""
    known = value.known
    if known is None:
        return value
    if known.lower() == "any":
        return EMPTY
    try:
        network = ipaddress.ip_network(known, strict=False)
    except ValueError:
        raise Refused(f"`{known}` is no address") from None
    return EMPTY if network.prefixlen == 0 else Text.of(str(network))


def is_port(written: str) -> bool:
    if not _PORTS.fullmatch(written):
        return False
    ends = [[int(end) for end in each.split(":")] for each in written.split(",")]
    return all(0 < end <= 65535 for each in ends for end in each) and all(a < b for a, b in (e for e in ends if e[1:]))
