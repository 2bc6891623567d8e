"""Why a rule that looks like the right one does not let pods' traffic through."""

from __future__ import annotations

from nodeworthy.facts.firewall.firewall import Filter, Side
from nodeworthy.facts.firewall.needs import Need, Way
from nodeworthy.facts.firewall.ranges import holds_range, is_private, range_of
from nodeworthy.known.pod_interfaces import is_one_pods, named_by


def almost(need: Need, rule: Filter) -> str:
    """Empty where it does not look like the right one."""
    if rule.allows is False:
        return ""
    ends = (rule.in_, rule.out)
    for end in ends:
        one = is_one_pods(end.known or "")
        if one is not None and need.way.side is rule.side:
            return f"this names one interface `{end.known}`; `{one.pods[-1]}` is every one that begins so"
    if any(named_by(end.known or "") for end in ends if end):
        if need.way.side is Side.ROUTED and rule.side is not Side.ROUTED:
            return "this is about traffic with the node itself, and forwards nothing"
        if rule.side is need.way.side and rule.limits:
            return f"this lets only {rule.limits} through"
    return _almost_the_range(need, rule)


def _almost_the_range(need: Need, rule: Filter) -> str:
    end = rule.to if need.way in (Way.REACH, Way.FROM_NODE) else rule.source
    found = range_of(end) if end and rule.side is need.way.side else None
    if found is None or not is_private(found):
        return ""
    if rule.limits:
        return f"this lets only {rule.limits} through"
    return (
        f"this range does not hold {need.range}" if need.range is not None and not holds_range(end, need.range) else ""
    )
