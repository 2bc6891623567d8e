"""What ufw refuses, and why; what a line of iptables does; how large a range is taken for whose."""

from __future__ import annotations

import ipaddress

import pytest

from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.firewall.firewall import Does, Side
from nodeworthy.facts.firewall.iptables import act_of
from nodeworthy.facts.firewall.ranges import holds_range, is_world
from nodeworthy.facts.firewall.ufw_command import UfwCommand, ufw_command

EIGHT = "allow from 10.0.0.1 port 1 to 10.0.0.2 port 2 proto tcp"


def words(line: str) -> list[Text]:
    return [Text.of(Hole(word, "it is given") if word.startswith("$") else word) for word in line.split()]


def told(line: str) -> UfwCommand:
    return ufw_command(words(line))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "it is told nothing"),
        ("permit 22", "ufw has no command `permit`"),
        ("enable now", "`enable` stands alone"),
        ("reload it", "`reload` stands alone"),
        ("logging loud", "logging is on, off, low, medium, high or full"),
        ("logging", "logging is on, off, low, medium, high or full"),
        ("default", "a default is allow, deny or reject"),
        ("default drop", "a default is allow, deny or reject"),
        ("default deny inside", "a default is of incoming, outgoing or routed, and not of `inside`"),
        ("route", "it has no rule"),
        ("allow", ""),
        ("delete", "it has no rule"),
        ("route delete 3", "a route rule is deleted by its number without `route`"),
        ("insert 1 allow", "it has no rule"),
        ("insert 0 allow 22", "there is no position 0"),
        ("insert x allow 22", "there is no position x"),
        ("route allow in 22", "a direction of a route names its interface"),
        ("allow in", "it has no rule"),
        ("allow in on", "it names no interface, or one twice"),
        ("route allow in on a in on b", "it names no interface, or one twice"),
        ("allow in on an-interface-name to any", "`an-interface-name` is no name of an interface for ufw"),
        ("allow in on a/b to any", "`a/b` is no name of an interface for ufw"),
        ("allow 22/tcp/udp", "`22/tcp/udp` is no port"),
        ("allow 22/esp", "`22/esp` is no port"),
        ("allow 22/sctp", "`22/sctp` is no port"),
        ("allow 0", "`0` is no port"),
        ("allow 65536", "`65536` is no port"),
        ("allow 9:8/tcp", "`9:8` is no port"),
        ("allow 8:8/tcp", "`8:8` is no port"),
        ("allow 80,443", "several ports need `proto tcp` or `proto udp`"),
        ("allow 80:90", "several ports need `proto tcp` or `proto udp`"),
        ("allow from 10.0.0.0/8 to", "it has a wrong number of words"),
        ("allow from 10.0.0.300", "`10.0.0.300` is no address"),
        ("allow from any from any", "it has `from` twice"),
        ("allow proto tcp proto udp", "it has `proto` twice"),
        ("allow from any proto icmp", "`icmp` is no protocol of ufw"),
        ("allow proto tcp via eth0", "`via` is no word of a rule"),
        ("allow from any in eth0", "`in` is no word of a rule"),
        ("allow port 22 from any", "`port` needs a `from` or a `to` of its own"),
        ("allow from any port 22 port 23", "`port` needs a `from` or a `to` of its own"),
        ("allow proto tcp", "it has neither `from` nor `to`"),
        ("allow from 10.0.0.1 to fd00::1", "its addresses are of two versions of IP"),
        ("allow from any to any port 22 proto gre", "gre has no ports"),
        ("allow 22 comment", "its comment is missing"),
        ("allow 22 comment it's", "its comment has a quote in it"),
    ],
)
def test_what_ufw_refuses(line: str, why: str) -> None:
    found = told(line)
    assert found.does is Does.REFUSED
    assert why in found.why


@pytest.mark.parametrize(
    "line",
    [
        "allow 1",
        "allow 65535",
        "allow 8:9/tcp",
        "allow 80,443/tcp",
        "allow 80,443/udp",
        "allow from any to any port 80,443 proto $PROTO",
        "allow in on fifteen-letters to any",
        "allow from 10.0.0.1 to 10.0.0.2 proto gre",
        "allow from fd00::1 to fd00::2",
        "allow 22/any",
        "insert 1 allow 22",
        "logging on",
        "logging $LEVEL",
        "default allow",
        "delete allow 22",
        f"route {EIGHT}",
    ],
)
def test_what_ufw_takes(line: str) -> None:
    assert told(line).does is not Does.REFUSED


def test_thirteen_words_are_taken_and_no_more() -> None:
    of_thirteen = "route allow in on a out on b from 10.0.0.1 port 1 to 10.0.0.2 port 2"
    assert told(of_thirteen).does is Does.ADD
    assert told(f"{of_thirteen} proto tcp").why == "it has too many words"


@pytest.mark.parametrize(
    ("line", "does", "asks"),
    [
        ("enable", Does.ON, True),
        ("--force enable", Does.ON, False),
        ("-f reset", Does.CLEAR, False),
        ("reset", Does.CLEAR, True),
        ("delete 3", Does.REMOVE, True),
        ("delete allow 22", Does.REMOVE, False),
        ("--dry-run delete 3", None, False),
        ("disable", Does.OFF, False),
    ],
)
def test_what_asks_before_it_does_so(line: str, does: Does | None, asks: bool) -> None:
    found = told(line)
    assert (found.does, found.asks) == (does, asks)


def test_positions_are_counted_from_nought() -> None:
    assert told("insert 1 allow 22").number == 0
    assert told("insert 3 allow 22").number == 2
    assert told("delete 3").number == 3
    assert told("default reject outgoing").side is Side.OUT
    assert told("default allow").allows
    assert not told("default reject").allows


@pytest.mark.parametrize(
    ("line", "does", "sides", "position", "chain"),
    [
        ("-F", Does.CLEAR, set(Side), 0, None),
        ("-F -w", Does.CLEAR, set(Side), 0, None),
        ("-F FORWARD", Does.CLEAR, {Side.ROUTED}, 0, "FORWARD"),
        ("-D INPUT 3", Does.REMOVE, {Side.IN}, 3, "INPUT"),
        ("-I INPUT 3 -j ACCEPT", Does.INSERT, {Side.IN}, 2, "INPUT"),
        ("-I INPUT -j ACCEPT", Does.INSERT, {Side.IN}, 0, "INPUT"),
        ("-A ufw-user-forward -j DROP", Does.ADD, {Side.ROUTED}, 0, "ufw-user-forward"),
        ("-t filter -A OUTPUT -j DROP", Does.ADD, {Side.OUT}, 0, "OUTPUT"),
        ("-P FORWARD DROP", Does.POLICY, {Side.ROUTED}, 0, "FORWARD"),
    ],
)
def test_what_a_line_of_iptables_does(
    line: str, does: Does, sides: set[Side], position: int, chain: str | None
) -> None:
    found = act_of(words(line))
    assert found is not None
    assert (found.does, set(found.sides), found.position, found.chain or None) == (does, sides, position, chain)


@pytest.mark.parametrize(
    "line",
    ["-t nat -A POSTROUTING -j MASQUERADE", "--table mangle -F", "-L", "-A FORWARD", "-F MINE", "-A OURS -j DROP"],
)
def test_what_is_about_no_chain_of_ours(line: str) -> None:
    assert act_of(words(line)) is None


@pytest.mark.parametrize(
    ("line", "limits", "is_narrowed"),
    [
        ("-A INPUT -p all -j ACCEPT", "", False),
        ("-A INPUT -p tcp --dport 22 -j ACCEPT", "tcp port 22", False),
        ("-A INPUT -p tcp --sport 22 -j ACCEPT", "tcp from port 22", False),
        ("-A INPUT -m state --state NEW -j ACCEPT", "", False),
        ("-A INPUT -m state --state ESTABLISHED -j ACCEPT", "established connections", False),
        ("-A INPUT -m mark --mark 1 -j ACCEPT", "", True),
        ("-A INPUT ! -s 10.0.0.1 -j ACCEPT", "", True),
        ("-A INPUT -w -m comment --comment -p -j REJECT --reject-with tcp-reset", "", False),
    ],
)
def test_what_narrows_a_rule_of_iptables(line: str, limits: str, is_narrowed: bool) -> None:
    found = act_of(words(line))
    assert found is not None
    assert found.filter is not None
    assert (found.filter.limits, found.filter.is_narrowed) == (limits, is_narrowed)


def test_a_word_that_is_not_known_is_no_rule() -> None:
    for line in ("-A INPUT $RULE -j ACCEPT", "-A INPUT -j $TARGET"):
        with pytest.raises(ValueError, match=r"it is given|not known"):
            act_of(words(line))


@pytest.mark.parametrize(
    ("addresses", "holds"),
    [
        ("", True),
        ("0.0.0.0/0", True),
        ("0.0.0.0/7", True),
        ("11.0.0.0/8", False),
        ("10.0.0.0/20", True),
        ("10.0.0.0/21", None),
        ("10.0.0.0/28", None),
        ("10.0.0.0/29", False),
        ("fd00::/8", None),
        ("no-address", None),
    ],
)
def test_whose_a_range_may_be_of_which_nobody_says_it(addresses: str, holds: bool | None) -> None:
    assert holds_range(Text.of(addresses), None) is holds


def test_a_range_that_is_said_lies_in_the_other_or_does_not() -> None:
    pods = ipaddress.ip_network("10.1.0.0/16")
    assert holds_range(Text.of("10.1.0.0/16"), pods) is True
    assert holds_range(Text.of("10.1.0.0/17"), pods) is False
    assert holds_range(Text.of("fd00::/8"), pods) is False


def test_the_world_has_more_than_an_eighth() -> None:
    assert [is_world(Text.of(each)) for each in ("", "0.0.0.0/7", "0.0.0.0/8", "x")] == [True, True, False, False]
