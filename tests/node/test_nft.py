"""nftables on a node: its chains are followed, and only what nobody can see is unknown.

The same rulesets are loaded and sent packets through in tests/real.
"""

from __future__ import annotations

import ipaddress

import pytest

from nodeworthy.facts.firewall.hooked import firewall_of_nft
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.pod_traffic import BlockedTraffic, blocked_traffic, missing
from nodeworthy.known.pod_interfaces import there
from nodeworthy.verdict import Place
from tests.real.nft_firewalls import BOTH, FIREWALLS, HOOKS

HERE = Place(host="h1")
RANGE = ipaddress.ip_network("10.1.0.0/16")
NEIGHBOURS = ipaddress.ip_network("192.0.2.0/24")
TERSE = """table inet filter {
	set pods {
		type ifname
		flags interval
	}

	map ways {
		type ifname : verdict
	}

	map ports {
		type inet_service : verdict
	}

	chain forward {
		type filter hook forward priority filter; policy drop;
		RULES
	}

	chain away {
		accept
	}
}
"""


def told(rules: str, interface: str = "lxc1234") -> list[tuple[BlockedTraffic, bool]]:
    pods = Pods(RANGE, None, there([interface]), are_seen=True, uplink="eno1", neighbours=NEIGHBOURS)
    return blocked_traffic(firewall_of_nft(rules, HERE), pods, HERE)


def shut(rules: str) -> tuple[set[str], set[str]]:
    """The ways that are surely shut, and those of which nobody knows."""
    surely, maybe = set(), set()
    for story, is_sure in told(rules):
        sure, may = missing(story.chains, story.lacking, story.pods)
        surely |= {each.way.name for each in sure if is_sure}
        maybe |= {each.way.name for each in may}
    return surely, maybe


@pytest.mark.parametrize("name", FIREWALLS)
def test_a_ruleset_is_followed_to_its_ends(name: str) -> None:
    rules, open_ = FIREWALLS[name]
    assert shut(rules) == (BOTH - open_, set())


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_passed(name: str) -> None:
    rules, open_ = HOOKS[name]
    assert shut(rules) == ({"LEAVE", "REACH", "TO_NODE"} - open_, set())


def test_what_comes_by_one_interface_is_asked_there_alone() -> None:
    rules = 'table netdev t {\nchain c {\ntype filter hook ingress device "DEVICE" priority -500\ndrop\n}\n}\n'
    assert shut(rules.replace("DEVICE", "eno1")) == ({"REACH"}, set())
    assert shut(rules.replace("DEVICE", "docker0")) == (set(), set())


@pytest.mark.parametrize(
    "rules",
    [
        "iifname @pods accept",
        "iifname vmap @ways",
        "meta mark 0x00000001 accept",
        "meta iifgroup 7 goto away",
        "numgen random mod 2 vmap { 0 : accept, 1 : goto away }",
        "queue to 0",
        "fib daddr type local accept",
        "jump gone",
        "ip saddr 10.1.5.0/26 jump gone\n\t\tjump gone",
        "socket transparent 1 accept",
    ],
)
def test_what_nobody_can_see_is_not_decided(rules: str) -> None:
    surely, maybe = shut(TERSE.replace("RULES", rules))
    assert (surely, maybe) == (set(), BOTH)


@pytest.mark.parametrize(
    "rules",
    [
        "tcp dport vmap @ports",
        "ct state established,related accept",
        "ct state != { new } accept",
        "ct status dnat accept",
        "meta nfproto ipv6 accept",
        "ip6 saddr ::/0 accept",
        "limit rate 3/second accept",
        'log prefix "accept, jump {" group 0',
        "meta mark set ct mark",
        'counter packets 5 bytes 300 comment "accept }"',
        "tcp flags & (fin | syn) == syn tcp option maxseg size set rt mtu",
        "iifname @pods drop",
        "continue",
        "flow add @ft",
    ],
)
def test_what_is_about_other_packets_leaves_nothing_open(rules: str) -> None:
    assert shut(TERSE.replace("RULES", rules)) == (BOTH, set())


def test_where_all_else_may_pass_a_doubt_is_none_unless_a_rule_drops() -> None:
    open_ = TERSE.replace("policy drop", "policy accept")
    assert shut(open_.replace("RULES", "iifname @pods drop")) == (set(), set())
    assert shut(open_.replace("RULES", "iifname vmap @ways\n\t\taccept")) == (set(), BOTH)
    assert shut(open_.replace("RULES", "queue to 0")) == (set(), BOTH)
    assert shut(open_.replace("RULES", "tcp dport vmap @ports")) == (set(), set())
    assert shut(open_.replace("RULES", "meta mark 0x1 accept\n\t\tdrop")) == (set(), BOTH)
    # Whether they have gone before is what decides.
    assert shut(open_.replace("RULES", "jump x").replace("chain away", "chain x")) == (set(), set())
    gone = open_.replace("RULES", "jump x") + "table inet filter {\nchain x {\nmeta mark 0x1 return\ndrop\n}\n}\n"
    assert shut(gone) == (set(), BOTH)


def test_sets_are_those_that_are_listed_behind_their_table() -> None:
    terse = TERSE.replace("RULES", "iifname @pods accept")
    listed = 'table inet filter {\n\tset pods {\n\t\ttype ifname\n\t\telements = { "lxc*",\n\t\t\t     "lo" }\n\t}\n}\n'
    assert shut(terse + listed) == ({"REACH"}, set())
    empty = "table inet filter {\n\tset pods {\n\t\ttype ifname\n\t}\n}\n"
    assert shut(terse + empty) == (BOTH, set())


def test_a_rule_of_ones_own_is_told_where_all_else_may_pass() -> None:
    ((story, _),) = told(FIREWALLS["a drop where all else may pass"][0])
    assert story.message == "a rule of the chain `inet filter forward` drops pods' traffic"
    assert story.is_ == "iifname lxc* drop"
    assert story.remedy == "nft insert rule inet filter forward iifname '\"lxc*\"' accept"


def test_behind_the_last_drop_nothing_helps() -> None:
    ((story, _),) = told(TERSE.replace("policy drop", "policy accept").replace("RULES", "drop"))
    assert story.should.startswith("nft insert rule inet filter forward iifname")


def test_firewalld_is_told_in_its_own_words() -> None:
    ((story, _),) = told(FIREWALLS["firewalld, uplink alone"][0])
    assert story.commands == [
        "firewall-cmd --permanent --zone=trusted --add-interface=lxc+",
        "firewall-cmd --permanent --new-policy=pods",
        "firewall-cmd --permanent --policy=pods --set-target=ACCEPT",
        "firewall-cmd --permanent --policy=pods --add-ingress-zone=ANY",
        "firewall-cmd --permanent --policy=pods --add-egress-zone=trusted",
        "firewall-cmd --reload",
    ]


def test_a_networks_own_table_decides_by_its_policies() -> None:
    rules = 'iifname "cali*" jump x\n}\nchain x { iifname "cali1" accept\ndrop'
    assert shut(TERSE.replace("RULES", rules).replace("inet filter", "ip calico")) == (set(), set())


def test_chains_that_lead_to_more_rules_than_can_be_followed() -> None:
    chains = "".join(f"chain c{n} {{\njump c{n + 1}\njump c{n + 1}\n}}\n" for n in range(30))
    endless = f"{chains}chain c30 {{\niifname lo accept\n}}\n"
    with pytest.raises(ValueError, match="leads to more rules than can be followed"):
        firewall_of_nft(
            f"table ip x {{\nchain f {{\ntype filter hook forward priority 0\njump c0\n}}\n{endless}}}\n", HERE
        )
