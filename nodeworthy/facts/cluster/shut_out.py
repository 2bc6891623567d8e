"""Nodes with GPUs that a waiting pod may not take, and the lines of the pod that shut them out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.cluster.pending_kept_away import is_state
from nodeworthy.facts.pod.node_choice import Barrier
from nodeworthy.records import dataclass
from nodeworthy.verdict import Related

_SHOWN, _NAMES = 4, 3


@dataclass(frozen=True)
class _Line:
    """One line of a pod, and what the nodes that it shuts out have instead."""

    barrier: Barrier
    pool: str

    def of(self, pod: AskingPod, nodes: Sequence[NodeGpus], resource: str) -> Related:
        count = f"{len(nodes)} nodes" if len(nodes) > 1 else "one node"
        most = max(node.capacity.get(resource, 0) for node in nodes)
        whom = f"pool '{self.pool}' ({count}, up to {most} {resource} each)" if self.pool else _named(nodes)
        instead = f": {self.barrier.instead} there" if self.barrier.instead else ""
        return Related(pod.place.about(self.barrier.path), f"{self.barrier.says} shuts out {whom}{instead}")


def _named(nodes: Sequence[NodeGpus]) -> str:
    first = ", ".join(f"'{node.name}'" for node in nodes[:_NAMES])
    more = f" and {len(nodes) - _NAMES} more" if len(nodes) > _NAMES else ""
    return f"node{'s' if len(nodes) > 1 else ''} {first}{more}"


def shut_out(pod: AskingPod, nodes: Iterable[NodeGpus], resource: str, told: str = "") -> tuple[Related, ...]:
    """Those lines first that shut out the most nodes; nothing of the taint that is told already."""
    found: dict[_Line, list[NodeGpus]] = defaultdict(list)
    for node in nodes:
        for barrier in _barriers(pod, node, told):
            found[_Line(barrier, node.labels.get(POOL, ""))].append(node)
    lines = sorted(found.items(), key=lambda each: (-len(each[1]), each[0].pool, each[0].barrier.path))
    return tuple(line.of(pod, some, resource) for line, some in lines[:_SHOWN])


def _barriers(pod: AskingPod, node: NodeGpus, told: str) -> Iterator[Barrier]:
    yield from pod.choice.barred(node.labels, node.name)
    for taint in pod.choice.kept_away(node):
        if str(taint) != told and not is_state(taint):
            yield Barrier("spec.tolerations", f"the lack of a toleration of {taint}", "")
