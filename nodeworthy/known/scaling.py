"""What keeps a pool of nodes from growing, and what nodes wait for before they take pods: the tables of
`scaling.toml` and `startup_taints.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from nodeworthy.known.instances import cpus_of, gpus_of, is_a_part_of_one, most_gpus_of
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# As Karpenter's releases write it: `nodepool: "gpu"`, `nodepool "gpu"`, `(NodePool=gpu)`.
_POOL = pattern(r"""nodepool[:= ]{1,2}["']?(?P<name>[a-z0-9][a-z0-9.-]{0,252})""", re.IGNORECASE)
_POOLS = pattern(r"incompatible with (?:nodepool|provisioner)", re.IGNORECASE)
# What Karpenter was asked for, and of which machines it may choose.
_ASKED = pattern(r'"nvidia\.com/gpu":"(?P<count>\d{1,4})"')
_TYPES = pattern(r"node\.kubernetes\.io/instance-type In \[(?P<names>[a-z0-9. -]{1,2000})\]")
_FAMILIES = pattern(r"karpenter\.k8s\.aws/instance-family In \[(?P<names>[a-z0-9 -]{1,500})\]")
# The extended resources that Karpenter counts on a machine before it is a node: what clouds tell of their types.
_COUNTED = frozenset(
    (
        *("nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "habana.ai/gaudi"),
        *("vpc.amazonaws.com/pod-eni", "vpc.amazonaws.com/efa", "vpc.amazonaws.com/PrivateIPv4Address"),
    )
)
_REQUESTED = pattern(r"resources[ =]\{(?P<amounts>[^{}]{1,2000})\}")
_EXTENDED = pattern(r'"(?P<name>[a-z0-9.-]{1,253}/[A-Za-z0-9._-]{1,63})":')
_DISK = pattern(r'"ephemeral-storage":"(?P<amount>\d{1,9}(?:[KMGT]i?)?)"')
_CPU, _MEMORY = (
    pattern(r'"cpu":"(?P<amount>\d{1,7})(?P<milli>m?)"'),
    pattern(r'"memory":"(?P<amount>\d{1,12}[KMGT]?i?)"'),
)
_BESIDE = pattern(r"daemonset overhead=\{(?P<amounts>[^{}]{1,500})\}")
# Karpenter before 0.34, whose pools were called Provisioners until 0.32, does not count EFA's interfaces.
_OF_OLD, _EFA = "incompatible with provisioner", "vpc.amazonaws.com/efa"


@dataclass(frozen=True)
class Obstacle:
    """Why no node is started, and what changes that."""

    remedy: str
    # More nodes are forbidden by their owner.
    is_final: bool


@cache
def _rows() -> Sequence[tuple[re.Pattern[str], Mapping[str, Any]]]:
    return [(re.compile(row["words"], re.IGNORECASE), row) for row in table_of("scaling")["obstacle"]]


def obstacle_in(words: str) -> Obstacle | None:
    """What is final, else what the words say alone: of several pools each may have a reason of its own."""
    if uncounted := uncounted_by_karpenter(words):
        return Obstacle(_of_uncounted(uncounted), True)
    counted = _of_counts(words) if len(_POOLS.findall(words)) < 2 else None
    if counted is not None:
        return Obstacle(counted.format(pool=_pool_in(words)), True)
    found = [row for expression, row in _rows() if expression.search(words)]
    row = next((each for each in found if each.get("final")), found[0] if len(found) == 1 else None)
    if row is None:
        return None
    more = _of_the_disk(words) or _of_memory(words)
    return Obstacle(row["remedy"].format(pool=_pool_in(words)) + more, bool(row.get("final")))


def _of_the_disk(words: str) -> str:
    """What is to be looked at where a pod asks for a part of the node's disk, and no machine is enough for it."""
    found = _DISK.search(words.partition("no instance type")[2])
    if found is None:
        return ""
    return (
        f", or ask for less ephemeral-storage than {found['amount']}: the disk of its nodes must have more than that "
        "(blockDeviceMappings of the node class; 20 GB where it says nothing), for kubelet keeps a part of it"
    )


def _of_memory(words: str) -> str:
    """Where the types that are allowed have the CPUs and the GPUs (which is asked before), memory is what they lack."""
    requested, named = _REQUESTED.search(words.partition("no instance type")[2]), _TYPES.search(words)
    if requested is None or named is None:
        return ""
    cpu, memory = _CPU.search(requested["amounts"]), _MEMORY.search(requested["amounts"])
    types = named["names"].split()
    most = [count for each in types if (count := cpus_of(each)) is not None]
    if cpu is None or memory is None or len(most) < len(types):
        return ""
    if int(cpu["amount"]) / (1000 if cpu["milli"] else 1) > 0.9 * max(most):
        return ""
    beside = _BESIDE.search(words)
    theirs = _MEMORY.search(beside["amounts"]) if beside is not None else None
    of_them = f", {theirs['amount']} of it for DaemonSets" if theirs is not None else ""
    return (
        f"; {', '.join(types[:_SHOWN])} has the CPUs, so it is the memory ({memory['amount']}{of_them}; kubelet and "
        "the system keep a part of the machine's) or the number of pods: ask for less, or allow a larger type"
    )


def uncounted_by_karpenter(words: str) -> Sequence[str]:
    """What a pod asks for that Karpenter counts on no machine, where it says that none has what is asked for."""
    found = _REQUESTED.search(words.partition("no instance type")[2])
    asked = _EXTENDED.findall(found["amounts"]) if found is not None else ()
    counts = _COUNTED - {_EFA} if _OF_OLD in words else _COUNTED
    return list(dict.fromkeys(each for each in asked if each not in counts))


def _of_uncounted(names: Sequence[str]) -> str:
    if _EFA in names:
        return f"update Karpenter to 0.34 or newer, which counts {_EFA}; or start such nodes by a node group"
    return (
        f"let the pods ask for what Karpenter counts (nvidia.com/gpu), tell it of {', '.join(names[:_SHOWN])} by the "
        "capacity of a NodeOverlay (Karpenter 1.7 and newer), or start such nodes by a node group: of a machine that "
        "is no node yet it knows no other resources than its cloud tells"
    )


def _of_counts(words: str) -> str | None:
    """What changes that no machine of those that the pool may choose has so many GPUs."""
    asked = _ASKED.search(words.partition("no instance type")[2] or words)
    if asked is None or "no instance type" not in words:
        return None
    types, families = _TYPES.search(words), _FAMILIES.search(words)
    named = (types or families or {"names": ""})["names"].split()
    if named and all(map(is_a_part_of_one, named)):
        return _OF_PARTS.format(names=", ".join(named[:_SHOWN]))
    most = [gpus.count if (gpus := gpus_of(each)) is not None else most_gpus_of(each) for each in named]
    known = [each for each in most if each is not None]
    if not known or len(known) < len(named) or max(known) >= int(asked["count"]):
        return None
    return _OF_TOO_MANY.format(count=int(asked["count"]), names=", ".join(named[:_SHOWN]), most=max(known))


_SHOWN = 4
_OF_PARTS = (
    "let NodePool {{pool}} choose a family with whole GPUs (g6, g6e): {names} has a part of one, of which EC2 tells "
    "Karpenter no count, so that it starts none for nvidia.com/gpu"
)
_OF_TOO_MANY = (
    "ask for no more GPUs than one node has, or let NodePool {{pool}} choose a type with {count}: of those that it "
    "allows ({names}) none has more than {most}"
)


def _pool_in(words: str) -> str:
    named = _POOL.search(words)
    return named["name"].rstrip(".") if named else "NAME"


@cache
def _startup_taints() -> Mapping[str, str]:
    return {row["key"]: row["who"] for row in table_of("startup_taints")["taint"]}


@cache
def _workers() -> Sequence[tuple[str, str]]:
    rows = table_of("startup_taints")["taint"]
    return [(f"/{image}", row["key"]) for row in rows for image in row.get("images", ())]


@lru_cache(maxsize=1024)
def taint_cleared_by(image: str) -> str:
    """The key of the startup taint that goes once a pod of this image has worked on a node; empty where none does."""
    return next((key for begins, key in _workers() if begins in f"/{image}"), "")


def worker_of_taint(taint: str) -> str | None:
    """The worker that a node with a taint of this key waits for; None where it waits for nobody."""
    return _startup_taints().get(taint)
