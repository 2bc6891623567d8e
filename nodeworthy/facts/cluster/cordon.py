"""Who cordoned a node, as far as it leaves its name there, and whether what it was for is still so."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.facts.cluster.node_gpus import NodeGpus

# Whoever cordons leaves its name and its reason in labels that end so, before them a name of its own.
# Source: NVIDIA/NVSentinel, fault-quarantine (labelPrefix), and issue 458.
_BY, _REASON = "/cordon-by", "/cordon-reason"


def who_cordoned(nodes: Iterable[NodeGpus]) -> str:
    """Who did, why, and whether a condition of the node still says so; empty where nobody left its name."""
    return "; ".join(filter(None, map(_told_by, nodes)))


def _told_by(node: NodeGpus) -> str:
    by = _label_ending(node, _BY)
    if not by:
        return ""
    reason = _label_ending(node, _REASON)
    over = ", and no condition of the node is bad any more" if node.watched and not _ails(node) else ""
    return f"{by} cordoned {node.title}{f' ({reason})' if reason else ''}{over}"


def _label_ending(node: NodeGpus, ending: str) -> str:
    return next((value for key, value in sorted(node.labels.items()) if key.endswith(ending)), "")


def _ails(node: NodeGpus) -> bool:
    return any(each.is_bad for each in node.watched)
