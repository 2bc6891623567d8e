"""A node's firewall, read: the chains that programs of Kubernetes write, what was not read, and what is malformed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.firewall.effective import firewall_of_iptables
from nodeworthy.facts.firewall.hooked import firewall_of_nft
from nodeworthy.facts.firewall.pod_needs import Pods, Way
from nodeworthy.facts.firewall.pod_traffic import blocked_traffic
from nodeworthy.facts.firewall.saved import Saved
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.pod_interfaces import there
from nodeworthy.rules import rule
from nodeworthy.verdict import Place, Verdict
from tests.case_files import whole

from .recordings import MENDED, but, part, without

GOOD = load(whole("pod-egress-forwarded/good-node-four-rules") / "node.json")
INCIDENT = load(whole("pod-egress-forwarded/bad-node-incident") / "node.json")
HERE = Place(host="h1")
RULES = ("pod-egress-forwarded", "firewall-no-wider", "kernel-log-clean")

HEAD = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT ACCEPT [0:0]\n"
KUBE_PROXY = """:KUBE-FORWARD - [0:0]
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
"""
FLANNEL = """:FLANNEL-FWD - [0:0]
-A FORWARD -m comment --comment "flanneld forward" -j FLANNEL-FWD
-A FLANNEL-FWD -s 10.244.0.0/16 -m comment --comment "flanneld forward" -j ACCEPT
-A FLANNEL-FWD -d 10.244.0.0/16 -m comment --comment "flanneld forward" -j ACCEPT
"""
CALICO = """:cali-FORWARD - [0:0]
:cali-from-wl-dispatch - [0:0]
-A FORWARD -m comment --comment "cali:wUHhoiAYhphO9Mso" -j cali-FORWARD
-A cali-FORWARD -m comment --comment "cali:vjrMJCRpqwy5oRoX" -j MARK --set-xmark 0x0/0xe0000
-A cali-FORWARD -i cali+ -m comment --comment "cali:8ZoYfO5HKXWbB3pk" -j cali-from-wl-dispatch
-A cali-FORWARD -m comment --comment "cali:jdEuaPBe14V2hutn" -m mark --mark 0x10000/0x10000 -j ACCEPT
-A cali-from-wl-dispatch -i cali0ef24ba -m comment --comment "cali:aa" -j RETURN
-A cali-from-wl-dispatch -m comment --comment "Unknown interface" -j DROP
"""
IN_ITS_CHAIN = '-A cali-FORWARD -m comment --comment "cali:jdEuaPBe14V2hutn" -m mark --mark 0x10000/0x10000 -j ACCEPT'
# Where releases since 3.16 accept.
BEHIND_ALL = (
    '-A FORWARD -m comment --comment "cali:S93hcgKJrXEqnTfs" -m comment --comment "Policy explicitly accepted packet."'
    " -m mark --mark 0x10000/0x10000 -j ACCEPT"
)
CILIUM = """:CILIUM_FORWARD - [0:0]
-A FORWARD -m comment --comment "cilium-feeder: CILIUM_FORWARD" -j CILIUM_FORWARD
-A CILIUM_FORWARD -o cilium_host -m comment --comment "cilium: any->cluster on cilium_host forward accept" -j ACCEPT
-A CILIUM_FORWARD -i lxc+ -m comment --comment "cilium: cluster->any on lxc+ forward accept" -j ACCEPT
"""
KUBE_ROUTER = """-A FORWARD -o kube-bridge -m comment --comment "allow inbound traffic to pods" -j ACCEPT
-A FORWARD -i kube-bridge -m comment --comment "allow outbound traffic from pods" -j ACCEPT
"""
BOTH = {Way.LEAVE, Way.REACH}


def kept_back(rules: str, interface: str) -> tuple[set[Way], bool]:
    pods = Pods(networks=there([interface]), are_seen=True, uplink="eth0")
    found = blocked_traffic(firewall_of_iptables(f"{HEAD}{rules}COMMIT\n", HERE), pods, HERE)
    return {each.way for story, _ in found for each in story.lacking}, all(is_sure for _, is_sure in found)


@pytest.mark.parametrize(
    ("rules", "interface", "shut"),
    [
        ("", "lxc4f39491e6165", BOTH),
        (KUBE_PROXY, "lxc4f39491e6165", BOTH),
        (KUBE_PROXY + FLANNEL, "cni0", set()),
        (KUBE_PROXY + CALICO, "cali0ef24ba", set()),
        (CALICO.replace(" -j ACCEPT", " -j RETURN"), "cali0ef24ba", BOTH),
        (KUBE_PROXY + CALICO.replace(IN_ITS_CHAIN, BEHIND_ALL), "cali0ef24ba", set()),
        (f"{BEHIND_ALL}\n", "lxc4f39491e6165", BOTH),
        (KUBE_PROXY + CILIUM, "lxc4f39491e6165", {Way.REACH}),
        (KUBE_PROXY + KUBE_ROUTER, "kube-bridge", set()),
        (KUBE_ROUTER, "lxc4f39491e6165", BOTH),
        ("-A FORWARD -i lxc+ -g OUT\n:OUT - [0:0]\n-A OUT -o eth0 -j ACCEPT\n", "lxc4f39491e6165", {Way.REACH}),
        ("-A FORWARD -i docker0 -j OUT\n:OUT - [0:0]\n-A OUT -j ACCEPT\n", "lxc4f39491e6165", BOTH),
        ("-A FORWARD -j OUT\n:OUT - [0:0]\n-A OUT -j RETURN\n-A OUT -j ACCEPT\n", "lxc4f39491e6165", BOTH),
        ("-A FORWARD -j REJECT\n-A FORWARD -j ACCEPT\n", "lxc4f39491e6165", BOTH),
        ("-A FORWARD -j ACCEPT\n", "lxc4f39491e6165", set()),
        ("-A FORWARD -i lxc1234 -j ACCEPT\n-A FORWARD -o lxc1234 -j ACCEPT\n", "lxc1234", BOTH),
    ],
)
def test_whose_chains_let_pods_through(rules: str, interface: str, shut: set[Way]) -> None:
    assert kept_back(rules, interface) == (shut, True)


@pytest.mark.parametrize(
    "rules",
    [
        "-A FORWARD -m set --match-set ovn40subnets src -j ACCEPT\n",
        "-A FORWARD -m mark --mark 0x1/0x1 -j ACCEPT\n",
        "-A FORWARD -j OUT\n:OUT - [0:0]\n-A OUT ! -s 10.1.0.0/16 -j RETURN\n-A OUT -j ACCEPT\n",
    ],
)
def test_what_nobody_here_can_follow_is_not_decided(rules: str) -> None:
    shut, is_sure = kept_back(rules, "lxc4f39491e6165")
    assert shut == BOTH
    assert not is_sure


def test_a_rule_at_the_end_closes_a_chain_whose_policy_accepts() -> None:
    listed = """table inet firewalld {
	chain filter_FORWARD {
		type filter hook forward priority filter + 10; policy accept;
		ct state { established, related } accept
		reject with icmpx admin-prohibited
	}
}"""
    (closed,) = firewall_of_nft(listed, HERE).closed()
    assert closed.name == "nft inet firewalld"
    open_ = listed.replace("\t\treject with icmpx admin-prohibited\n", "")
    assert list(firewall_of_nft(open_, HERE).closed()) == []


def test_chains_that_lead_to_themselves_end() -> None:
    looped = f"{HEAD}-A FORWARD -j A\n:A - [0:0]\n-A A -j B\n:B - [0:0]\n-A B -j A\n-A B -i lo -j DROP\n"
    assert [each.chain for each in Saved.of(looped).met("FORWARD", Way.LEAVE.side)] == ["B"]


@pytest.mark.parametrize("last", ["-A C30 -i lo -j DROP\n", ""])
def test_more_rules_than_can_be_followed_are_unknown(last: str) -> None:
    chains = "".join(f":C{n} - [0:0]\n-A C{n} -j C{n + 1}\n-A C{n} -j C{n + 1}\n" for n in range(30))
    endless = f"{HEAD}-A FORWARD -j C0\n{chains}:C30 - [0:0]\n{last}COMMIT\n"
    found = judged(but(GOOD, part("iptables", endless)))["pod-egress-forwarded"]
    assert found.verdict is Verdict.UNKNOWN


def test_chains_that_lead_too_deep_are_unknown() -> None:
    chains = "".join(f":C{n} - [0:0]\n-A C{n} -j C{n + 1}\n" for n in range(5000))
    found = judged(but(GOOD, part("iptables", f"{HEAD}-A FORWARD -j C0\n{chains}:C5000 - [0:0]\nCOMMIT\n")))
    assert found["pod-egress-forwarded"].verdict is Verdict.UNKNOWN


def judged(recording: Recording, declared: Declared | None = None) -> dict[str, Judgement]:
    rules = [rule(each) for each in RULES]
    found = judge(
        [scene(AskedHost(recording.host, recording), declared or Declared(None))], rules, rule("rule-crashed")
    )
    return {each.rule.id: each for each in found}


def test_an_older_recording_is_skipped_with_why() -> None:
    found = judged(load(MENDED))["pod-egress-forwarded"]
    assert found.verdict is Verdict.SKIP
    assert found.why == "this recording was made before what the kernel filters was read: record the node anew"


@pytest.mark.parametrize("lost", ["filters", "iptables", "nft", "links"])
def test_what_was_not_read_is_unknown(lost: str) -> None:
    recording = but(GOOD, part("nft", ""), part(lost, code=1, stderr="Operation not permitted"))
    found = judged(recording)
    assert {found[each].verdict for each in RULES[:2]} == {Verdict.UNKNOWN}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("iptables", HEAD),
        ("iptables", f"{HEAD}COMMIT\n*filter\n:FORWARD ACCEPT [0:0]\n"),
        ("iptables", "lorem ipsum"),
        ("nft", "table inet x {\n\tchain y {\n\t\ttype filter hook forward priority 0; policy drop;\n"),
        ("nft", "lorem ipsum"),
        ("nft", 'table inet x {\n\tcomment "}"\n'),
    ],
)
def test_half_an_answer_is_unknown(name: str, said: str) -> None:
    found = judged(but(GOOD, part(name, said)))
    assert {found[each].verdict for each in RULES[:2]} == {Verdict.UNKNOWN}


@pytest.mark.parametrize("name", ["iptables", "nft"])
def test_an_answer_without_tables_is_one(name: str) -> None:
    said = "" if name == "nft" else "# Table `filter' is incompatible, use 'nft' tool.\n"
    assert judged(but(GOOD, part(name, said)))["pod-egress-forwarded"].verdict is Verdict.PASS


def test_a_node_without_a_default_route_is_judged_by_what_rules_name() -> None:
    assert judged(but(GOOD, part("links", "lo\neno1\nlxc12")))["pod-egress-forwarded"].verdict is Verdict.PASS


def test_whether_it_stays_on_is_asked_of_its_unit() -> None:
    fleet = whole("firewall-no-wider/good-node-four-rules") / "Pulumi.onprem.yaml"
    declared = Declared(read_fleet_file(fleet, fleet.name), "onprem")
    assert judged(GOOD, declared)["firewall-no-wider"].verdict is Verdict.PASS
    hangs = but(GOOD, part("ufw", code=124))
    assert judged(hangs, declared)["firewall-no-wider"].verdict is Verdict.UNKNOWN
    assert judged(hangs, declared)["pod-egress-forwarded"].verdict is Verdict.PASS


def test_rules_may_still_come_while_the_boot_runs() -> None:
    booting = but(INCIDENT, part("boot", ""))
    assert judged(booting)["pod-egress-forwarded"].verdict is Verdict.UNKNOWN


def test_one_cause_is_told_once() -> None:
    found = judged(INCIDENT)
    assert found["pod-egress-forwarded"].verdict is Verdict.FAIL
    assert any("UFW BLOCK" in each.says for each in found["pod-egress-forwarded"].findings[0].related)
    assert found["kernel-log-clean"].verdict is Verdict.PASS
    older = without(INCIDENT, "filters", "iptables", "nft")
    assert judged(older)["kernel-log-clean"].verdict is Verdict.FAIL


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["filters", "iptables", "iptables legacy", "nft", "links", "ufw", "file /etc/ufw/ufw.conf"]),
    st.text(max_size=200)
    | st.lists(st.sampled_from([*"{};!\n", *f"{HEAD}{KUBE_PROXY}table ip x chain hook policy -m -g".split()])).map(
        " ".join
    ),
)
def test_whatever_a_part_says_no_rule_crashes(name: str, said: str) -> None:
    assert "rule-crashed" not in judged(but(GOOD, part(name, said)))
