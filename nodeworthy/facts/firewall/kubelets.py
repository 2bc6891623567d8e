"""What of a node pods ask for most: kubelet's port; and what kubelet asks of pods: any port, by TCP."""

from __future__ import annotations

from nodeworthy.facts.firewall.needs import Way
from nodeworthy.patterns import pattern

KUBELET = 10250
_PORTS = pattern(r"(?<![\d.:])(\d+)(?:[:-](\d+))?(?![\d.])")
# These are about other packets, or about few of them.
_OTHERS = ("udp", "from port", "sport", "established", "translated", "ICMP", "icmp", "a few", "rate", "mark", "IPv6")


def is_for_kubelet(way: Way, limits: str) -> bool:
    """Whether packets that are narrowed so are those that a node and its pods can't do without."""
    if not limits or any(each in limits for each in _OTHERS):
        return False
    if limits == "tcp":
        return way in (Way.TO_NODE, Way.FROM_NODE)
    return way is Way.TO_NODE and any(_holds(*each) for each in _PORTS.findall(limits))


def _holds(first: str, last: str) -> bool:
    return int(first) <= KUBELET <= int(last or first)
