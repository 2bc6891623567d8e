"""How firewalls are read: ufw's grammar, iptables, nftables, and what they leave open for pods."""

from __future__ import annotations

import ipaddress

import pytest

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.firewall.firewall import Does, Filter, Side
from nodeworthy.facts.firewall.iptables import act_of
from nodeworthy.facts.firewall.nft import NftReader
from nodeworthy.facts.firewall.pod_needs import Need, Pods, Way, covers
from nodeworthy.facts.firewall.pod_traffic import lets
from nodeworthy.facts.firewall.runs import MOST, Run, runs
from nodeworthy.facts.firewall.steps import steps_in
from nodeworthy.facts.firewall.ufw_command import UfwCommand, ufw_command
from nodeworthy.facts.firewall.ufw_files import USER, Told, steps_of
from nodeworthy.known.pod_interfaces import cnis, is_one_pods, is_uplink, networks_named_in, networks_of_distribution
from nodeworthy.verdict import Place

PODS = Pods(ipaddress.ip_network("10.1.0.0/16"))
WAYS = (Way.LEAVE, Way.REACH, Way.TO_NODE)


def told(line: str) -> UfwCommand:
    words = [Text.of(Hole(word, "unknown") if word.startswith("$") else word) for word in line.split()]
    return ufw_command(words)


def rule(line: str) -> Filter:
    found = told(line).rule
    assert found is not None
    return found.filter


def shown(found: Filter) -> tuple[str, ...]:
    return found.side.value, *(each.shown() for each in (found.in_, found.out, found.source, found.to)), found.limits


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("allow from 10.0.0.0/8", ("incoming", "", "", "10.0.0.0/8", "", "")),
        ("allow out to 10.0.0.0/8", ("outgoing", "", "", "", "10.0.0.0/8", "")),
        ("allow from any", ("incoming", "", "", "", "", "")),
        ("allow from 0.0.0.0/0 to any", ("incoming", "", "", "", "", "")),
        ("allow in on lxc+", ("incoming", "lxc+", "", "", "", "")),
        ("allow out on lxc+", ("outgoing", "", "lxc+", "", "", "")),
        ("route allow in on lxc+ out on eno1", ("routed", "lxc+", "eno1", "", "", "")),
        ("route allow out on eno1 in on lxc+", ("routed", "lxc+", "eno1", "", "", "")),
        ("route allow in on $PODS out on $UPLINK", ("routed", "$PODS", "$UPLINK", "", "", "")),
        ("route allow to 10.1.0.0/16 port 80 proto tcp", ("routed", "", "", "", "10.1.0.0/16", "tcp port 80")),
        ("allow 22/tcp comment ssh", ("incoming", "", "", "", "", "tcp port 22")),
        ("limit OpenSSH", ("incoming", "", "", "", "", "port OpenSSH a few connections")),
        ("prepend allow log from 10.0.0.1", ("incoming", "", "", "10.0.0.1/32", "", "")),
        ("insert 3 allow in on eno1 to any port 22", ("incoming", "eno1", "", "", "", "port 22")),
    ],
)
def test_rules(line: str, expected: tuple[str, ...]) -> None:
    assert shown(rule(line)) == expected


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("--force enable", Does.ON),
        ("disable", Does.OFF),
        ("--force reset", Does.CLEAR),
        ("default deny routed", Does.POLICY),
        ("delete 3", Does.REMOVE),
        ("route delete allow in on lxc+", Does.REMOVE),
        ("reload", None),
        ("logging medium", None),
        ("--dry-run enable", None),
        ("app list", None),
        ("$VERB", Does.UNREAD),
        ("default $POLICY routed", Does.UNREAD),
        ("allow in on lxc*", Does.REFUSED),
        ("--dry-run permit 22", Does.REFUSED),
        ("allow 22/sctp", Does.REFUSED),
        ("allow 22/esp", Does.REFUSED),
        ("allow 22/tcp/udp", Does.REFUSED),
    ],
)
def test_commands(line: str, does: Does | None) -> None:
    assert told(line).does is does


def run_of(script: str) -> list[Run]:
    found = runs(steps_in(unpack(f"#!/bin/bash\n{script}".encode(), Place("a.sh"), name="a.sh").timeline))
    assert found is not None
    return found


def opened(run: Run, pods: Pods = PODS) -> set[str]:
    closed = list(run.firewall.closed())
    return {way.name for way in WAYS if all(lets(each, Need(way, pods.pod_range), pods) for each in closed)}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("ufw --force enable", set()),
        ("yes | ufw enable", set()),
        ("ufw enable\nufw --force reset", {"LEAVE", "REACH", "TO_NODE"}),
        ("ufw enable\nsystemctl mask --now ufw", {"LEAVE", "REACH", "TO_NODE"}),
        ("ufw route allow in on lxc+\nufw route allow out on lxc+\nufw enable", {"LEAVE", "REACH"}),
        ("ufw route insert 1 deny in on lxc+\nufw route allow from 10.1.0.0/16\nufw enable", set()),
        ("ufw allow from 10.1.0.0/16\nufw insert 1 deny from 10.0.0.0/8\nufw enable", set()),
        ("ufw allow in on cilium_host\nufw enable", set()),
        ("echo ENABLED=yes > /etc/ufw/ufw.conf\nufw allow from 10.0.0.0/8", {"TO_NODE"}),
        ("iptables -P FORWARD DROP\niptables -A FORWARD -s 10.1.0.0/16 -j ACCEPT", {"LEAVE", "TO_NODE"}),
        ("iptables -P FORWARD DROP\niptables -P FORWARD ACCEPT", {"LEAVE", "REACH", "TO_NODE"}),
        ("iptables -t nat -P FORWARD DROP", {"LEAVE", "REACH", "TO_NODE"}),
        (
            "iptables-restore <<E\n*filter\n:FORWARD DROP [0:0]\n-A FORWARD -o lxc+ -j ACCEPT\nCOMMIT\nE",
            {"REACH", "TO_NODE"},
        ),
    ],
)
def test_what_a_script_leaves_open(script: str, expected: set[str]) -> None:
    (run,) = run_of(script)
    assert opened(run) == expected


def test_each_set_of_answers_is_a_run_of_its_own() -> None:
    found = run_of('if [ "$CNI" = cilium ]; then ufw route allow in on lxc+; fi\nufw --force enable')
    assert sorted(len(opened(each)) for each in found) == [0, 1]
    itself = run_of("ufw status | grep -q active || ufw --force enable")
    assert [each.firewall.is_up for each in itself] == [True]


def test_too_many_questions_are_not_decided() -> None:
    asked = "\n".join(f'if [ "$A{n}" = yes ]; then ufw allow {1000 + n}; fi' for n in range(MOST + 1))
    timeline = unpack(f"#!/bin/bash\n{asked}\nufw --force enable\n".encode(), Place("a.sh"), name="a.sh").timeline
    assert runs(steps_in(timeline)) is None


def test_without_a_range_a_private_one_is_taken_for_it() -> None:
    need = Need(Way.TO_NODE)
    answers = {each: covers(need, rule(f"allow from {each}"), Pods()) for each in ("10.0.0.0/8", "10.244.0.0/16")}
    assert answers == {"10.0.0.0/8": True, "10.244.0.0/16": True}
    assert covers(need, rule("allow from 192.168.1.0/24"), Pods()) is None
    assert covers(need, rule("allow from 10.0.0.7"), Pods()) is False
    assert covers(need, rule("allow from 52.0.0.0/8"), Pods()) is False
    assert covers(Need(Way.TO_NODE, PODS.pod_range), rule("allow from fd00::/8"), PODS) is False


def test_interfaces_of_another_network_are_a_doubt() -> None:
    need, cilium = Need(Way.LEAVE), Pods(networks=networks_of_distribution("k8s-snap"))
    assert covers(need, rule("route allow in on lxc+ out on eno1"), cilium) is True
    assert covers(need, rule("route allow in on cali+ out on eno1"), cilium) is None
    assert covers(need, rule("route allow in on cali+ out on eno1"), Pods()) is True
    assert covers(need, rule("route allow in on mine0 out on eno1"), Pods()) is None
    assert covers(need, rule("route allow in on docker0 out on eno1"), Pods()) is False
    assert covers(need, rule("route allow in on lxc+ out on lxc+"), Pods()) is False


def test_iptables() -> None:
    def act(line: str) -> Filter | None:
        found = act_of([Text.of(word) for word in line.split()])
        return found.filter if found is not None else None

    found = act("-I FORWARD 1 -i lxc+ ! -o lxc+ -m comment --comment pods -j ACCEPT")
    assert found is not None
    assert (found.in_.known, found.is_narrowed, found.allows) == ("lxc+", True, True)
    established = act("-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT")
    assert established is not None
    assert established.limits == "established connections"
    jump = act("-A FORWARD -j MINE")
    assert jump is not None
    assert jump.allows is None
    assert act("-A FORWARD -j LOG") is None
    assert act("-A MINE -j ACCEPT") is None


def test_nftables() -> None:
    reader = NftReader()
    chain = "add chain inet f fwd { type filter hook forward priority filter ; policy drop ; }"
    policies = [each.allows for each in reader.read(Text.of(chain))]
    assert policies == [True, False]
    (first, other) = reader.read(Text.of('add rule inet f fwd iifname { "lxc*", "cni0" } ip daddr != 10.0.0.1 accept'))
    assert first.filter is not None
    assert other.filter is not None
    assert (first.filter.in_.known, other.filter.in_.known) == ("lxc+", "cni0")
    assert first.filter.is_narrowed
    (ports,) = reader.read(Text.of("add rule inet f fwd tcp dport { 80, 443 } accept"))
    assert ports.filter is not None
    assert ports.filter.limits
    assert list(reader.read(Text.of("add chain ip6 f fwd { type filter hook forward priority 0; policy drop; }"))) == []
    assert list(reader.read(Text.of("add rule inet f another accept"))) == []


def test_of_a_shortened_file_ufws_own_memory_counts() -> None:
    line = "### tuple ### route:allow any any 0.0.0.0/0 any 0.0.0.0/0 in_lxc+!out_eno1"
    content = Content((Line(Text.of(line), Place("user.rules", 1)),))
    _, step = steps_of(USER, content, Told(Place("user.rules"), ""))
    assert step.filter is not None
    assert shown(step.filter) == ("routed", "lxc+", "eno1", "", "", "")


def test_names_of_interfaces() -> None:
    assert [each.key for each in networks_named_in("lxc+")] == ["cilium"]
    assert networks_named_in("lxc") == ()
    one = is_one_pods("lxc4f39491e6165")
    assert one is not None
    assert one.key == "cilium"
    assert is_uplink("eno1")
    assert not is_uplink("eni0a1b2c3")
    assert all(each.pods for each in cnis())
    assert Side.ROUTED is Way.LEAVE.side
