"""The ports that a node lives by are open to those who need them.

Four connections make a node work, and each fails in its own silent way: without 10250 from the control plane there are
no logs, no exec and no metrics; without 443 to it the node never joins; without DNS (53, both protocols) between the
nodes, pods resolve names only where CoreDNS happens to run beside them; and without the NodePorts
(30000-32767) what the fleet's people open in their browsers times out. EKS' own cluster group opens the first three by
itself: nodes that have it need no more. Nodes with groups of their own must say so, both ways. What stands beside a
cluster (a bastion, the workers of a queue) is no node of it: a node is what the fleet, EKS, its boot script or a tag
calls one. DNS is asked for only where pods have addresses of the network, as EKS gives them, and of those nodes alone
whose taints let CoreDNS run there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from nodeworthy.facts.aws.node_sides import GuardedNodes, pods_are_in_its_network
from nodeworthy.facts.aws.reach import Ports, Side, lets_in, lets_out
from nodeworthy.facts.aws.security_group import Opening, Way, network_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass, replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Place, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "node-ports-open",
    severity=Severity.ERROR,
    incident="D",
    title="kubelet, control plane, DNS and NodePorts are open to those who need them",
    remedy="add the rule that is missing to the nodes' security group, or give the nodes the cluster's own group "
    "(vpcConfig.clusterSecurityGroupId)",
    of_a_program=True,
)

# Whether it is open, or why that is not known.
Answer = bool | str
Lets = Callable[[Side, Side, Ports], Answer]

KUBELET = Ports("tcp", 10250, 10250)
API = Ports("tcp", 443, 443)
DNS = (Ports("udp", 53, 53), Ports("tcp", 53, 53))
NODE_PORTS = Ports("tcp", 30000, 32767)


@dataclass(frozen=True)
class Wanted:
    """A connection that must be open: the ports, what is said where they are not, and what comes of that."""

    ports: Sequence[Ports]
    closed: str
    cause: str

    @property
    def named(self) -> str:
        return " and ".join(map(str, self.ports))


NO_LOGS = "the control plane can't reach kubelet: no logs, no exec, no metrics, and webhooks on these nodes time out"
NO_JOIN = "kubelet can't reach the API server, so that the node never joins"
NO_NAMES = "a pod resolves names only where CoreDNS runs beside it; elsewhere `Temporary failure in name resolution`"
NO_DASHBOARDS = "whoever the fleet lets reach its NodePorts waits until the browser gives up"


@RULE.check
def the_control_plane_and_its_nodes_reach_each_other(nodes: GuardedNodes, every: Sequence[GuardedNodes]) -> Findings:
    _must_be_of_a_cluster(nodes)
    control_plane = nodes.control_plane
    if control_plane is None:
        skip(f"the cluster of {nodes.title} is not of this stack")
    kubelet = Wanted([KUBELET], "is not open to the control plane", NO_LOGS)
    yield from _draft_of_doors(nodes, every, kubelet, lambda each: [lets_in(each.side, control_plane, KUBELET)])
    outwards = Wanted([API], "is closed outwards", NO_JOIN)
    yield from _draft_of_doors(nodes, every, outwards, lambda each: [lets_out(each.side, control_plane, API)])
    api = Wanted([API], "of the control plane is not open to the nodes", NO_JOIN)
    yield from _draft_of_doors(nodes, every, api, lambda each: [lets_in(control_plane, each.side, API)])


@RULE.check
def a_control_plane_of_another_stack_reaches_kubelet(nodes: GuardedNodes) -> Findings:
    """Who asks is not of this stack; that nobody but the nodes themselves may is seen all the same."""
    _must_be_of_a_cluster(nodes)
    asked = nodes.asked_outside
    if nodes.control_plane is not None or asked is None or nodes.side.unread:
        skip(f"no rule of this stack leads from {nodes.title} to a control plane outside it")
    own, group = nodes.side.resources, asked.get("securityGroupId").located().state
    others = [
        each for each in nodes.side.openings(Way.IN) if each.ranges or each.prefix_lists or _is_of_others(each, own)
    ]
    if not any(link.state == group for each in others for link in each.groups.open):
        skip(f"nothing lets in to {nodes.title} what they ask at {API}, so it may be no control plane")
    reach = [each.covers(KUBELET.protocol, KUBELET.first) for each in others]
    if True in reach or None in reach:
        return
    yield fail(
        nodes,
        f"{KUBELET} of {nodes.title} is open to nobody but these nodes",
        should=f"{KUBELET} open to the group of the control plane",
        related=[Related(asked.place, "by this rule they reach their control plane"), *_opened_elsewhere(others)],
        cause=NO_LOGS,
        remedy="open it to the group that the control plane was given: EKS' own templates open 1025 to 65535",
    )


def _is_of_others(opening: Opening, own: Collection[AwsResource]) -> bool:
    return bool(opening.groups.open) or any(each not in own for each in opening.groups.found)


def _opened_elsewhere(openings: Sequence[Opening]) -> list[Related]:
    return [Related(each.place, f"this opens {each.ports}") for each in openings]


@RULE.check
def nodes_resolve_names_at_each_other(nodes: GuardedNodes, every: Sequence[GuardedNodes]) -> Findings:
    _must_be_of_a_cluster(nodes)
    if not pods_are_in_its_network(nodes.first):
        skip(f"pods of {nodes.title} talk through a tunnel between their nodes")
    met = [each for each in every if nodes.may_meet(each)]
    # Where all keep it away, its configuration says more than is read here.
    serve = [each for each in met if each.may_serve_names] or met
    for others in _by_door(met):
        whom = "each other" if nodes in others else f"the nodes of {others[0].title}"
        inwards = Wanted(DNS, f"is not open to {whom}", NO_NAMES)
        yield from _draft_of_doors(nodes, every, inwards, partial(_answered_by, serve, others))
    for others in _by_door(serve):
        whom = "each other" if nodes in others else f"the nodes of {others[0].title}"
        outwards = Wanted(DNS, f"is closed outwards, to {whom},", NO_NAMES)
        yield from _draft_of_doors(nodes, every, outwards, partial(_dns, others, lets_out))


def _answered_by(serve: Sequence[GuardedNodes], others: Sequence[GuardedNodes], nodes: GuardedNodes) -> list[Answer]:
    """CoreDNS asks for no more than that it is reached where it runs."""
    return _dns(others, lets_in, nodes) if nodes in serve else [True for _ in DNS]


def _dns(others: Sequence[GuardedNodes], lets: Lets, nodes: GuardedNodes) -> list[Answer]:
    """Whether all of them are let through, for each of its ports."""
    met = [each for each in others if not (nodes.open_to_itself and each.open_to_itself)]
    return [_worst([lets(nodes.side, each.side, ports) for each in met]) for ports in DNS]


def _worst(answers: Sequence[Answer]) -> Answer:
    return False if False in answers else next((each for each in answers if isinstance(each, str)), True)


def _by_door(every: Sequence[GuardedNodes]) -> list[list[GuardedNodes]]:
    """The nodes of each cluster together: one rule in the group that they share lets all of them through."""
    found: dict[AwsResource | Place, list[GuardedNodes]] = {}
    for each in every:
        if each.of_clusters:
            found.setdefault(each.door, []).append(each)
    return list(found.values())


@RULE.check
def node_ports_are_open_to_the_fleets_ranges(nodes: GuardedNodes, every: Sequence[GuardedNodes]) -> Findings:
    if nodes.fleet is None:
        skip(nodes.first.no_pool)
    _must_be_of_a_cluster(nodes)
    ranges = nodes.fleet.network.node_ports_from
    if nodes.fleet.monitoring is None and not any(each.written for each in ranges):
        skip("the fleet has nothing on a NodePort, and names nobody who reaches them (network.nodePortsFrom)")
    for each in ranges:
        network = network_of(str(need(each)))
        named = [Related(each.place, "nodePortsFrom names it here")]
        if network is not None:
            wanted = Wanted([NODE_PORTS], f"is not open to {network}", NO_DASHBOARDS)
            yield from _draft_of_doors(nodes, every, wanted, partial(_node_ports, Side((), (network,))), named)


def _node_ports(them: Side, nodes: GuardedNodes) -> list[Answer]:
    return [lets_in(nodes.side, them, NODE_PORTS)]


def _must_be_of_a_cluster(nodes: GuardedNodes) -> None:
    if not nodes.of_clusters:
        skip(f"nothing says that {nodes.title} is of a cluster")


def _draft_of_doors(
    nodes: GuardedNodes,
    every: Sequence[GuardedNodes],
    wanted: Wanted,
    asked: Callable[[GuardedNodes], Sequence[Answer]],
    related: Sequence[Related] = (),
) -> Findings:
    """The answers are those for each of the ports: whether they are open, or why that is not known."""
    said = _closed_ports(wanted, asked(nodes))
    if said is None:
        return
    # What is to be mended in one place is told once, with all whom it hits.
    alike = [
        each
        for each in every
        if each is nodes
        or (each.of_clusters and each.door == nodes.door and _closed_ports(wanted, asked(each)) == said)
    ]
    if alike[0] is not nodes:
        return
    on = list(dict.fromkeys(title for each in alike for title in each.titles))
    beside = list(dict.fromkeys([*related, *(told for each in alike for told in each.declared)]))
    if isinstance(said, str):
        yield unknown(nodes, f"whether what they live by is open is not known: {said}", on=on, related=beside)
        return
    named = replace(wanted, ports=said).named
    yield fail(
        nodes,
        f"{named} {wanted.closed}",
        is_=_opened(nodes),
        should=f"a rule for {named}",
        on=on,
        related=beside,
        cause=wanted.cause,
    )


def _closed_ports(wanted: Wanted, answers: Sequence[Answer]) -> list[Ports] | str | None:
    """The ports that are closed, or why that is not known; None where all are open."""
    closed = [ports for ports, answer in zip(wanted.ports, answers, strict=True) if answer is False]
    return closed or next((answer for answer in answers if isinstance(answer, str)), None)


def _opened(nodes: GuardedNodes) -> str:
    groups = nodes.security_groups
    told = [f"{each.way} {each.ports}" for group in groups for each in group.openings]
    named = ", ".join(group.title for group in groups) or "no security group"
    return f"{named}: {'; '.join(told[:6]) or 'nothing open'}"
