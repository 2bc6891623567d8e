"""What two filters are about together: a chain's own, and that by which packets come into it."""

from __future__ import annotations

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import Filter
from nodeworthy.facts.firewall.ranges import range_of
from nodeworthy.known.pod_interfaces import holds


class _Apart(Exception):
    """No packet is about both."""


def both(outer: Filter, inner: Filter) -> Filter | None:
    """None where no packet is meant by both."""
    limits = dict.fromkeys(each for each in (outer.limits, inner.limits) if each)
    try:
        return Filter(
            inner.side,
            inner.allows,
            _interface(outer.in_, inner.in_),
            _interface(outer.out, inner.out),
            _addresses(outer.source, inner.source),
            _addresses(outer.to, inner.to),
            " ".join(limits),
            outer.is_narrowed or inner.is_narrowed,
            (*outer.unless, *inner.unless),
        )
    except _Apart:
        return None


def _interface(one: Text, other: Text) -> Text:
    if not one or not other:
        return one or other
    if holds(one.shown(), other.shown()):
        return other
    if holds(other.shown(), one.shown()):
        return one
    raise _Apart


def _addresses(one: Text, other: Text) -> Text:
    first, second = range_of(one), range_of(other)
    if not one or not other or first is None or second is None:
        return one or other
    if first.version != second.version or not first.overlaps(second):
        raise _Apart
    return one if first.prefixlen >= second.prefixlen else other
