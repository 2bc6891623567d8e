"""What Karpenter or the Cluster Autoscaler says last in its log, of pods that wait for nodes with GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.known.evidence import in_text
from nodeworthy.known.scaling import obstacle_in, uncounted_by_karpenter
from nodeworthy.patterns import pattern

# The types of AWS with NVIDIA GPUs, as words name them.
GPU_MACHINE = pattern(r"\b(?:p[2-9]|g[3-9])[a-z0-9-]{0,12}\.(?:\d{0,2}xlarge|metal)")
# And what people call a pool of nodes with GPUs, of which its claims bear the name, where no machine is named at all.
_MACHINE = pattern(r"\b[a-z]{1,4}\d[a-z0-9-]{0,12}\.(?:\d{0,2}x?large|medium|small|metal)")
_GPU_POOL = pattern(
    r"(?i)gpu|nvidia|cuda|(?:\A|-)(?:[gp][2-9][a-z]{0,3}|t4|l4|l40s?|a10g?|a100|h100|h200|b200)(?:-|\Z)",
)
_RESOURCE = "nvidia.com/"
# What it says of all nodes, whoever waits for them.
_OF_ALL = ("autoscaler-stopped",)
# By which nodes say whose pool they are, as the log names it.
_POOLS = frozenset(("karpenter.sh/nodepool", "karpenter.sh/provisioner-name", "eks.amazonaws.com/nodegroup"))


def is_about_gpus(claim: str, said: str) -> bool:
    """Whether what is said of a claim of Karpenter's is about a machine with GPUs."""
    return GPU_MACHINE.search(said) is not None or (_MACHINE.search(said) is None and _is_of_gpus(claim))


def _is_of_gpus(claim: str) -> bool:
    return _GPU_POOL.search(claim) is not None


def no_node_by_its_log(said: str) -> tuple[str, str] | None:
    """Why no node has GPUs, and what to do, where its log says so."""
    known = next((each.evidence for each in in_text(said)), None) if said else None
    if known is None:
        return None
    uncounted = uncounted_by_karpenter(said)
    obstacle = obstacle_in(said) if uncounted else None
    why = counts_none(uncounted) or known.why
    cause = f"no node has GPUs; what starts nodes says in its log: {why}; it said: {said}"
    return cause, obstacle.remedy if obstacle is not None else known.mending


def counts_none(names: Sequence[str]) -> str:
    """A pod that asks for one of these has no node made for it, whatever its GPUs are; empty where it asks for none."""
    return f"Karpenter counts no {', '.join(names)} on any machine, so that none is enough for the pod" if names else ""


def besides_by_its_log(said: str, pods: Sequence[AskingPod], offering: Iterable[NodeGpus]) -> str:
    """What its log says of why no further node comes, where that is about these pods or about nodes like those that
    have what they ask for; empty where it may be about others."""
    found = in_text(said) if said else []
    if not found:
        return ""
    pools = {node.labels[each] for node in offering for each in _POOLS & node.labels.keys()}
    named = any(each in said for each in {*pools, *(pod.name for pod in pods)})
    is_about_them = GPU_MACHINE.search(said) is not None or _RESOURCE in said or named
    is_about_all = any(each.evidence.id in _OF_ALL for each in found)
    return f"what starts nodes says in its log: {said}" if is_about_them or is_about_all else ""
