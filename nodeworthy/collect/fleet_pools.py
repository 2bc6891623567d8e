"""The GPU pools of a fleet, with what else was collected says of their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.fleet.model import Fleet
from nodeworthy.scene import Fact

if TYPE_CHECKING:
    from nodeworthy.facts.aws.node_group import NodeGroup


def pools_of(fleet: Fleet, facts: Sequence[Fact], groups: Sequence[NodeGroup] = ()) -> list[GpuPool]:
    """What the scripts that boot them, and what starts them, say of their nodes is said of the pools."""
    scripts = [fact for fact in facts if isinstance(fact, BootScript)]
    if not scripts and not groups:
        return gpu_pools(fleet)
    from nodeworthy.facts.boot.pool_drivers import with_drivers
    from nodeworthy.facts.boot.runtime import with_pinned_containerd

    pools = with_pinned_containerd(gpu_pools(fleet), scripts)
    if not groups:
        return with_drivers(pools, fleet, scripts, {}, {})
    from nodeworthy.facts.aws.image import images_of, labels_of

    return with_drivers(pools, fleet, scripts, images_of(groups), labels_of(groups))
