"""Objects of work with GPUs that were deleted, and that a finalizer keeps: whoever set it has to take it away."""

from __future__ import annotations

from datetime import datetime, timedelta

from nodeworthy.documents.tree import Tree, plain
from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.references import is_about_gpus
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.spoken import HowTold

# Longer than a controller needs for what it cleans up.
_TAKES = timedelta(minutes=30)
# Karpenter keeps them until their machines are empty, which may take hours.
_OF_MACHINES = ("NodeClaim", "NodePool", "EC2NodeClass")
HOW = HowTold(
    "the {kind} '{name}', which is about GPUs, was deleted, and does not go",
    "gone",
    "see what its controller says of it, and let it run; in a namespace that is deleted as well nothing new can be "
    "made, so delete such objects first; where the controller will not come back: kubectl patch {kind} -n {namespace} "
    "{name} "
    '--type=merge -p \'{{"metadata":{{"finalizers":null}}}}\'',
    "a finalizer is on it, which its controller takes away once it has cleaned up: that one does not run, was removed "
    "first, or can't do what it has to; what it holds stays, and its namespace does not go before it",
)


def why_it_lingers(found: Tree, now: datetime | None) -> str:
    """The finalizers of one that should long be gone; empty where it is not so."""
    deleted = found.get("metadata", "deletionTimestamp").string
    kept = [each.string for each in found.get("metadata", "finalizers").sequence]
    if not deleted or not kept or found.get("kind").string in _OF_MACHINES:
        return ""
    if not has_lasted(moment(deleted), now, _TAKES) or not is_about_gpus(plain(found)):
        return ""
    return f"finalizers {', '.join(kept)}, deleted {deleted}"
