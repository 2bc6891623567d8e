"""A DaemonSet of the GPU stack, and the nodes to which its pods may not come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint
from nodeworthy.facts.cluster.pending_kept_away import is_state
from nodeworthy.facts.pod.node_choice import NodeChoice
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# As known/gpu_stack.toml calls it.
_PLUGIN = "the device plugin"


@dataclass(frozen=True)
class StackDaemonSet:
    """A DaemonSet of the stack, and the nodes that its pods may run on."""

    namespace: str
    name: str
    part: str
    choice: NodeChoice
    runtime_class: str = ""

    @property
    def place(self) -> Place:
        return Place(object=f"DaemonSet/{self.namespace}/{self.name}")

    def may_come(self, node: NodeGpus) -> bool:
        return self.choice.takes(node.labels, node.name) and not self.choice.kept_away(node)

    def barred(self, node: NodeGpus) -> Iterator[str]:
        """Which lines of it keep its pods off a node."""
        for each in self.choice.barred(node.labels, node.name):
            yield f"{each.says}{f', {each.instead} there' if each.instead else ''}"
        yield from (f"it does not tolerate {taint}" for taint in self.choice.kept_away(node))


@dataclass(frozen=True)
class ShutOut:
    """Nodes with GPUs on which a part may not run, for a taint that it does not tolerate."""

    daemonset: StackDaemonSet
    taint: Taint
    nodes: tuple[NodeGpus, ...]

    @property
    def place(self) -> Place:
        return self.daemonset.place


def shut_out(daemonset: StackDaemonSet, nodes: Sequence[NodeGpus]) -> Iterator[ShutOut]:
    """Taints that tell a state go by themselves, and DaemonSets tolerate most of them anyway."""
    found: dict[Taint, list[NodeGpus]] = defaultdict(list)
    for node in nodes:
        if daemonset.choice.takes(node.labels, node.name):
            for taint in daemonset.choice.kept_away(node):
                if not is_state(taint):
                    found[taint].append(node)
    for taint, some in found.items():
        yield ShutOut(daemonset, taint, tuple(some))


def plugins_shut_out(daemonsets: Iterable[StackDaemonSet], nodes: Iterable[NodeGpus]) -> frozenset[str]:
    """The nodes to which no device plugin may come that would choose them: this is told with the taint."""
    plugins = [each for each in daemonsets if each.part == _PLUGIN]
    return frozenset(node.name for node in nodes if plugins and all(_is_shut_out(each, node) for each in plugins))


def placeless_plugins(daemonsets: Iterable[StackDaemonSet], nodes: Collection[NodeGpus]) -> tuple[StackDaemonSet, ...]:
    """Device plugins that choose none of the nodes there are, by labels that nothing sets."""
    plugins = (each for each in daemonsets if each.part == _PLUGIN and nodes)
    return tuple(each for each in plugins if not any(each.choice.takes(node.labels, node.name) for node in nodes))


def _is_shut_out(daemonset: StackDaemonSet, node: NodeGpus) -> bool:
    choice = daemonset.choice
    return choice.takes(node.labels, node.name) and not all(map(is_state, choice.kept_away(node)))


def why_absent(part: str, node: NodeGpus | None, daemonsets: Iterable[StackDaemonSet]) -> str:
    """Why a part may not come to a node, where there is one and it comes from nowhere else."""
    of_part = [each for each in daemonsets if each.part == part]
    if node is None or not of_part or any(each.may_come(node) for each in of_part):
        return ""
    first = of_part[0]
    return f"{first.namespace}/{first.name} leaves {node.title} out: {'; '.join(list(first.barred(node))[:3])}"


def absent_everywhere(part: str, daemonsets: Iterable[StackDaemonSet], nodes: Iterable[NodeGpus]) -> str:
    """Why a part that is there comes to none of the nodes with GPUs, as told of the first of them."""
    daemonsets, with_gpus = list(daemonsets), [node for node in nodes if node.has_gpus]
    told = [why_absent(part, node, daemonsets) for node in with_gpus]
    return told[0] if told and all(told) else ""
