"""Ways to set up firewalld, and which ways packets go then: through firewalld 1.3, with either backend.

The uplink is eno1, lxc1234 leads to a pod in 10.1.0.0/24, and all others are in 192.0.2.0/24.
"""

from __future__ import annotations

PERMANENT = "firewall-cmd --permanent"
RELOAD = "firewall-cmd --reload\n"
UPLINK = f"{PERMANENT} --zone=public --add-interface=eno1\n"
TRUSTED = f"{UPLINK}{PERMANENT} --zone=trusted --add-source=10.1.0.0/16\n"
POLICY = f"""{UPLINK}{PERMANENT} --zone=trusted --add-interface=lxc+
{PERMANENT} --new-policy=pods
{PERMANENT} --policy=pods --set-target=ACCEPT
{PERMANENT} --policy=pods --add-ingress-zone=ANY
{PERMANENT} --policy=pods --add-egress-zone=trusted
"""
RICH = f"""{TRUSTED}{PERMANENT} --new-policy=in
{PERMANENT} --policy=in --add-ingress-zone=public
{PERMANENT} --policy=in --add-egress-zone=trusted
{PERMANENT} --policy=in --add-rich-rule='rule family=ipv4 destination address=10.1.0.0/16 accept'
"""
EVERYTHING = {"LEAVE", "REACH", "TO_NODE"}
FIREWALLDS: dict[str, tuple[str, set[str]]] = {
    "uplink in a zone": (f"{UPLINK}{RELOAD}", {"LEAVE"}),
    "uplink in a zone, for now": ("firewall-cmd --zone=public --add-interface=eno1\n", {"LEAVE"}),
    "pods' range trusted": (f"{TRUSTED}{RELOAD}", {"LEAVE", "TO_NODE"}),
    "pods' range trusted, and not loaded": (f"firewall-cmd --zone=public --add-interface=eno1\n{TRUSTED}", {"LEAVE"}),
    "pods' interfaces trusted": (
        f"{UPLINK}{PERMANENT} --zone=trusted --add-interface=lxc+\n{RELOAD}",
        {"LEAVE", "TO_NODE"},
    ),
    "masquerade": (f"{UPLINK}{PERMANENT} --zone=public --add-masquerade\n{RELOAD}", {"LEAVE"}),
    "nothing within a zone": (f"{TRUSTED}{PERMANENT} --zone=public --remove-forward\n{RELOAD}", {"LEAVE", "TO_NODE"}),
    "everybody trusted": ("firewall-cmd --set-default-zone=trusted\n", EVERYTHING),
    "uplink trusted": (
        f"{PERMANENT} --zone=trusted --add-source=10.1.0.0/16\n{PERMANENT} --zone=trusted --add-interface=eno1\n{RELOAD}",
        EVERYTHING,
    ),
    "the default zone accepts": (f"{UPLINK}{PERMANENT} --zone=public --set-target=ACCEPT\n{RELOAD}", EVERYTHING),
    "the default zone drops": (f"{TRUSTED}{PERMANENT} --zone=public --set-target=DROP\n{RELOAD}", {"LEAVE", "TO_NODE"}),
    "a policy": (f"{POLICY}{RELOAD}", EVERYTHING),
    "a rich rule in a policy": (f"{RICH}{RELOAD}", EVERYTHING),
    "a rich rule in a zone": (
        f"{UPLINK}{PERMANENT} --zone=public --add-rich-rule='rule family=ipv4 source address=10.1.0.0/16 accept'\n{RELOAD}",
        {"LEAVE", "TO_NODE"},
    ),
    "a rich rule that drops": (
        f"{TRUSTED}{PERMANENT} --zone=trusted --add-rich-rule='rule family=ipv4 source address=10.1.0.0/16 drop'\n{RELOAD}",
        {"LEAVE"},
    ),
    "a rich rule about a port": (
        f"{TRUSTED}{PERMANENT} --zone=trusted --add-rich-rule='rule family=ipv4 port port=25 protocol=tcp reject'\n{RELOAD}",
        {"LEAVE", "TO_NODE"},
    ),
    "panic": (f"{POLICY}{RELOAD}firewall-cmd --panic-on\n", set()),
}
