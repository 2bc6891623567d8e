"""What we say of a node with firewalld is what packets meet there, whichever backend it writes its rules for."""

from __future__ import annotations

from pathlib import Path

import pytest

from .firewalld import FIREWALLDS
from .test_nft_on_node import looked_at_by, said_of
from .tools import Tools

STARTED = Path(__file__).with_name("firewalld.sh")


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        ("nftables", "pods' range trusted"),
        ("nftables", "panic"),
        ("iptables", "a policy"),
    ],
)
def test_packets_go_where_we_say(tools: Tools, tmp_path: Path, backend: str, name: str) -> None:
    for program in ("firewalld", "firewall-cmd", "dbus-daemon"):
        tools.path(program)
    commands, expected = FIREWALLDS[name]
    went, recording = looked_at_by(tools, tmp_path, f"backend={backend}\n. {STARTED}\n{commands}")
    assert went == expected
    shut, doubted = said_of(recording)
    assert doubted == set()
    assert {"LEAVE", "REACH", "TO_NODE"} - shut == expected
