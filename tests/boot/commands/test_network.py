"""Firewalls, routes and mounts."""

from __future__ import annotations

import pytest

from nodeworthy.boot.commands.mounts import fstab_mounts
from nodeworthy.boot.effects import Mounts, Opens, Runs
from tests.boot.commands.calls import PLACE, content, ran, text


@pytest.mark.parametrize(
    "line",
    [
        "ufw allow 10250/tcp",
        "ufw --force enable",
        "ufw default deny incoming",
        "ufw disable",
        "iptables -A INPUT -p tcp --dport 10250 -j ACCEPT",
        "iptables -P FORWARD DROP",
        "iptables -F",
        "ip6tables -I INPUT -j DROP",
        "nft add rule inet filter input tcp dport ${PORT} accept",
        "nft -f /etc/nftables.conf",
        "firewall-cmd --permanent --add-port=10250/tcp",
        "firewall-cmd --reload",
        "ip route add 10.0.0.0/8 via 10.1.0.1 dev eth0",
        "ip -4 route replace default via ${GATEWAY}",
        "ip rule add from 10.0.0.1 table 100",
        "route add default gw 10.0.0.1",
    ],
)
def test_rules_of_firewalls_and_routes(line: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Opens)
    assert [effect.tool, *(argument.shown() for argument in effect.arguments)] == line.split()


@pytest.mark.parametrize(
    "line",
    [
        "ufw status verbose",
        "iptables -L -n",
        "iptables -C INPUT -j ACCEPT",
        "iptables-save",
        "nft list ruleset",
        "firewall-cmd --state",
        "firewall-cmd --list-all",
        "ip route show",
        "ip -o -4 addr show",
        "ip addr",
        "route",
    ],
)
def test_what_only_asks(line: str) -> None:
    assert ran(line).effects == ()


@pytest.mark.parametrize("line", ["ip link set eth0 mtu 9001", "ip addr add 10.0.0.1/24 dev eth0"])
def test_addresses_are_no_routes(line: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Runs)


def test_restored_rules_are_what_is_read() -> None:
    (effect,) = ran("iptables-restore", stdin="*filter\n:INPUT DROP [0:0]\nCOMMIT\n").effects
    assert isinstance(effect, Opens)
    assert [argument.known for argument in effect.arguments] == ["*filter", ":INPUT DROP [0:0]", "COMMIT"]
    (unread,) = ran("iptables-restore /etc/rules.v4").effects
    assert isinstance(unread, Opens)
    assert [argument.known for argument in unread.arguments] == ["/etc/rules.v4"]


def mounted(line: str, fstab: str | None = None) -> list[tuple[str, ...]]:
    files = {} if fstab is None else {"/etc/fstab": fstab}
    return [
        tuple(each.shown() for each in (effect.what, effect.where, effect.kind, effect.options))
        for effect in ran(line, files=files).effects
        if isinstance(effect, Mounts)
    ]


FSTAB = """# shared storage
fs-0123:/ /mnt/efs efs _netdev,tls,nofail 0 0
10.0.0.1:/data  /data nfs4 noauto,ro
LABEL=scratch\t/scratch xfs
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mount -t efs -o tls,_netdev fs-1:/ /mnt/efs", [("fs-1:/", "/mnt/efs", "efs", "tls,_netdev")]),
        ("mount -t nfs4 -o nfsvers=4.1 -o hard ${IP}:/ /mnt", [("${IP}:/", "/mnt", "nfs4", "nfsvers=4.1,hard")]),
        ("mount /dev/nvme1n1 /data", [("/dev/nvme1n1", "/data", "", "defaults")]),
        ("mount -L scratch /scratch", [("scratch", "/scratch", "", "defaults")]),
        ("mount --bind /a /b", [("/a", "/b", "", "bind")]),
        ("mount -o remount,rw /", []),
        ("mount --make-rshared /", []),
        ("mount", []),
        ("mount.efs fs-1:/ /mnt/efs -o tls", [("fs-1:/", "/mnt/efs", "efs", "tls")]),
        ("systemd-mount --type=nfs 10.0.0.1:/x /mnt/x", [("10.0.0.1:/x", "/mnt/x", "nfs", "defaults")]),
        ("systemd-mount /dev/sdb", [("/dev/sdb", "/run/media/…", "", "defaults")]),
        ("umount /mnt", []),
    ],
)
def test_mounts(line: str, expected: list[tuple[str, ...]]) -> None:
    assert mounted(line) == expected


def test_all_of_fstab_is_mounted_but_what_says_noauto() -> None:
    assert mounted("mount -a", FSTAB) == [
        ("fs-0123:/", "/mnt/efs", "efs", "_netdev,tls,nofail"),
        ("LABEL=scratch", "/scratch", "xfs", "defaults"),
    ]
    assert mounted("mount -a") == []


def test_one_end_is_enough_where_fstab_says_the_other() -> None:
    assert mounted("mount /data", FSTAB) == [("10.0.0.1:/data", "/data", "nfs4", "noauto,ro")]
    assert mounted("mount /data") == [("…", "/data", "…", "…")]


def test_lines_of_fstab() -> None:
    entries = list(fstab_mounts(content("${EFS}:/ /mnt/${NAME} efs _netdev,${OPTIONS} 0 0\n# x y\n\nalone\n${LINE}\n")))
    (entry,) = entries
    assert entry.what == text("${EFS}:/")
    assert entry.where == text("/mnt/${NAME}")
    assert entry.options == text("_netdev,${OPTIONS}")
    assert entry.place == PLACE
