"""A node's routes, as the kernel's own table has them: an interface, and the addresses that it leads to."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from nodeworthy.facts.firewall.routes import Route


def route6_of(words: Sequence[str]) -> Iterator[Route]:
    """Of `route eni1a2b 26001f14000000000000000000000007 00000000000000000000000000000000 80`."""
    _, interface, *numbers = words
    try:
        target, gateway = (int.from_bytes(bytes.fromhex(each), "big") for each in numbers[:2])
        network = ipaddress.IPv6Network((target, int(numbers[2], 16)))
    except (ValueError, IndexError):
        return
    yield Route(interface, network, is_direct=gateway == 0)


def route_of(words: Sequence[str]) -> Iterator[Route]:
    """Of `route cni0 0001F40A 00000000 00FFFFFF`; nothing where a word is none of such a table."""
    _, interface, *numbers = words
    try:
        target, gateway, mask = (int.from_bytes(bytes.fromhex(each), "little") for each in numbers)
        network = ipaddress.IPv4Network((target & mask, mask.bit_count()))
    except ValueError:
        return
    yield Route(interface, network, is_direct=gateway == 0)
