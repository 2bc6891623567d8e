"""Which pool of the fleet a node belongs to: the one that it names, else the only one that it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.fleet.model import Pool
from nodeworthy.known.node_signs import Sign, shows_itself
from nodeworthy.records import dataclass
from nodeworthy.verdict import value_if_known


class Shows(Protocol):
    """What a node shows of itself, to the cluster or to whoever stands on it."""

    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def instance_type(self) -> str: ...
    @property
    def gpu(self) -> str | None: ...
    @property
    def is_gpu(self) -> bool: ...
    @property
    def sign(self) -> Sign | None: ...


@dataclass(frozen=True)
class Membership:
    pool: Pool | None
    # Why this pool, or why none; without the node's name, so that equal reasons are told once.
    why: str


def pool_of(node: Shows, pools: Sequence[Pool]) -> Membership:
    if not pools:
        return Membership(None, "the fleet has no pool of GPU nodes")
    named = node.labels.get(POOL)
    if named is not None:
        pool = next((each for each in pools if each.name == named), None)
        return Membership(pool, f"its label {POOL} names {named!r}" + ("" if pool else f", {_not_one_of(pools)}"))
    fitting = [pool for pool in pools if not any(_contradictions(node, pool))]
    # Of several, those go that a node of theirs would show itself to be of.
    sure = [pool for pool in fitting if not _shows_less(node, pool)] if len(fitting) > 1 else fitting
    if len(sure) == 1:
        return Membership(sure[0], "it is the only pool that this node fits")
    if not fitting:
        why = "; ".join(dict.fromkeys(reason for pool in pools for reason in _contradictions(node, pool)))
        return Membership(None, f"it fits no pool of the fleet ({why})")
    named_pools = ", ".join(pool.name for pool in fitting)
    return Membership(None, f"it fits several pools of the fleet ({named_pools}): its label {POOL} would decide")


def _not_one_of(pools: Sequence[Pool]) -> str:
    return f"and the fleet's pools are {', '.join(pool.name for pool in pools)}"


def _contradictions(node: Shows, pool: Pool) -> Iterator[str]:
    wanted = value_if_known(pool.instance_type)
    if wanted and node.instance_type and wanted != node.instance_type:
        yield f"instance type {node.instance_type}, not {wanted}"
    gpu = value_if_known(pool.gpu)
    if node.is_gpu and pool.gpu is None:
        yield f"{pool.name} has no GPUs"
    elif gpu and node.gpu and gpu != node.gpu:
        yield f"GPU {node.gpu}, not {gpu}"
    distribution = value_if_known(pool.distribution)
    if distribution and node.sign is not None and distribution not in node.sign.distributions:
        yield f"{' or '.join(node.sign.distributions)}, not {distribution}"


def _shows_less(node: Shows, pool: Pool) -> bool:
    """Whether a node of this pool would show what this one does not."""
    distribution = value_if_known(pool.distribution)
    hidden = distribution is not None and node.sign is None and shows_itself(distribution)
    return hidden or (value_if_known(pool.instance_type) is not None and not node.instance_type)
