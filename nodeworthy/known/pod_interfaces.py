"""The host's end of pods' networks: the table of `pod_interfaces.toml`, typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

# What stands for the name where nobody knows the network.
POD_INTERFACE = "POD_INTERFACE"


@dataclass(frozen=True)
class Cni:
    """A network of pods, and the interfaces on the host that are its own. `lxc+` is every name that begins so."""

    key: str
    pods: tuple[str, ...]
    own: tuple[str, ...]
    # It lets its pods' traffic be forwarded by rules of its own.
    forwards: bool = False
    # These rules stand before those of a firewall; else what that says no to is gone before.
    in_front: bool = False
    # It lets in what its pods send to the node itself, too.
    lets_in: bool = False
    # The chain in which it does so by marks on packets, where nobody but itself can follow it.
    chain: str = ""
    # How its comments begin, on rules of its own in the kernel's chains.
    comment: str = ""
    # Chains that ask its own policies about one pod each, and come back for those that they let through.
    asking: tuple[str, ...] = ()
    # Those of `own` by which pods of other nodes come, in packets of the nodes.
    overlays: tuple[str, ...] = ()
    # A table of nftables that is its own, in which it marks and drops by its policies.
    table: str = ""

    def is_named_by(self, written: str) -> bool:
        """Whether what a rule says of an interface holds all by which its pods' traffic comes."""
        return any(holds(written, each) for each in self.pods)


def holds(written: str, other: str) -> bool:
    """Whether every interface that is meant by the one is meant by the other."""
    if not written.endswith("+"):
        return written == other
    return other.removesuffix("+").startswith(written[:-1])


@cache
def _table() -> Mapping[str, Any]:
    return table_of("pod_interfaces")


@cache
def cnis() -> tuple[Cni, ...]:
    return tuple(_cni(key, row) for key, row in _table()["cni"].items())


def _cni(key: str, row: Mapping[str, Any]) -> Cni:
    lists: dict[str, Any] = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    names = ("forwards", "in_front", "lets_in", "chain", "comment", "table")
    told: dict[str, Any] = {name: row[name] for name in names if name in row}
    return Cni(key, **lists, **told)


def network(key: str) -> Cni:
    return next(each for each in cnis() if each.key == key)


def wants_it_off(distribution: str, firewall: str) -> bool:
    """Whether its own pages ask for this firewall (`firewalld`, `ufw`) to be off."""
    return distribution in _table().get(firewall, {}).get("unwanted", ())


def networks_of_distribution(distribution: str) -> tuple[Cni, ...]:
    """The networks that a distribution brings by itself; none where it leaves that to its users."""
    named = _table()["distribution"].get(distribution, ())
    return tuple(each for each in cnis() if each.key in named)


def there(names: Iterable[str]) -> tuple[Cni, ...]:
    """The networks that a node has, by its interfaces: by pods' own, else by those that a network makes."""
    # Docker makes these, too.
    telling = [each for each in names if not each.startswith("veth")]
    ends = tuple(cni for cni in cnis() if any(holds(pods, each) for pods in cni.pods for each in telling))
    return ends or tuple(cni for cni in cnis() if set(cni.own) & set(telling))


def network_of(chain: str) -> Cni | None:
    """The network whose own chain this is, in which nobody else can follow a packet."""
    return next((each for each in cnis() if chain and chain in (each.chain, *each.asking)), None)


def network_with_table(name: str) -> Cni | None:
    """The network whose own table of nftables this is: `ip calico`."""
    return next((each for each in cnis() if each.table and each.table == name.rpartition(" ")[2]), None)


def commenting(comment: str) -> Cni | None:
    """The network that begins its comments so."""
    return next((each for each in cnis() if each.comment and comment.startswith(each.comment)), None)


def distribution_of(how: str) -> str:
    """The distribution whose way of joining this is. Empty where it is that of several."""
    return str(_table()["joined"].get(how, ""))


def networks_named_in(written: str) -> tuple[Cni, ...]:
    """The networks whose pods' interfaces a rule names."""
    return tuple(each for each in cnis() if each.is_named_by(written))


def is_one_pods(written: str) -> Cni | None:
    """The network of which this is the interface of one pod, or the prefix without what makes it one: `lxc`."""
    if written.endswith("+"):
        return None
    prefixes = ((each, pods[:-1]) for each in cnis() for pods in each.pods if pods.endswith("+"))
    return next((cni for cni, prefix in prefixes if written.startswith(prefix)), None)


def is_pods(name: str) -> bool:
    """Whether an interface of a node is the end of a pod's network."""
    return bool(name) and any(holds(pods, name) for cni in cnis() for pods in cni.pods)


def is_uplink(written: str) -> bool:
    """Whether it looks like an interface that leads out of the machine."""
    row = _table()["uplink"]
    return written.startswith(tuple(row["prefixes"])) and not written.startswith(tuple(row["but"]))


def is_a_networks_own(written: str) -> bool:
    """An interface that some network makes for itself, pods' aside."""
    return any(holds(written, own) for each in cnis() for own in each.own)


def first_of(networks: Iterable[Cni]) -> str:
    """How a rule names the interfaces of the likeliest of these; where none is known, nobody can name them."""
    return next((each.pods[0] for each in networks), POD_INTERFACE)
