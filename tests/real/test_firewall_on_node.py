"""The suite's own script, run on a node with a real firewall: what we say is what packets have met."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.firewall.pod_needs import Pods, Way
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict, need
from tests.by_day import some
from tests.node.recordings import part_of

from .daemon import PATIENCE
from .test_firewall import FIREWALLS, FIXED, RANGE
from .tools import Tools

LAB = Path(__file__).with_name("node_with_firewall.sh")
WAYS = {"LEAVE", "REACH", "TO_NODE"}
RULES = FIXED.splitlines()
FLEET = """config:
  nodeworthy:fleet:
    cluster: {name: onprem, podCidr: 10.1.0.0/16, serviceCidr: 10.152.183.0/24}
    operator: false
    pools:
      onprem: {gpu: h200, gpusPerNode: 8, nodes: 2, distribution: k8s-snap, firewall: ufw, provision: false}
"""


def recorded(tools: Tools, folder: Path, firewall: str) -> Recording:
    tools.need_root()
    for program in ("ufw", "iptables", "nft", "ip", "unshare"):
        tools.path(program)
    (folder / "firewall.sh").write_text(firewall, encoding="utf-8")
    nonce = script.new_nonce()
    (folder / "reading.sh").write_text(script.command(nonce), encoding="utf-8")
    alone = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    ran = subprocess.run(
        [*alone, "sh", LAB, folder / "firewall.sh", folder, folder / "reading.sh"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    # There is no systemd in there to ask for ufw's unit.
    parts = tuple(each for each in script.parts(nonce, ran.stdout, ran.stderr) if each.name != "ufw")
    recording = Recording("ssh://node", parts)
    assert recording.part("done") is not None, ran.stderr
    return recording


def judged(recording: Recording, fleet: Path | None = None) -> dict[str, Judgement]:
    declared = Declared(read_fleet_file(fleet, fleet.name), "onprem") if fleet else Declared(None)
    found = judge([scene(AskedHost(recording.host, recording), declared)], catalogue(), rule("rule-crashed"))
    return {each.rule.id: each for each in found}


def open_ways(recording: Recording) -> set[str]:
    """What we say of the kernel's own rules."""
    seen = part_of(recording, NodeFirewall)
    need(seen.kernels)
    pods = seen.pods(None, None)
    assert pods.uplink == "eno1"
    assert [each.key for each in pods.networks] == ["cilium"]
    here = Pods(RANGE, None, pods.networks, are_seen=True, uplink=pods.uplink)
    shut = {each.way for story, _ in seen.kept_back(here) for each in story.lacking}
    return {way.name for way in Way if way not in shut} & WAYS


@pytest.mark.parametrize("name", some([*FIREWALLS], 10))
def test_the_kernels_rules_say_which_ways_are_open(tools: Tools, tmp_path: Path, name: str) -> None:
    commands, expected = FIREWALLS[name]
    assert open_ways(recorded(tools, tmp_path, commands)) == expected


@pytest.mark.parametrize("lacks", range(3))
def test_each_rule_that_is_missing_is_asked_for(tools: Tools, tmp_path: Path, lacks: int) -> None:
    left = [each for at, each in enumerate(RULES) if at != lacks]
    found = judged(recorded(tools, tmp_path, "\n".join(left)))["pod-egress-forwarded"]
    assert found.verdict is Verdict.FAIL
    assert [each.remedy for each in found.findings] == [RULES[lacks]]


def test_the_fourth_is_asked_for_where_outgoing_traffic_is_denied(tools: Tools, tmp_path: Path) -> None:
    denied = ["ufw default deny outgoing", *(each for each in RULES if " out to " not in each)]
    found = judged(recorded(tools, tmp_path, "\n".join(denied)))["pod-egress-forwarded"]
    assert [each.remedy for each in found.findings] == ["ufw allow out to 10.0.0.0/8"]


def test_all_four_are_well_and_no_wider(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.onprem.yaml").write_text(FLEET, encoding="utf-8")
    found = judged(recorded(tools, tmp_path, FIXED), tmp_path / "Pulumi.onprem.yaml")
    told = {name: found[name].verdict for name in ("pod-egress-forwarded", "firewall-no-wider")}
    assert told == dict.fromkeys(told, Verdict.PASS), {name: found[name].findings for name in told}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (f"{FIXED}ufw disable\n", "ufw is off"),
        (f"{FIXED}iptables -F; iptables -X\n", "ufw is switched on, and the kernel has none of its rules"),
        (f"{FIXED}sed -i s/ENABLED=yes/ENABLED=no/ /etc/ufw/ufw.conf\n", "ufw is on, and off after the next boot"),
        (f"{FIXED}ufw default allow routed\n", "everything is forwarded"),
        (f"{FIXED}ufw default allow incoming\n", "everybody reaches every port of the node"),
        (f"{FIXED}ufw allow from any\n", "this rule lets everything through: everybody reaches every port"),
        (f"{FIXED}iptables -I FORWARD -j ACCEPT\n", "this rule lets everything through: everything is forwarded"),
        (f"{FIXED}ufw route allow in on eno1\n", "this rule lets everything through: everything is forwarded"),
    ],
)
def test_what_is_wider_is_told(tools: Tools, tmp_path: Path, changed: str, message: str) -> None:
    (tmp_path / "Pulumi.onprem.yaml").write_text(FLEET, encoding="utf-8")
    found = judged(recorded(tools, tmp_path, changed), tmp_path / "Pulumi.onprem.yaml")["firewall-no-wider"]
    assert [each.message[: len(message)] for each in found.findings] == [message]


def test_a_rule_for_another_uplink_forwards_nothing(tools: Tools, tmp_path: Path) -> None:
    found = judged(recorded(tools, tmp_path, FIXED.replace("eno1", "eth0")))["pod-egress-forwarded"]
    remedy = "ufw route allow in on lxc+ out on eno1; ufw route allow in on eno1 out on lxc+"
    assert [each.remedy for each in found.findings] == [remedy]
