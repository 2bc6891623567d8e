"""Pods that reach no name server, although the cluster's DNS runs, and what is known of the firewall on their nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.fleet.model import Firewall, Fleet, Pool
from nodeworthy.known.evidence import in_text
from nodeworthy.known.pod_interfaces import Cni, first_of, is_one_pods, networks_of_distribution
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

BLOCKED, NAMELESS = "ufw-blocks-pods", "name-resolution"
_LINE = pattern(r"\[UFW BLOCK\] IN=(?P<pods>\S+) OUT=(?P<uplink>\S+)")
# Where ufw is at home; elsewhere nobody has it unless he says so.
_WITH_UFW = ("Ubuntu", "Debian")
_DNS = ("kube-dns", "coredns", "rke2-coredns")


@dataclass(frozen=True)
class Words:
    """What the logs of a pod say: ids of evidence, and the most telling line."""

    evidence: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class UnansweredPods:
    """Pods without an answer from a name server, on nodes of which the same is known."""

    called: ClassVar[str] = "a pod that reaches no name server"

    pods: tuple[ClusterPod, ...]
    nodes: tuple[str, ...]
    line: str
    pool: Pool | None
    # Why it may be something else than the firewall; None where that is out of the question.
    doubt: str | None
    networks: tuple[Cni, ...] = ()
    # The cluster's DNS was seen to run.
    dns_runs: bool = False

    @property
    def place(self) -> Place:
        return Place(object=f"Node/{self.nodes[0]}")

    @property
    def was_blocked(self) -> bool:
        return _LINE.search(self.line) is not None

    @property
    def ends(self) -> tuple[str, str]:
        """The interfaces of pods and of the uplink, as a rule of ufw names them."""
        found = _LINE.search(self.line)
        if found is None:
            return first_of(self.networks), "UPLINK"
        one = is_one_pods(found["pods"])
        return (first_of((one,)) if one is not None else found["pods"]), found["uplink"]


def unanswered_pods(
    pods: Iterable[ClusterPod],
    nodes: Mapping[str, ClusterNode],
    logs: Mapping[str, Words],
    fleet: Fleet | None,
) -> Iterator[UnansweredPods]:
    """The pods whose last words say that a name was not resolved. Where the cluster's DNS is down, only those whose
    words leave no doubt."""
    pods = list(pods)
    dns = [pod for pod in pods if _is_dns(pod)]
    down = dns_is_down(dns)
    alike: dict[tuple[str | None, str | None, bool], list[tuple[ClusterPod, str]]] = defaultdict(list)
    for pod in pods:
        line = _line(pod, logs)
        if line is None or (down and not _LINE.search(line)):
            continue
        pool = _pool(nodes.get(pod.node), fleet)
        doubt = None if _LINE.search(line) else _doubt(pod, nodes.get(pod.node), pool)
        alike[pool.name if pool else None, doubt, bool(_LINE.search(line))].append((pod, line))
    for (_, doubt, _), some in alike.items():
        yield replace(_together(some, nodes, fleet, doubt), dns_runs=bool(dns) and not down)


def dns_is_down(pods: Iterable[ClusterPod]) -> bool:
    dns = [pod for pod in pods if _is_dns(pod)]
    return bool(dns) and not any(pod.ready for pod in dns)


def _together(
    some: Sequence[tuple[ClusterPod, str]], nodes: Mapping[str, ClusterNode], fleet: Fleet | None, doubt: str | None
) -> UnansweredPods:
    first = nodes.get(some[0][0].node)
    names = tuple(sorted({pod.node for pod, _ in some}))
    found = tuple(sorted((pod for pod, _ in some), key=lambda pod: pod.object))
    return UnansweredPods(found, names, some[0][1], _pool(first, fleet), doubt, _networks(first))


def _line(pod: ClusterPod, logs: Mapping[str, Words]) -> str | None:
    """What it says of it; None where it says nothing, runs well, or has no network of its own."""
    if pod.ready or pod.on_host_network or not pod.node or pod.phase == "Succeeded":
        return None
    told = logs.get(pod.object)
    if told is not None and {BLOCKED, NAMELESS}.intersection(told.evidence):
        return told.line
    own = next((each for each in in_text(pod.last_words) if each.evidence.id in (BLOCKED, NAMELESS)), None)
    return own.words if own is not None else None


def _is_dns(pod: ClusterPod) -> bool:
    said = pod.labels.get
    return said("k8s-app") in _DNS or said("app.kubernetes.io/name") in _DNS or said("app") in _DNS


def _pool(node: ClusterNode | None, fleet: Fleet | None) -> Pool | None:
    return pool_of(node, fleet.gpu_pools).pool if node is not None and fleet is not None else None


def _networks(node: ClusterNode | None) -> tuple[Cni, ...]:
    sign = node.sign if node is not None else None
    return networks_of_distribution(sign.distributions[0]) if sign is not None else ()


def _doubt(pod: ClusterPod, node: ClusterNode | None, pool: Pool | None) -> str | None:
    if pool is not None:
        return None if pool.firewall is Firewall.UFW else f"pool '{pool.name}' has no firewall, by its fleet"
    if node is None:
        return f"nothing is known of node '{pod.node}'"
    if not node.os_image.startswith(_WITH_UFW):
        return f"its system ({node.os_image or 'not told'}) has no ufw by itself"
    networks = _networks(node)
    if networks and all(each.forwards for each in networks):
        return f"its pods' network ({networks[0].key}) forwards by rules of its own"
    return None
