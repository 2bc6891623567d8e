"""Which ports a rule of a security group opens, at both of its ends."""

from __future__ import annotations

import pytest

from nodeworthy.facts.aws.security_group import ALL, Opening, Way
from nodeworthy.facts.aws.stack import Links
from nodeworthy.verdict import Located, Place

PLACE = Place(path="stack")


def opening(protocol: str, first: int, last: int) -> Opening:
    begins, ends = Located.known(first, PLACE), Located.known(last, PLACE)
    return Opening(PLACE, Way.IN, Located.known(protocol, PLACE), begins, ends, (), Links())


NODE_PORTS = opening("tcp", 30000, 32767)


@pytest.mark.parametrize(
    ("first", "last", "covers", "touches"),
    [
        (30000, 32767, True, True),
        (29999, 32767, False, True),
        (30000, 32768, False, True),
        (30000, None, True, True),
        (32767, None, True, True),
        (29999, None, False, False),
        (32768, None, False, False),
        (29000, 30000, False, True),
        (32767, 40000, False, True),
    ],
)
def test_a_range_holds_both_of_its_ends(first: int, last: int | None, covers: bool, touches: bool) -> None:
    assert NODE_PORTS.covers("tcp", first, last) is covers
    assert NODE_PORTS.touches("tcp", first, last) is touches
    assert not NODE_PORTS.touches("udp", first, last)


def test_all_protocols_are_all_ports() -> None:
    assert opening(ALL, 0, 0).covers("tcp", 10250)
