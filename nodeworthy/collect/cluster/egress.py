"""Whether pods reach a name server, as a fact: from what those say that do not run."""

from __future__ import annotations

from nodeworthy.collect.cluster.kinds import PODS
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.unanswered_pods import UnansweredPods, Words, dns_is_down, unanswered_pods
from nodeworthy.fleet.model import Fleet
from nodeworthy.scene import Scene, make_scene


def egress(seen: ClusterObjects, fleet: Fleet | None) -> Scene:
    logs = {name: Words(said.evidence, said.last_line) for name, said in seen.hami.logs.items()}
    nodes = {node.name: node for node in seen.nodes.values()}
    why = "no log of a pod that does not run says that it reaches no name server"
    if not seen.has(PODS):
        why = "no pods are in what was read"
    elif dns_is_down(seen.pods.values()):
        why = "the cluster's DNS itself does not run, so that no pod is answered"
    return make_scene(unanswered_pods(seen.pods.values(), nodes, logs, fleet), {UnansweredPods: why})
