"""What firewalld really wrote into a kernel, read: which ways are shut is what packets met there."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.node.recording import load
from nodeworthy.facts.node.firewall import NodeFirewall
from tests.real.firewalld import EVERYTHING, FIREWALLDS

from .recordings import part_of

WRITTEN = sorted(Path(__file__).with_name("firewalld").glob("*.json"))
BY_FILE = {name.replace("'", "").replace(" ", "-"): ways for name, (_, ways) in FIREWALLDS.items()}


def seen(file: Path) -> NodeFirewall:
    return part_of(load(file), NodeFirewall)


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.stem)
def test_the_ways_are_those_of_packets(file: Path) -> None:
    firewall = seen(file)
    told = list(firewall.kept_back(firewall.pods(None, None)))
    assert all(is_sure for _, is_sure in told)
    shut = {need.way.name for story, _ in told for need in story.lacking}
    assert EVERYTHING - shut == BY_FILE[file.stem.partition(".")[2]]


def test_panic_is_one_thing_to_tell_and_one_to_do() -> None:
    for file in (each for each in WRITTEN if each.stem.endswith(".panic")):
        firewall = seen(file)
        ((story, _),) = firewall.kept_back(firewall.pods(None, None))
        assert story.message == "firewalld is in panic mode, and drops every packet"
        assert story.remedy == "firewall-cmd --panic-off"


def test_what_it_writes_for_iptables_is_told_in_its_own_words() -> None:
    firewall = seen(Path(__file__).with_name("firewalld") / "iptables.uplink-in-a-zone.json")
    ((story, _),) = firewall.kept_back(firewall.pods(None, None))
    assert story.commands[0] == "firewall-cmd --permanent --zone=trusted --add-interface=lxc+"
    assert story.commands[-1] == "firewall-cmd --reload"
