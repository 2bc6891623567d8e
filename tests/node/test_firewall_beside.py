"""What of a node's firewall stands beside its filter tables: raw, mangle, two kinds of iptables, routes, a network's own."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.parts.firewall import route_of
from nodeworthy.collect.node.recording import load
from nodeworthy.facts.firewall.effective import firewall_of_iptables
from nodeworthy.facts.firewall.hooked import firewall_of_other_tables
from nodeworthy.facts.firewall.pod_needs import Pods, Way
from nodeworthy.facts.firewall.pod_traffic import BlockedTraffic, blocked_traffic
from nodeworthy.facts.firewall.ranges import range_of_neighbours, range_of_pods
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.known.pod_interfaces import there
from nodeworthy.verdict import Place
from tests.case_files import whole

from .recordings import but, part, part_of

HERE = Place(host="h1")
PODS = Pods(networks=there(["lxc1234"]), are_seen=True, uplink="eno1")
INCIDENT = load(whole("pod-egress-forwarded/bad-node-incident") / "node.json")
RAW = "*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n{}\nCOMMIT\n"
MANGLE = "*mangle\n:PREROUTING ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n{}\nCOMMIT\n"
FILTER = "*filter\n:INPUT {} [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n{}\nCOMMIT\n"


def told(firewall: Firewall, pods: Pods = PODS) -> list[BlockedTraffic]:
    return [story for story, is_sure in blocked_traffic(firewall, pods, HERE) if is_sure]


@pytest.mark.parametrize(
    ("saved", "ways", "remedy"),
    [
        (
            RAW.format("-A PREROUTING -i lxc+ -j DROP"),
            {Way.LEAVE, Way.TO_NODE},
            "iptables -t raw -I PREROUTING -i lxc+ -j ACCEPT",
        ),
        (
            MANGLE.format("-A FORWARD -i lxc+ -o eno1 -j DROP"),
            {Way.LEAVE},
            "iptables -t mangle -I FORWARD -i lxc+ -j ACCEPT",
        ),
        (
            MANGLE.format("-A POSTROUTING -o lxc+ -j DROP"),
            {Way.REACH, Way.FROM_NODE},
            "iptables -t mangle -I POSTROUTING -o lxc+ -j ACCEPT",
        ),
        (
            MANGLE.format("-A PREROUTING -i eno1 -d 10.0.0.0/8 -j DROP"),
            {Way.REACH},
            "iptables -t mangle -I PREROUTING -d 10.0.0.0/8 -j ACCEPT",
        ),
    ],
)
def test_what_is_dropped_beside_filter(saved: str, ways: set[Way], remedy: str) -> None:
    (story,) = told(firewall_of_other_tables(saved, HERE))
    assert {each.way for each in story.lacking} == ways
    assert story.remedy == remedy


def test_what_programs_do_there_drops_nothing() -> None:
    raw = RAW.format("-A PREROUTING -m rpfilter --invert -j DROP\n-A PREROUTING -i cilium_host -j NOTRACK")
    mangle = MANGLE.format("-A PREROUTING -i eni+ -j CONNMARK --restore-mark\n-A FORWARD -p tcp -j TCPMSS --clamp")
    assert told(firewall_of_other_tables(raw + mangle, HERE)) == []
    assert blocked_traffic(firewall_of_other_tables(raw + mangle, HERE), PODS, HERE) == []


@pytest.mark.parametrize(
    ("rules", "is_open"),
    [
        ("-A INPUT -i lo -j ACCEPT\n-A INPUT -p tcp --dport 22 -j ACCEPT", False),
        ("-A INPUT -p udp --dport 10250 -j ACCEPT", False),
        ("-A INPUT -p tcp -m multiport --dports 22,10250 -j ACCEPT", True),
        ("-A INPUT -p tcp -m tcp --dport 10000:11000 -j ACCEPT", True),
        ("-A INPUT -p tcp -j ACCEPT", True),
        ("-A INPUT -s 10.0.0.0/8 -j ACCEPT", True),
    ],
)
def test_a_closed_node_lets_pods_reach_kubelet(rules: str, is_open: bool) -> None:
    assert (told(firewall_of_iptables(FILTER.format("DROP", rules), HERE)) == []) is is_open


def test_whom_a_network_keeps_from_the_node_is_its_policy() -> None:
    own = '-A INPUT -i lxc+ -m comment --comment "cali:LQw" -j DROP'
    assert told(firewall_of_iptables(FILTER.format("ACCEPT", own), HERE)) == []
    assert len(told(firewall_of_iptables(FILTER.format("ACCEPT", "-A INPUT -i lxc+ -j DROP"), HERE))) == 1


def test_the_other_kind_of_iptables_is_mended_by_its_own_program() -> None:
    closed = FILTER.format("ACCEPT", "-A FORWARD -i lxc+ -j DROP")
    both = but(INCIDENT, part("iptables legacy", closed), part("iptables", FILTER.format("ACCEPT", "")))
    seen = part_of(both, NodeFirewall)
    remedies = [story.remedy for story, _ in seen.kept_back(seen.pods(None, None))]
    assert remedies == ["iptables-legacy -I FORWARD -i lxc+ -j ACCEPT"]


ROUTES = """route cni0 0001F40A 00000000 00FFFFFF
route flannel.1 0002F40A 0002F40A 00FFFFFF
route eno1 0002000A 00000000 00FFFFFF
route eno1 FEA9FEA9 0102000A FFFFFFFF
route eno1 0000FEA9 00000000 0000FFFF"""


def test_routes_say_whose_addresses_a_rule_names() -> None:
    routes = [route for line in ROUTES.splitlines() for route in route_of(line.split())]
    assert [str(each.network) for each in routes[:3]] == ["10.244.1.0/24", "10.244.2.0/24", "10.0.2.0/24"]
    assert str(range_of_pods(routes, there(["cni0"]))) == "10.244.0.0/22"
    assert str(range_of_neighbours(routes, "eno1")) == "10.0.2.0/24"
    assert range_of_pods(routes, there(["lxc1"])) is None
    assert range_of_neighbours(routes, "eth0") is None
    assert list(route_of("route cni0 zz 00000000 00FFFFFF".split())) == []


@pytest.mark.parametrize(
    ("denied", "remedy"),
    [
        ("-i lxc+ -o eno1 -j DROP", "ufw route allow in on lxc+ out on eno1"),
        ("-i lxc+ -j DROP", "ufw route prepend allow in on lxc+ out on eno1"),
        ("-i lxc+ -j DROP\n-A ufw-user-forward -i lxc+ -o eno1 -j ACCEPT", "ufw route delete deny in on lxc+"),
        ("-i lxc+ -j REJECT\n-A ufw-user-forward -i lxc+ -o eno1 -j ACCEPT", "ufw route delete reject in on lxc+"),
    ],
)
def test_a_denial_is_mended_by_what_ufw_does_then(denied: str, remedy: str) -> None:
    chains = ":ufw-user-input - [0:0]\n:ufw-user-forward - [0:0]\n-A INPUT -j ufw-before-input\n-A FORWARD -j ufw-before-forward\n"
    rules = f"{chains}-A ufw-before-input -j ACCEPT\n-A ufw-before-forward -j ufw-user-forward\n-A ufw-user-forward {denied}"
    (story,) = told(
        firewall_of_iptables(FILTER.format("DROP", f"{rules}\n-A ufw-user-forward -o lxc+ -j ACCEPT"), HERE)
    )
    assert story.remedy == remedy
