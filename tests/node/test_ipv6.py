"""IPv6's packets pass tables of their own: what these keep from pods is kept back like IPv4's."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part
from .test_containerd import of

EGRESS, WIDER = "pod-egress-forwarded", "firewall-no-wider"
# Pods behind Cilium, and ufw with all that they need of IPv4.
NODE = load(whole(f"{EGRESS}/good-node-four-rules") / "node.json")
UPLINK = next(line.split()[1] for line in NODE.by_name["links"].stdout.splitlines() if line.startswith("default"))
DEFAULT = f"default {UPLINK} 00000400"
NONE = "0" * 32
OPEN = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n"
CLOSED = OPEN.replace("FORWARD ACCEPT", "FORWARD DROP")
NFT = "table ip6 site {\n\tchain forward {\n\t\ttype filter hook forward priority filter; policy drop;\n\t}\n}\n"

FOUR = "\t\tmeta nfproto ipv4 accept\n"
BOTH = NFT.replace("ip6", "inet").replace("policy drop;\n", f"policy drop;\n{FOUR}\t\tip6 saddr fd00:9::/64 accept\n")
OPEN_TO_BOTH = BOTH.replace("\t}\n}", "\t\tip6 saddr fd00:10::/64 accept\n\t\tip6 daddr fd00:10::/64 accept\n\t}\n}")


def route(network: str, length: int, interface: str = "cilium_host") -> str:
    return f"route {interface} {network} {NONE} {length:02x}"


PODS = "\n".join((DEFAULT, route("fd00001000000000" + "0" * 16, 64), route("fe80" + "0" * 28, 64)))
LINK_LOCAL = "\n".join((DEFAULT, route("fe80" + "0" * 28, 64)))


def asked(links: str, tables: str, nft: str | None = None) -> Recording:
    shown = but(NODE, part("links6", links), part("ip6tables", tables))
    return shown if nft is None else but(shown, part("nft", nft))


@pytest.mark.parametrize(
    ("links", "tables", "nft", "verdict"),
    [
        (PODS, OPEN, None, Verdict.PASS),
        (PODS, CLOSED, None, Verdict.FAIL),
        # Pods without an address of IPv6 send none.
        (LINK_LOCAL, CLOSED, None, Verdict.PASS),
        (PODS, OPEN, NFT, Verdict.FAIL),
        (PODS, OPEN, NFT.replace("policy drop", "policy accept"), Verdict.PASS),
        # A table of both is asked of both.
        (PODS, OPEN, BOTH, Verdict.FAIL),
        (LINK_LOCAL, OPEN, BOTH, Verdict.PASS),
        (PODS, OPEN, BOTH.replace(FOUR, ""), Verdict.FAIL),
        (PODS, OPEN, BOTH.replace(FOUR, FOUR + FOUR.replace("ipv4", "ipv6")), Verdict.PASS),
        (PODS, OPEN, OPEN_TO_BOTH, Verdict.PASS),
        (PODS, OPEN.replace("COMMIT", ""), None, Verdict.UNKNOWN),
        (LINK_LOCAL, OPEN.replace("COMMIT", ""), None, Verdict.PASS),
    ],
)
def test_pods_that_have_it_are_let_through(links: str, tables: str, nft: str | None, verdict: Verdict) -> None:
    assert of(asked(links, tables, nft), EGRESS).verdict is verdict


def test_it_says_whose_packets_and_which_program() -> None:
    [found] = of(asked(PODS, CLOSED), EGRESS).findings
    assert found.message.endswith("(IPv6)")
    assert "ip6tables" in (found.remedy or "")


def test_a_rule_for_everybody_is_told_of_it_too_and_once_where_ufw_wrote_it_for_both() -> None:
    wide = load(whole(f"{WIDER}/bad-node-from-anywhere") / "node.json").by_name["iptables"].stdout
    [found] = of(asked(LINK_LOCAL, wide.replace("ufw-", "ufw6-")), WIDER).findings
    assert found.message == "this rule lets everything through: everybody reaches every port of the node (IPv6)"
    both = but(asked(LINK_LOCAL, wide.replace("ufw-", "ufw6-")), part("iptables", wide))
    assert len(of(both, WIDER).findings) == 1
    # Nobody comes by IPv6 to where no route of it leads out.
    assert of(asked(LINK_LOCAL.removeprefix(DEFAULT), wide), WIDER).verdict is Verdict.PASS


def test_what_ufw_keeps_back_of_both_is_told_once() -> None:
    closed = load(whole(f"{EGRESS}/bad-node-incident") / "node.json")
    saved = closed.by_name["iptables"].stdout.replace("ufw-", "ufw6-")
    alone = of(closed, EGRESS).findings
    both = of(but(closed, part("links6", PODS), part("ip6tables", saved)), EGRESS).findings
    assert [each.message for each in both] == [each.message for each in alone]
