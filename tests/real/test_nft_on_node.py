"""What we say of a node's nftables is what its kernel does: packets are sent through, and the same rules read."""

from __future__ import annotations

import ipaddress
import subprocess
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.reading import node
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.firewall.needs import Pods, Way
from nodeworthy.facts.firewall.passing import missing
from nodeworthy.facts.firewall.story import stories
from nodeworthy.verdict import need

from .nft_firewalls import FIREWALLS
from .test_firewall import LAB
from .tools import Tools

RANGE = ipaddress.ip_network("10.1.0.0/16")
ALONE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def looked_at(tools: Tools, folder: Path, rules: str) -> tuple[set[str], Recording]:
    """Which ways packets went, and what the suite's own script read."""
    tools.need_root()
    for program in ("iptables", "nft", "ip", "unshare"):
        tools.path(program)
    nonce = script.new_nonce()
    (folder / "rules.nft").write_text(rules, encoding="utf-8")
    (folder / "reading.sh").write_text(script.command(nonce), encoding="utf-8")
    said = f"nft -f {folder}/rules.nft || exit 9\nip route add default via 192.0.2.53\nsh {folder}/reading.sh >{folder}/said 2>{folder}/complained\n"
    (folder / "firewall.sh").write_text(said, encoding="utf-8")
    ran = subprocess.run(
        [*ALONE, "sh", LAB, folder / "firewall.sh", folder], capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode in (0, 1), ran.stderr
    parts = script.parts(nonce, (folder / "said").read_text(), (folder / "complained").read_text())
    return set(ran.stdout.split()) - {"TO_NODE"}, Recording("ssh://node", tuple(parts))


def said_of(recording: Recording) -> tuple[set[str], set[str]]:
    """The ways that are surely shut, and those of which nobody knows."""
    seen = node(recording).seen.firewall
    assert seen is not None
    pods = seen.pods(None, None)
    here = Pods(RANGE, None, pods.networks, are_seen=True, uplink=pods.uplink)
    told = [each for kernel in need(seen.kernels) for each in stories(kernel, here, seen.place)]
    shut, doubted = set(), set()
    for story, is_sure in told:
        surely, maybe = missing(story.chains, story.lacking, here)
        shut |= {each.way.name for each in surely if is_sure}
        doubted |= {each.way.name for each in maybe}
    return shut, doubted


@pytest.mark.parametrize("name", FIREWALLS)
def test_packets_go_where_we_say(tools: Tools, tmp_path: Path, name: str) -> None:
    rules, expected = FIREWALLS[name]
    went, recording = looked_at(tools, tmp_path, rules)
    assert went == expected
    shut, doubted = said_of(recording)
    assert doubted == set()
    assert {Way.LEAVE.name, Way.REACH.name} - shut == expected
