"""The operator's toolkit on nodes whose kubelets use the same containerd, and how it fares there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from nodeworthy.known.containerd import Containerd, same_file
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, Located, Place, Related

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.node import ClusterNode
    from nodeworthy.facts.cluster.pod import ClusterPod
    from nodeworthy.facts.cluster.sandbox_failure import SandboxFailure
    from nodeworthy.facts.operator.toolkit_daemonset import Miss, ToolkitDaemonSet
    from nodeworthy.facts.operator.values import OperatorValues

# The toolkit counts as ready before it has configured containerd; kubelet's next try comes within a minute.
SETTLING = timedelta(seconds=90)
# A driver's container may compile it first.
DRIVER_COMES = timedelta(minutes=30)
# How many nodes a finding shows as related places; the others are counted.
SHOWN = 3
NO_SOCKET = "no such file or directory"


@dataclass(frozen=True)
class ToolkitOnNodes:
    called: ClassVar[str] = "the operator's toolkit on a node"

    daemonset: ToolkitDaemonSet
    nodes: tuple[ClusterNode, ...]
    # The runtime that kubelet talks to on these nodes.
    runtime: Located[Containerd]
    # Why nothing can be asked of them: neither a fleet nor the nodes themselves say which containerd they use.
    silent: str | None = None
    pool: str | None = None
    # Where the fleet says which runtime they have, and what each node says of itself, by its name.
    declared: tuple[Related, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)
    policy: OperatorValues | None = None
    # The toolkit's own pods on these nodes, and the last line of each one's log that tells why it ended.
    pods: tuple[ClusterPod, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    failures: tuple[SandboxFailure, ...] = ()
    victims: tuple[str, ...] = ()
    # Nodes on which a pod of the toolkit's runtime has run: there it came, whoever brought it.
    proven_on: frozenset[str] = frozenset()
    # Kinds that a judgement of these nodes needs, and that were not seen.
    unseen: tuple[str, ...] = ()
    # And those of which only a part was.
    cut: tuple[str, ...] = ()
    # Pods of drivers on these nodes, and the newest time that anything tells.
    drivers: tuple[ClusterPod, ...] = ()
    now: datetime | None = None
    # Other nodes that it serves, for which its folders are right.
    right_for: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.daemonset.place

    @property
    def on(self) -> tuple[str, ...]:
        """The pool, or else the nodes, that a fault concerns."""
        return (self.pool,) if self.pool else tuple(node.title for node in self.nodes)

    @property
    def says(self) -> tuple[Related, ...]:
        """What tells which containerd these nodes use."""
        return self._said_of(self.nodes)

    def _said_of(self, nodes: Sequence[ClusterNode]) -> tuple[Related, ...]:
        told = [Related(node.place, self.said[node.name]) for node in nodes[:SHOWN] if node.name in self.said]
        if told and len(nodes) > SHOWN:
            told.append(Related(nodes[SHOWN].place, f"and {len(nodes) - SHOWN} more nodes like these"))
        return (*self.declared, *told)

    @cached_property
    def stricken(self) -> tuple[ClusterNode, ...]:
        """The nodes on which it fails: all of them, where an event does not say where it was."""
        suffering = {pod.node for pod in (*self.broken, *self.held_up)} | {each.node for each in self.lasting}
        found = tuple(node for node in self.nodes if node.name in suffering)
        return self.nodes if "" in suffering or not found else found

    @property
    def works_elsewhere(self) -> bool:
        """Whether with the same folders it is ready on others of these nodes."""
        struck = {node.name for node in self.stricken}
        return any(pod.ready and pod.node not in struck for pod in self.pods)

    @property
    def on_stricken(self) -> tuple[str, ...]:
        return self.on if len(self.stricken) == len(self.nodes) else tuple(node.title for node in self.stricken)

    @property
    def stricken_say(self) -> tuple[Related, ...]:
        return self._said_of(self.stricken)

    @property
    def stricken_gpus(self) -> str | None:
        """How many GPUs it concerns, where the nodes tell."""
        struck, every = (sum(map(_gpus, nodes)) for nodes in (self.stricken, self.nodes))
        of = f" of {every}" if every > struck else ""
        return (
            f"{struck}{of} GPUs are on {'this node' if len(self.stricken) == 1 else 'these nodes'}" if struck else None
        )

    @cached_property
    def _misses(self) -> tuple[Miss, ...]:
        if not isinstance(self.runtime.state, Known) or not self.is_containerd:
            return ()
        return self.daemonset.misses(self.runtime.state.value)

    @property
    def is_containerd(self) -> bool:
        known = self.runtime.state
        told_so = self.daemonset.runtime == "containerd" and not self.daemonset.uses_nri
        return told_so and not (isinstance(known, Known) and not known.value.is_containerd)

    @cached_property
    def wrong(self) -> tuple[Miss, ...]:
        """The folders that are certainly those of another containerd."""
        return tuple(each for each in self._misses if not each.doubtful and self._was_set(each) is True)

    @cached_property
    def doubtful(self) -> tuple[Miss, ...]:
        return tuple(each for each in self._misses if each.doubtful or self._was_set(each) is None)

    def beside(self, others: Iterable[ToolkitOnNodes]) -> Self:
        """The toolkit with the nodes that a change for the sake of these would break."""
        right = [name for each in others if each.wrong_nowhere for name in each.on]
        return replace(self, right_for=tuple(right)) if right and self.wrong else self

    @property
    def wrong_nowhere(self) -> bool:
        return self.mounts_kubelets and self.template is None

    @cached_property
    def template(self) -> str | None:
        """The file that it writes, where that is one for people, from which the config is made."""
        known, written = self.runtime.state, self.daemonset.config_file
        if written is None or not isinstance(known, Known) or not self.is_containerd:
            return None
        return written if any(same_file(written, each) for each in known.value.templates) else None

    @property
    def mounts_kubelets(self) -> bool:
        """Whether its folders are known to be those of the containerd that kubelet uses."""
        known = self.is_containerd and isinstance(self.runtime.state, Known)
        return known and not self._misses and not self.found_no_socket

    def _was_set(self, miss: Miss) -> bool | None:
        """Where the socket alone is a right setting, a stock config folder is wrong only if somebody set it."""
        known = self.runtime.state
        if miss.kind == "socket" or not isinstance(known, Known) or not known.value.config_optional:
            return True
        if any(each.kind == "socket" for each in self._misses):
            return True
        return self.policy.toolkit.config.written if self.policy is not None else None

    @cached_property
    def unready(self) -> tuple[ClusterPod, ...]:
        return tuple(pod for pod in self.pods if not pod.ready)

    @cached_property
    def broken(self) -> tuple[ClusterPod, ...]:
        return tuple(pod for pod in self.unready if pod.fault)

    @cached_property
    def held_up(self) -> tuple[ClusterPod, ...]:
        """The pods that have waited in an init container for longer than a driver takes to come."""
        return tuple(pod for pod in self.unready if pod.waits_in and self._waits_long(pod))

    def _waits_long(self, pod: ClusterPod) -> bool:
        from nodeworthy.facts.cluster.elapsed import has_lasted
        from nodeworthy.facts.cluster.sandbox_failure import moment

        return has_lasted(moment(pod.waits_since), self.now, DRIVER_COMES)

    @property
    def only_waits(self) -> bool:
        """Whether nothing else is wrong with it."""
        nodes = {pod.node for pod in self.held_up}
        return bool(nodes) and not self.broken and all(each.node in nodes for each in self.lasting)

    @cached_property
    def bare_nodes(self) -> tuple[ClusterNode, ...]:
        """The nodes on which the toolkit should run and has no pod."""
        covered = {pod.node for pod in self.pods}
        return tuple(node for node in self.nodes if node.name not in covered)

    @property
    def nodes_without_runtime(self) -> tuple[str, ...]:
        """Where what is wrong with the toolkit keeps every pod with GPUs from starting, the device plugin's too."""
        names = {node.name for node in self.nodes} - self.proven_on
        suffering = {pod.node for pod in (*self.broken, *self.held_up)} | {each.node for each in self.lasting}
        return tuple(sorted(names if self.wrong or "" in suffering else names & suffering))

    def with_starved(self, starved: Mapping[str, Sequence[str]]) -> Self:
        """The toolkit with further victims: pods that wait for GPUs which its nodes do not offer because of it."""
        more = [name for node in self.nodes_without_runtime for name in starved.get(node, ())]
        return replace(self, victims=tuple(dict.fromkeys((*self.victims, *more)))) if more else self

    @property
    def unproven_nodes(self) -> tuple[ClusterNode, ...]:
        """Where neither a pod of its own nor one of its runtime was seen."""
        return tuple(node for node in self.bare_nodes if node.name not in self.proven_on)

    @property
    def is_short(self) -> bool:
        """Whether the DaemonSet itself counts fewer ready pods than it has nodes."""
        ready = self.daemonset.ready_count
        return ready is not None and not self.daemonset.ready_everywhere

    @cached_property
    def lasting(self) -> tuple[SandboxFailure, ...]:
        """The failures that go on although the toolkit was ready, or while it is not."""
        if "pods" in self.unseen:
            return ()  # whether they are over is not known
        return tuple(each for each in self.failures if self._lasts(each, SETTLING))

    @cached_property
    def recent(self) -> tuple[SandboxFailure, ...]:
        """The failures since it became ready: it is too soon to tell what they mean."""
        return tuple(each for each in self.failures if self._lasts(each, timedelta()) and each not in self.lasting)

    def _lasts(self, failure: SandboxFailure, after: timedelta) -> bool:
        from nodeworthy.facts.cluster.sandbox_failure import moment

        ready = [moment(pod.since) for pod in self.pods if pod.node == failure.node and pod.ready]
        since = next(filter(None, ready), None)
        return not ready or since is None or failure.last is None or failure.last >= since + after

    @property
    def was_there(self) -> bool:
        """Whether the runtime was on every node that lacks it now, as pods of it show that have run there."""
        return bool(self.lasting) and all(each.node in self.proven_on for each in self.lasting)

    @property
    def told_failures(self) -> str | None:
        from nodeworthy.facts.cluster.sandbox_failure import tell_failures

        return tell_failures(self.failures) if self.failures else None

    @property
    def told_pods(self) -> str | None:
        """How the toolkit's own pods fare, worst first, and what they said."""
        from nodeworthy.facts.cluster.telling_words import telling_part

        pods = self.broken or self.unready
        if not pods:
            return None
        first = pods[0]
        more = f", and {len(pods) - 1} more like it" if len(pods) > 1 else ""
        state = f"is in {first.fault}" if first.fault else f"is not ready ({first.phase or 'no status'})"
        restarts = f" after {first.restarts} restarts" if first.restarts else ""
        words = self.words.get(first.object) or telling_part(first.last_words)
        return f"{first.name} {state}{restarts}{more}" + (f", and says: {words}" if words else "")

    @property
    def evidence(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.told_failures, self.told_pods)))

    @property
    def found_no_socket(self) -> bool:
        """Whether the toolkit itself found no containerd behind the folder that it mounts."""
        return any(NO_SOCKET in words and ".sock" in words for words in self.words.values())


def _gpus(node: ClusterNode) -> int:
    return node.gpus or node.gpus_of_its_type


@dataclass(frozen=True)
class UnservedFailures:
    """Pods that lack the toolkit's runtime on nodes where no toolkit was seen to run."""

    failures: tuple[SandboxFailure, ...]
    victims: tuple[str, ...]
    why: str
    # The toolkit may well run there: it was not seen, because not everything was looked at.
    seen_in_part: bool = False

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.node for each in self.failures if each.node))

    def with_starved(self, starved: Mapping[str, Sequence[str]]) -> Self:
        more = [name for node in self.nodes for name in starved.get(node, ())]
        return replace(self, victims=tuple(dict.fromkeys((*self.victims, *more)))) if more else self

    @property
    def place(self) -> Place:
        if len(self.nodes) == 1:
            return Place(object=f"Node/{self.nodes[0]}")
        return Place(object=self.victims[0] if self.victims else self.failures[0].object)

    @property
    def told(self) -> str:
        from nodeworthy.facts.cluster.sandbox_failure import tell_failures

        return tell_failures(self.failures)


def victims_of(
    failures: Sequence[SandboxFailure],
    pods: Iterable[ClusterPod] | None,
    namespaces: Collection[str],
    runtimes: frozenset[str],
) -> tuple[str, ...]:
    """The pods that still suffer. They are the pods of events that have not recovered, and the pods that wait for the
    same runtime without an event (an event lives for an hour). Where no pod was seen (in any namespace, or in that of
    the event), only those of the events."""
    named = {each.object for each in failures}
    if pods is None:
        return tuple(sorted(named))
    suffering = {pod.object for pod in pods if _suffers(pod, named, runtimes)}
    elsewhere = {each.object for each in failures if each.namespace not in namespaces}
    return tuple(sorted(suffering | elsewhere))


def _suffers(pod: ClusterPod, named: set[str], runtimes: frozenset[str]) -> bool:
    if pod.ready or pod.is_over:
        return False
    return pod.object in named or (pod.runtime_class in runtimes and pod.waits_for_its_sandbox)
