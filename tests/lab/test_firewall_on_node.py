"""A booted node with ufw: the four rules are there, and are there again after a reboot, or nobody calls it well."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node import collector, specs
from nodeworthy.collect.node.pools import Declared
from nodeworthy.engine import Judgement, judge
from nodeworthy.lab.faults.fault import HERE
from nodeworthy.lab.faults.injecting import IMAGE, fleet
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.rules import rule
from nodeworthy.verdict import Verdict

POOL = "h100-ufw"
RULES = ("pod-egress-forwarded", "firewall-no-wider")
# Interfaces are gone with the network namespace, as on a machine that starts again; ufw's rules are on the disk.
NETWORK = "/usr/lib/nodeworthy-lab/network"

pytestmark = pytest.mark.usefixtures("lab")


def judged(node: Node) -> dict[str, Judgement]:
    [asked] = collector.ask_all(specs.parse_all([f"nsenter://{node.pid()}"]), collector.Asking(120))
    scene = collector.scene(asked, Declared(fleet(), POOL))
    return {each.rule.id: each for each in judge([scene], [rule(each) for each in RULES], rule("rule-crashed"))}


def verdicts(node: Node) -> set[Verdict]:
    return {each.verdict for each in judged(node).values()}


def interfaces(node: Node) -> None:
    links = f"sed '/^for program/,$d' {NETWORK} | sh"
    node.run("sh", "-c", links)


def test_what_ufw_keeps_outlives_a_reboot_and_what_iptables_was_told_does_not() -> None:
    with Node(layers(IMAGE), (HERE / "healthy-h100-ufw.sh").read_bytes()) as node:
        node.boot()
        assert verdicts(node) == {Verdict.PASS}, judged(node)
        node.run("ufw", "route", "delete", "allow", "in", "on", "lxc+", "out", "on", "eno1")
        assert [each.remedy for each in judged(node)["pod-egress-forwarded"].findings] == [
            "ufw route allow in on lxc+ out on eno1"
        ]
        node.run("iptables", "-I", "FORWARD", "-i", "lxc+", "-o", "eno1", "-j", "ACCEPT")
        assert verdicts(node) == {Verdict.PASS}, judged(node)
        node.end()
        node.boot()
        interfaces(node)
        found = judged(node)
        assert found["firewall-no-wider"].verdict is Verdict.PASS, found
        assert [each.remedy for each in found["pod-egress-forwarded"].findings] == [
            "ufw route allow in on lxc+ out on eno1"
        ]
