"""What we say of a firewall is what the kernel does with it: packets between a pod, its node and the world."""

from __future__ import annotations

import ipaddress
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from nodeworthy.boot.text import Text
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.firewall.firewall import Does
from nodeworthy.facts.firewall.pod_needs import Need, Pods, Way
from nodeworthy.facts.firewall.pod_traffic import lets
from nodeworthy.facts.firewall.runs import runs
from nodeworthy.facts.firewall.steps import steps_in
from nodeworthy.facts.firewall.ufw_command import ufw_command
from nodeworthy.verdict import Place

from .daemon import PATIENCE
from .tools import Tools

LAB = Path(__file__).with_name("pod_and_node.sh")
RANGE = ipaddress.ip_network("10.1.0.0/24")
FIXED = """ufw route allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw allow from 10.0.0.0/8
ufw allow out to 10.0.0.0/8
ufw --force enable
"""
NFT = """nft -f - <<'EOF'
table inet filter {
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lxc*" oifname "eno1" accept
  }
}
EOF
"""
EVERYTHING = {"LEAVE", "REACH", "TO_NODE"}
FIREWALLS = {
    "incident": ("ufw allow 22/tcp\nufw --force enable\n", set()),
    "first rule of the fix": ("ufw route allow in on lxc+ out on eno1\nufw --force enable\n", {"LEAVE"}),
    "fixed": (FIXED, EVERYTHING),
    "input only": ("ufw allow in on lxc+\nufw allow out on lxc+\nufw --force enable\n", {"TO_NODE"}),
    "no plus": (FIXED.replace("lxc+", "lxc"), {"TO_NODE"}),
    "one port": (FIXED.replace("out on eno1", "out on eno1 to any port 53 proto udp"), {"REACH", "TO_NODE"}),
    "by range": (
        "ufw route allow from 10.1.0.0/16\nufw route allow to 10.1.0.0/16\nufw --force enable\n",
        {"LEAVE", "REACH"},
    ),
    "another range": (FIXED.replace("10.0.0.0/8", "10.2.0.0/16"), {"LEAVE", "REACH"}),
    "routed by default": ("ufw default allow routed\nufw --force enable\n", {"LEAVE", "REACH"}),
    "denied first": (f"ufw route deny in on lxc+ out on eno1\n{FIXED}", {"LEAVE", "REACH", "TO_NODE"}),
    "denied before": (f"{FIXED}ufw route prepend deny in on lxc+\n", {"REACH", "TO_NODE"}),
    "denied, and inserted": (
        f"ufw route deny in on lxc+ out on eno1\n{FIXED.replace('allow', 'insert 1 allow', 1)}",
        {"REACH", "TO_NODE"},
    ),
    "deleted": (f"{FIXED}ufw route delete allow in on eno1 out on lxc+\n", {"LEAVE", "TO_NODE"}),
    "deleted by number": (f"{FIXED}ufw --force delete 1\n", {"REACH", "TO_NODE"}),
    "disabled": (f"{FIXED}ufw disable\n", EVERYTHING),
    "outgoing denied": (f"ufw default deny outgoing\n{FIXED}", EVERYTHING),
    "its own rules": (
        "sed -i '/^COMMIT/i -A ufw-before-forward -i lxc+ -j ACCEPT' /etc/ufw/before.rules\nufw --force enable\n",
        {"LEAVE"},
    ),
    "its defaults": (
        'sed -i \'s/DEFAULT_FORWARD_POLICY="DROP"/DEFAULT_FORWARD_POLICY="ACCEPT"/\' /etc/default/ufw\n'
        "ufw --force enable\n",
        {"LEAVE", "REACH"},
    ),
    "iptables beside it": (
        "ufw --force enable\niptables -I FORWARD -i lxc+ -j ACCEPT\niptables -I INPUT -s 10.1.0.0/24 -j ACCEPT\n",
        {"LEAVE", "TO_NODE"},
    ),
    "iptables' policy": ("iptables -P FORWARD DROP\n", {"TO_NODE"}),
    "iptables after ufw": ("ufw --force enable\niptables -P FORWARD ACCEPT\n", {"LEAVE", "REACH"}),
    "nftables": (NFT, {"LEAVE", "TO_NODE"}),
    "nftables beside ufw": (f"{FIXED}{NFT}", {"LEAVE", "TO_NODE"}),
}


@pytest.mark.parametrize("name", FIREWALLS)
def test_which_ways_are_open(tools: Tools, tmp_path: Path, name: str) -> None:
    tools.need_root()
    for program in ("ufw", "iptables", "nft", "ip", "unshare"):
        tools.path(program)
    script, expected = FIREWALLS[name]
    firewall = tmp_path / "firewall.sh"
    firewall.write_text(script, encoding="utf-8")
    alone: list[str | Path] = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    ran = subprocess.run(
        [*alone, "sh", LAB, firewall, tmp_path], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode in (0, 1), ran.stderr
    assert set(ran.stdout.split()) == expected, ran.stderr
    assert said(script) == expected


def said(script: str) -> set[str]:
    """What we say of the same firewall."""
    read = unpack(f"#!/bin/sh\n{script}".encode(), Place("firewall.sh"), name="firewall.sh")
    found = runs(steps_in(read.timeline))
    assert found is not None
    (run,) = found
    pods = Pods(RANGE)
    ways = (Way.LEAVE, Way.REACH, Way.TO_NODE)
    return {way.name for way in ways if all(lets(each, Need(way, RANGE), pods) for each in run.firewall.closed())}


COMMANDS = """enable
--force enable
disable
reload
reload now
reset
status verbose
default deny
default deny incoming
default allow routed
default allow forward
default deny sideways
default drop routed
logging medium
logging loud
allow 22
allow 22/tcp
allow 22/icmp
allow 70000
allow 22,80
allow 22,80/tcp
allow 6000:6007/tcp
allow 6007:6000/tcp
allow OpenSSH
allow in
allow in 22
allow out 53
allow out to 10.0.0.0/8
allow from 10.0.0.0/8
allow from any
allow from 10.0.0.0/33
allow from example.com
allow from 10.0.0.0/8 to any port 22 proto tcp
allow from 10.0.0.0/8 port 22
allow proto tcp to any port 80,443
allow proto tcp from any
allow proto sctp from any
allow to any port 22 to any
allow from 10.0.0.0/8 to fd00::/8
allow port 22
allow on eno1
allow in on eno1
allow in on lxc+
allow in on lxc*
allow in on eno1:1
allow in on averylongnamebyfar
allow in on eno1 to any port 22
allow in on eno1 22
allow in on lxc+ from 10.0.0.0/8 comment pods
allow in on eno1 out on eno2
allow 22/tcp comment
allow log 22/tcp
allow 22 log
limit 22/tcp
reject from 10.0.0.1
permit 22
prepend deny from 10.0.0.1
insert 0 allow 22
route allow in on lxc+ out on eno1
route allow out on eno1 in on lxc+
route allow in on lxc+
route allow in lxc+ out eno1
route allow from 10.0.0.0/8
route allow to 10.0.0.0/8 port 80 proto tcp
route allow in on lxc+ out on eno1 to any port 53 proto udp
route deny in on lxc+ from 10.0.0.0/8 out on eno1
route delete 1
route
delete
open 22
""".splitlines()


# Also `--dry-run reset` leaves copies of its files behind.
ON_A_COPY = 'cp -a /etc/ufw "$0" && mount --bind "$0" /etc/ufw && exec "$@"'


def test_what_ufw_refuses_we_refuse(tools: Tools, tmp_path: Path) -> None:
    tools.need_root()
    ufw: list[str | Path] = [tools.path("ufw"), "--dry-run"]
    alone = ["unshare", "--mount", "sh", "-c", ON_A_COPY, tmp_path / "ufw", *ufw]
    differing = [line for line in COMMANDS if _refuses(alone if line == "reset" else ufw, line) is not _refused(line)]
    assert differing == []


def _refuses(ufw: Sequence[str | Path], line: str) -> bool:
    ran = subprocess.run(
        [*ufw, *line.split()],
        env={**os.environ, "LC_ALL": "C"},
        input="y\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return ran.returncode != 0


def _refused(line: str) -> bool:
    return ufw_command([Text.of(word) for word in line.split()]).does is Does.REFUSED
