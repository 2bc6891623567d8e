"""What two runs with different made-up outputs agree on.

A value that a program computes from an output (the length of a name, a branch on a prefix) no longer shows that it was
made up. Made up twice, differently, it gives itself away: it is not the same twice.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import replace

from nodeworthy.collect.plan.plan import Plan
from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.collect.plan.wire import Wire

# More than any script; what is packed may be anything.
LARGEST = 1 << 20
DEEPEST = 2


def agreed(one: Plan, other: Plan, made: StandIns) -> Plan:
    """`one`, with everything unknown that is otherwise in `other`. `made` are the outputs of `one`."""
    beside = other.by_urn
    resources = tuple(
        replace(each, inputs=_mapping(each.inputs, beside[each.urn].inputs if each.urn in beside else {}, made))
        for each in one.resources
    )
    return replace(one, resources=resources)


def _mapping(one: Mapping[str, Wire], other: Mapping[str, Wire], made: StandIns) -> dict[str, Wire]:
    return {name: _same(value, other[name], made) if name in other else UNKNOWN for name, value in one.items()}


def _same(one: Wire, other: Wire, made: StandIns) -> Wire:
    if isinstance(one, dict) and isinstance(other, dict):
        return _mapping(one, other, made)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_same(mine, theirs, made) for mine, theirs in zip(one, other, strict=True)]
    # Where a made-up value can be seen, it is left as it is: texts that hold one are read whole, packed ones too.
    shows = isinstance(one, str) and any(made.origin(text) is not None for text in (one, *_unpacked(one)))
    return one if one == other or shows else UNKNOWN


def _unpacked(text: str, deep: int = DEEPEST) -> tuple[str, ...]:
    """What user data looks like inside: EC2 takes it in base64, and cloud-init also gzipped, or in base64 twice."""
    try:
        data = base64.b64decode(text, validate=True)
        if data.startswith(b"\x1f\x8b"):
            data = zlib.decompressobj(wbits=31).decompress(data, LARGEST)
    except (ValueError, zlib.error):
        return ()
    inside = data.decode("utf-8", "replace")
    return (inside, *(_unpacked(inside, deep - 1) if deep > 1 else ()))
