"""Firewalls of nftables as programs and people write them, and which ways packets really go through them."""

from __future__ import annotations

BOTH = {"LEAVE", "REACH"}
# What firewalld 1.3 loads, with the uplink in the zone public; {pods} is where pods' interfaces are said to be.
_FIREWALLD = """
table inet firewalld {{
  chain filter_FORWARD {{
    type filter hook forward priority filter + 10; policy accept;
    ct state {{ established, related }} accept
    ct status dnat accept
    iifname "lo" accept
    ct state invalid drop
    ip6 daddr {{ ::/96, ::ffff:0.0.0.0/96, 2002::/24 }} reject with icmpv6 type addr-unreachable
    jump filter_FORWARD_ZONES
    reject with icmpx type admin-prohibited
  }}
  chain filter_FORWARD_ZONES {{
    {pods}
    iifname "eno1" goto filter_FWD_public
    goto filter_FWD_public
  }}
  chain filter_FORWARD_POLICIES_pre {{
    {policy}
  }}
  chain filter_FWD_public {{
    jump filter_FORWARD_POLICIES_pre
    jump filter_FWD_public_allow
    reject with icmpx type admin-prohibited
  }}
  chain filter_FWD_public_allow {{
    oifname "eno1" accept
  }}
  chain filter_FWD_trusted {{
    jump filter_FORWARD_POLICIES_pre
    accept
  }}
  chain filter_FWD_pods {{
    accept
  }}
}}
"""
_TRUSTED = 'iifname "lxc*" goto filter_FWD_trusted'
_KUBE_PROXY = """
table ip kube-proxy {
  set cluster-ips { type ipv4_addr; elements = { 10.96.0.1, 10.96.0.10 } }
  map no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict
    elements = { 10.96.0.10 . udp . 53 : goto reject-chain } }
  chain reject-chain { reject
  }
  chain filter-forward { type filter hook forward priority -110; policy accept;
    ct state new jump service-endpoints-check
    ct state new jump cluster-ips-check
  }
  chain service-endpoints-check { ip daddr . meta l4proto . th dport vmap @no-endpoint-services
  }
  chain cluster-ips-check { ip daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"
    ip daddr 10.96.0.0/12 drop comment "Drop traffic to unallocated ClusterIPs"
  }
}
"""


def _table(forward: str, policy: str = "drop", more: str = "") -> str:
    hook = f"type filter hook forward priority 0; policy {policy};"
    return f"table inet filter {{\n{more}\nchain forward {{\n{hook}\nct state established,related accept\n{forward}\n}}\n}}\n"


def _chain(name: str, rules: str) -> str:
    return f"chain {name} {{\n{rules}\n}}"


_PODS = 'set pods { type ifname; flags interval; auto-merge; elements = { "lxc*" } }'

# The ruleset, and the ways that are open.
FIREWALLS: dict[str, tuple[str, set[str]]] = {
    "firewalld, uplink alone": (_FIREWALLD.format(pods="", policy=""), {"LEAVE"}),
    "firewalld without forwarding in the zone": (
        _FIREWALLD.format(pods="", policy="").replace('oifname "eno1" accept', ""),
        set(),
    ),
    "firewalld, pods trusted": (_FIREWALLD.format(pods=_TRUSTED, policy=""), {"LEAVE"}),
    "firewalld, pods' range trusted": (
        _FIREWALLD.format(pods="ip saddr 10.1.0.0/16 goto filter_FWD_trusted", policy=""),
        {"LEAVE"},
    ),
    "firewalld, a policy to pods": (
        _FIREWALLD.format(pods=_TRUSTED, policy='oifname "lxc*" goto filter_FWD_pods'),
        BOTH,
    ),
    "kube-proxy": (_KUBE_PROXY, BOTH),
    "kube-proxy beside one that drops": (_KUBE_PROXY + _table('iifname "lxc*" accept'), {"LEAVE"}),
    "jump and come back": (_table("jump a\naccept", more=_chain("a", 'iifname "eno1" drop')), {"LEAVE"}),
    "goto and not come back": (_table("goto a\naccept", more=_chain("a", 'iifname "lxc*" accept')), {"LEAVE"}),
    "goto of some": (_table('iifname "eno1" goto a\naccept', more=_chain("a", 'oifname "lo" accept')), {"LEAVE"}),
    "return of some": (_table("jump a", more=_chain("a", 'iifname "eno1" return\naccept')), {"LEAVE"}),
    "return of all others": (_table("jump a", more=_chain("a", 'iifname != "lxc*" return\naccept')), {"LEAVE"}),
    "return of all": (_table("jump a", more=_chain("a", "return\naccept")), set()),
    "return, and then dropped": (
        _table("jump a", "accept", _chain("a", 'iifname "lxc*" oifname "eno1" return\ndrop')),
        {"LEAVE"},
    ),
    "a drop where all else may pass": (_table('iifname "lxc*" drop', "accept"), {"REACH"}),
    "a port dropped where all else may pass": (_table('iifname "lxc*" tcp dport 25 drop', "accept"), BOTH),
    "verdicts by interface": (
        _table(
            'iifname vmap { "lxc*" : jump a, "eno1" : goto b }',
            more=f"{_chain('a', 'drop')}\n{_chain('b', 'oifname lxc* accept')}",
        ),
        {"REACH"},
    ),
    "verdicts by state": (
        _table("ct state vmap { established : accept, invalid : drop, new : jump a }", more=_chain("a", "accept")),
        BOTH,
    ),
    "a set of interfaces": (_table("iifname @pods accept", more=_PODS), {"LEAVE"}),
    "not in a set": (_table("iifname != @pods accept", more=_PODS), {"REACH"}),
    "a pair of interfaces": (_table('iifname . oifname { "eno1" . "lo", "lxc*" . "eno1" } accept'), {"LEAVE"}),
    "not from outside": (_table('iifname != "eno1" accept'), {"LEAVE"}),
    "a set of ranges": (
        _table(
            "ip daddr @pods accept",
            more="set pods { type ipv4_addr; flags interval; elements = { 10.1.0.0/16, 203.0.113.0/24 } }",
        ),
        {"REACH"},
    ),
    "a span of addresses": (_table("ip saddr 10.1.0.0-10.1.255.255 accept"), {"LEAVE"}),
    "all but a range": (_table("ip saddr != 10.1.0.0/16 accept"), {"REACH"}),
    "all but one protocol": (_table("meta l4proto != tcp accept"), BOTH),
    "other tables' hooks": (
        "table inet raw { chain x { type filter hook prerouting priority -300; policy accept;\n}\n}\n"
        "table ip6 filter { chain forward { type filter hook forward priority 0; policy drop;\n}\n}\n",
        BOTH,
    ),
    "two chains, and both are passed": (
        _table('iifname "lxc*" accept')
        + _table("accept").replace("priority 0", "priority 10").replace("filter {", "b {", 1),
        {"LEAVE"},
    ),
}


def _hung(hook: str, rules: str, policy: str = "accept", table: str = "inet t") -> str:
    answers = "" if "device" in hook else "ct state established,related accept"
    return f"table {table} {{\nchain c {{\ntype filter hook {hook}; policy {policy};\n{answers}\n{rules}\n}}\n}}\n"


_ALL = {"LEAVE", "REACH", "TO_NODE"}
# Chains that hang in other hooks than forward, which a packet passes as well.
HOOKS: dict[str, tuple[str, set[str]]] = {
    "pods dropped before routing": (_hung("prerouting priority mangle", 'iifname "lxc*" drop'), {"REACH"}),
    "pods' range dropped before routing": (_hung("prerouting priority mangle", "ip saddr 10.1.0.0/16 drop"), {"REACH"}),
    "what comes for pods dropped before routing": (
        _hung("prerouting priority mangle", 'iifname "eno1" ip daddr 10.1.0.0/16 drop'),
        {"LEAVE", "TO_NODE"},
    ),
    "what leaves dropped behind routing": (
        _hung("postrouting priority 0", 'oifname "eno1" ip saddr 10.1.0.0/16 drop'),
        {"REACH", "TO_NODE"},
    ),
    "the node closed": (
        _hung("input priority 0", 'iifname "lo" accept\ntcp dport 22 accept', "drop"),
        {"LEAVE", "REACH"},
    ),
    "the node closed to pods": (_hung("input priority 0", 'iifname "lxc*" drop'), {"LEAVE", "REACH"}),
    "the node closed, and open to pods": (_hung("input priority 0", 'iifname { "lo", "lxc*" } accept', "drop"), _ALL),
    "the node closed, and open to their range": (_hung("input priority 0", "ip saddr 10.0.0.0/8 accept", "drop"), _ALL),
    "no packet that is nobody's": (
        _hung("input priority 0", "ct state invalid drop")
        + _hung("forward priority 0", "ct state invalid drop", table="ip u"),
        _ALL,
    ),
    "a set of the type of an address": (
        "table inet t {\nset pods { typeof ip saddr; flags interval; elements = { 10.0.0.0/8 }; }\n}\n"
        + _hung(
            "forward priority 0", "ct state established accept\nip saddr @pods accept\nip daddr @pods accept", "drop"
        ),
        _ALL,
    ),
}
SENT_THROUGH = ("what comes for pods dropped before routing", "a set of the type of an address")
