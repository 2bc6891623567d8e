"""firewalld in boot scripts: what they leave is what packets met in tests/real, by the same commands."""

from __future__ import annotations

import ipaddress

import pytest

from nodeworthy.boot.text import Text
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.firewall.firewalld import call_of
from nodeworthy.facts.firewall.pod_needs import Need, Pods, Way
from nodeworthy.facts.firewall.pod_traffic import blocked_traffic, lets
from nodeworthy.facts.firewall.runs import runs
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.firewall.steps import steps_in
from nodeworthy.facts.firewall.too_wide import flaws_of
from nodeworthy.known.pod_interfaces import there
from nodeworthy.verdict import Place
from tests.real.firewalld import FIREWALLDS, PERMANENT, POLICY, RELOAD, TRUSTED

RANGE = ipaddress.ip_network("10.1.0.0/24")
PODS = Pods(RANGE, None, there(["lxc1234"]), neighbours=ipaddress.ip_network("192.0.2.0/24"))
HERE = Place("boot.sh")
STARTED = "systemctl enable --now firewalld\n"


def left(script: str) -> Firewall:
    read = unpack(f"#!/bin/sh\n{script}".encode(), HERE, name="boot.sh")
    found = runs(steps_in(read.timeline))
    assert found is not None
    (run,) = found
    return run.firewall


def now(firewall: Firewall, way: Way) -> bool | None:
    chains = next((each for each in firewall.closed()), None)
    return True if chains is None else lets(chains, Need(way, RANGE), PODS)


def messages(script: str) -> list[str]:
    return [story.message for story, is_sure in blocked_traffic(left(script), PODS, HERE) if is_sure]


@pytest.mark.parametrize("name", FIREWALLDS)
def test_the_ways_are_those_of_packets(name: str) -> None:
    commands, expected = FIREWALLDS[name]
    firewall = left(commands)
    assert {way.name for way in (Way.LEAVE, Way.REACH, Way.TO_NODE) if now(firewall, way)} == expected


def test_whether_the_uplink_is_in_the_default_zone_is_said_elsewhere() -> None:
    firewall = left(STARTED)
    assert [now(firewall, each) for each in (Way.LEAVE, Way.REACH, Way.TO_NODE)] == [None, False, False]


def test_it_is_off_since_the_first_step_that_ends_it() -> None:
    off = left("systemctl stop firewalld\nsystemctl mask firewalld\n").firewalld.off
    assert off is not None
    assert off.place.line == 2


def test_rules_that_are_handed_on_help_with_one_backend_alone() -> None:
    direct = f"{STARTED}{PERMANENT} --direct --add-rule ipv4 filter FORWARD 0 -o lxc+ -j ACCEPT\n{RELOAD}"
    assert now(left(direct), Way.REACH) is None


def test_what_is_not_loaded_and_what_is_not_kept() -> None:
    assert messages(f"{STARTED}{POLICY}") == [
        "firewalld is told for its next start what lets pods' traffic through, and nothing loads it now"
    ]
    assert messages(f"{STARTED}{POLICY}".replace(" --permanent", "")) == [
        "what lets pods' traffic through firewalld is gone after its next start: it was not said --permanent"
    ]
    for last in (RELOAD, "systemctl restart firewalld\n"):
        assert messages(f"{STARTED}{POLICY}{last}") == []
    assert messages(f"{STARTED}{POLICY}firewall-cmd --runtime-to-permanent\n".replace(" --permanent", "")) == []
    offline = POLICY.replace("firewall-cmd --permanent", "firewall-offline-cmd")
    assert messages(f"{offline}{STARTED}") == []


def test_what_one_pool_of_addresses_is_over_an_overlay() -> None:
    over = Pods(RANGE, None, there(["lxc1234"]), is_overlaid=True)
    (story, _) = next(iter(blocked_traffic(left(f"{TRUSTED}{RELOAD}"), PODS, HERE)))
    assert [each.way for each in story.lacking] == [Way.REACH]
    assert blocked_traffic(left(f"{TRUSTED}{RELOAD}"), over, HERE) == []


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("systemctl disable --now firewalld\n", "firewalld is switched off"),
        ("systemctl stop firewalld\nsystemctl mask firewalld\n", "firewalld is switched off"),
        ("dnf remove -y firewalld\n", "firewalld is switched off"),
        ("firewall-cmd --set-default-zone=trusted\n", "the default zone lets everything through"),
        (f"{PERMANENT} --set-target=ACCEPT\n{RELOAD}", "the default zone lets everything through"),
        (
            f"{PERMANENT} --zone trusted --add-interface eth0\n{RELOAD}",
            "the zone trusted lets everything through, and eth0",
        ),
        (
            f"{PERMANENT} --zone=trusted --add-source=0.0.0.0/0\n{RELOAD}",
            "the zone trusted lets everything through, and e",
        ),
    ],
)
def test_what_is_wider_than_pods_need(script: str, says: str) -> None:
    (flaw,) = flaws_of(left(script), PODS)
    assert flaw.message.startswith(says)


@pytest.mark.parametrize(
    "script",
    [
        f"systemctl disable --now firewalld\n{STARTED}",
        "apt-get install -y kubelet\nsystemctl disable --now firewalld\n",
        "systemctl disable --now firewalld\nufw --force enable\n",
        f"systemctl disable --now ufw\n{STARTED}",
        f"{TRUSTED}{RELOAD}",
        f"{POLICY}{RELOAD}",
    ],
)
def test_what_is_no_wider(script: str) -> None:
    assert list(flaws_of(left(script), PODS)) == []


@pytest.mark.parametrize(
    "call",
    [
        "--permanent --zone=trusted --add-source=10.1.0.0/16 --add-interface=eno1",
        "--permanent --policy=pods --add-ingress-zone=ANY --add-egress-zone=trusted",
        "--permanent --set-default-zone=trusted",
        "--permanent --add-port=1/tcp --reload",
    ],
)
def test_what_firewall_cmd_refuses_changes_nothing(call: str) -> None:
    firewall = left(f"{STARTED}firewall-cmd {call}\n{RELOAD}")
    assert [each.command for each in firewall.refused] == [f"firewall-cmd {call}"]
    assert [now(firewall, each) for each in (Way.LEAVE, Way.REACH, Way.TO_NODE)] == [None, False, False]


def test_its_options_in_every_way_of_writing_them() -> None:
    call = call_of(
        "firewall-cmd", [Text.of(each) for each in "--permanent --zone trusted --add-source=10.0.0.0/8 -q".split()]
    )
    assert call.is_permanent
    assert [(each.option, each.known) for each in call.asked[1:3]] == [
        ("--zone", "trusted"),
        ("--add-source", "10.0.0.0/8"),
    ]
    assert call_of("firewall-offline-cmd", []).is_permanent
