"""What we say of a node's nftables is what its kernel does: packets are sent through, and the same rules read."""

from __future__ import annotations

import ipaddress
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.firewall.pod_traffic import missing
from nodeworthy.facts.node.firewall import NodeFirewall
from tests.by_day import some
from tests.node.recordings import part_of

from .daemon import PATIENCE
from .nft_firewalls import FIREWALLS, HOOKS, SENT_THROUGH
from .test_firewall import LAB
from .tools import Tools

RANGE = ipaddress.ip_network("10.1.0.0/16")
ALONE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def looked_at(tools: Tools, folder: Path, rules: str) -> tuple[set[str], Recording]:
    (folder / "rules.nft").write_text(rules, encoding="utf-8")
    return looked_at_by(tools, folder, f"nft -f {folder}/rules.nft || exit 9")


def looked_at_by(tools: Tools, folder: Path, firewall: str) -> tuple[set[str], Recording]:
    """Which ways packets went, and what the suite's own script read."""
    tools.need_root()
    for program in ("iptables", "nft", "ip", "unshare"):
        tools.path(program)
    nonce = script.new_nonce()
    (folder / "reading.sh").write_text(script.command(nonce), encoding="utf-8")
    read = f"sh {folder}/reading.sh >{folder}/said 2>{folder}/complained"
    said = f"{firewall}\nip route add default via 192.0.2.53\n{read}\n"
    (folder / "firewall.sh").write_text(said, encoding="utf-8")
    ran = subprocess.run(
        [*ALONE, "sh", LAB, folder / "firewall.sh", folder],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode in (0, 1), ran.stderr
    parts = script.parts(nonce, (folder / "said").read_text(), (folder / "complained").read_text())
    return set(ran.stdout.split()), Recording("ssh://node", tuple(parts))


def said_of(recording: Recording) -> tuple[set[str], set[str]]:
    """The ways that are surely shut, and those of which nobody knows."""
    seen = part_of(recording, NodeFirewall)
    pods = seen.pods(None, None)
    here = replace(pods, pod_range=RANGE)
    shut, doubted = set(), set()
    for story, is_sure in seen.kept_back(here):
        surely, maybe = missing(story.chains, story.lacking, here)
        shut |= {each.way.name for each in surely if is_sure}
        doubted |= {each.way.name for each in maybe}
    return shut, doubted


@pytest.mark.parametrize("name", some([*FIREWALLS, *SENT_THROUGH], 10))
def test_packets_go_where_we_say(tools: Tools, tmp_path: Path, name: str) -> None:
    rules, expected = HOOKS[name] if name in HOOKS else (FIREWALLS[name][0], FIREWALLS[name][1] | {"TO_NODE"})
    went, recording = looked_at(tools, tmp_path, rules)
    assert went == expected
    shut, doubted = said_of(recording)
    assert doubted == set()
    assert {"LEAVE", "REACH", "TO_NODE"} - shut == expected
