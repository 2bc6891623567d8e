"""No port of a node is open to everyone, unless the fleet says so and why.

A node's port that the whole internet may knock at is found within minutes: SSH, kubelet's API on 10250, and every
NodePort, which is what a Grafana or an inference server is reached by. What is meant to be public stands in the
fleet (`network.openToTheWorld`) with its reason, and everything else is opened to networks and security groups that
somebody can name. Groups of load balancers and the like are not judged, nor those of machines without GPUs that join
no cluster (a bastion, a web server), nor what is called so where nothing says what it guards: their ports are not a
node's. Nor is ICMP, which has none. Of a script that starts machines with GPUs by AWS' own client, what `aws ec2
authorize-security-group-ingress` opens is judged as a rule of a group. So is what `gcloud compute
firewall-rules create`, `az vm open-port` and `az network nsg rule create` open of a machine with GPUs that the same
script makes: to everyone, where no range is said. Of Terraform, so is what `google_compute_firewall` and rules of
Azure's security groups open of machines and pools with GPUs beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.security_group import Opening, SecurityGroup, Way, is_some_network
from nodeworthy.facts.aws.world_ports import OpenedPort, PlannedFleet, allowed_ports, is_everyone, listed_ranges
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, Unknown, Verdict, fail, need, skip, unknown

RULE = Rule(
    "not-open-to-the-world",
    severity=Severity.ERROR,
    incident="D",
    title="No port of a node is open to everyone unless the fleet says so",
    remedy="open it to the networks that need it, or name the port and the reason in the fleet: "
    "network.openToTheWorld: [{port: …, why: …}]",
    of_a_program=True,
)

CAUSE = "whoever is on the internet may knock at this port of every node that the group guards"
# What is asked by ping, and what tells how large a packet may be.
_NO_PORTS = (Known("icmp"), Known("icmpv6"))
# A group of which nothing says what it guards is a node's where it opens what only nodes have.
_OF_NODES_ONLY = ((22, 22), (10250, 10250), (30000, 32767))


@RULE.check
def its_openings_have_a_name(group: SecurityGroup, planned: PlannedFleet | None) -> Findings:
    if group.is_of_nodes is False:
        skip(f"{group.title} guards no nodes")
    if group.is_of_nodes is None and _is_called_after_others(group):
        skip(f"nothing here says what {group.title} guards, and it is called after no nodes")
    incoming = [each for each in group.openings if each.way is Way.IN]
    for each in _each_once(incoming):
        if group.is_of_nodes or _is_of_a_node(each):
            told = _judged(group, each, planned)
            # What nobody can count is told once, for all of them.
            yield from told if group.unread is None else (one for one in told if one.verdict is Verdict.FAIL)
    if group.unread is not None and group.is_of_nodes:
        yield unknown(group, group.unread)
    elif group.is_of_nodes is None and not any(map(_is_of_a_node, incoming)):
        skip(f"nothing here says that {group.title} guards nodes")


def _each_once(openings: Sequence[Opening]) -> Iterator[Opening]:
    """Those of which nothing is known stand for rules that nobody can count: one of them stands for all."""
    others = [each for each in openings if not _is_wholly_unknown(each)]
    yield from (*others, *[each for each in openings if _is_wholly_unknown(each)][:1])


def _is_wholly_unknown(opening: Opening) -> bool:
    ranges = (isinstance(each.state, Unknown) for each in opening.ranges)
    return isinstance(opening.protocol.state, Unknown) and bool(opening.ranges) and all(ranges)


_OTHERS = "bastion|jumpbox|jumphost|[ane]lb|lb|loadbalancer|load[_-]balancer|rds|database|redis|efs|vpn|lambda"
_CALLED_AFTER_OTHERS = pattern(rf"(?<![A-Za-z])(?:{_OTHERS})(?![a-z])|(?:Bastion|[ANE]LB|LoadBalancer|Lambda)(?![a-z])")
_CALLED_AFTER_NODES = pattern(r"(?i)node|worker|gpu|master|control|cluster|kube|k3s|k8s|rke")


def _is_called_after_others(group: SecurityGroup) -> bool:
    names = f"{group.resource.name.rsplit('.', 1)[-1]} {group.resource.get('name').text or ''}"
    return _CALLED_AFTER_OTHERS.search(names) is not None and _CALLED_AFTER_NODES.search(names) is None


def _is_of_a_node(opening: Opening) -> bool:
    return any(opening.touches("tcp", *ports) is not False for ports in _OF_NODES_ONLY)


def _judged(group: SecurityGroup, opening: Opening, planned: PlannedFleet | None) -> Findings:
    if opening.protocol.state in _NO_PORTS:
        return
    listed = [each for named in opening.prefix_lists for each in listed_ranges(named, group.stack)]
    world = next((each for each in (*opening.ranges, *listed) if is_everyone(each)), None)
    if world is not None:
        if not allowed_ports(opening, planned):
            yield fail(
                world,
                f"{group.title} opens {opening.ports} to everyone",
                is_=f"{opening.ports} from {world.shown()}",
                should="the networks or security groups that need it",
                related=planned.says_what_is_open(opening) if planned is not None else (),
                cause=CAUSE,
            )
        return
    for each in (*opening.ranges, *listed):
        if isinstance(each.state, Unknown) and not is_some_network(each):
            said = f"to whom {group.title} opens {opening.ports} is not known"
            all_of_it = f"what {group.title} opens, and to whom, is not known"
            yield unknown(each, f"{all_of_it if _is_wholly_unknown(opening) else said}: {each.state.why}")


_OF_A_SCRIPT = (
    "say who may: gcloud's --source-ranges, az network nsg rule's --source-address-prefixes; or reach it by a tunnel: "
    "ssh -L 8888:localhost:8888"
)
_OF_A_RULE = (
    "say who may: source_ranges of google_compute_firewall, source_address_prefix of Azure's rule; for SSH take what "
    "needs no open port: Google's IAP (35.235.240.0/20), Azure's Bastion"
)


@RULE.check
def its_script_names_who_may(opened: OpenedPort) -> Findings:
    if opened.why:
        title = f"{opened.title} opens {opened.ports} of {_of_which(opened)}"
        yield unknown(opened.place, f"to whom {title} is not known: {opened.why}")
    if not opened.is_to_everyone:
        return
    yield fail(
        opened.place,
        f"{opened.title} opens {opened.ports} of {_of_which(opened)} to everyone",
        is_=f"{opened.ports} from {opened.source or 'everywhere, which is the default'}",
        should="the networks that need it",
        related=[Related(opened.machine, f"{opened.machine_title} is made here")],
        cause="whoever is on the internet may knock at this port of the machine",
        remedy=_OF_A_SCRIPT if opened.is_of_a_script else _OF_A_RULE,
    )


def _of_which(opened: OpenedPort) -> str:
    return "a machine with GPUs" if opened.is_of_a_script else opened.machine_title


@RULE.check
def what_guards_it_is_known(nodes: NodeGroup) -> Findings:
    if nodes.guarded_by:
        skip(f"what guards the nodes of {nodes.title} stands in the account: {nodes.guarded_by}")
    if nodes.template is None and not nodes.is_managed:
        yield unknown(nodes, f"what guards the nodes of {nodes.title} is not known: {nodes.no_template}")
    _, not_found = nodes.security_groups
    for each in not_found:
        assert isinstance(each.state, Unknown)
        yield unknown(
            each,
            f"a security group of {nodes.title} is not known: {each.state.why}",
            remedy="look at it: aws ec2 describe-security-group-rules --filters Name=group-id,Values=GROUP",
        )
    yield from _remote_access(nodes)


def _remote_access(nodes: NodeGroup) -> Findings:
    """A managed node group with a key and without groups opens SSH to everyone, which nobody writes down."""
    if not nodes.is_managed or nodes.group is None:
        return
    access = nodes.group.get("remoteAccess")
    key = access.get("ec2SshKey").located()
    if access.says_nothing or key.state == Known(None):
        return
    groups = access.get("sourceSecurityGroupIds")
    if groups.is_unknown or groups.sequence:
        return
    if not isinstance(key.state, Unknown) or not key.state.of:  # a key pair that is made or looked up is one
        need(key)
    yield fail(
        access,
        f"{nodes.title} opens SSH to everyone: a managed node group with a key and no source groups does",
        is_="remoteAccess with ec2SshKey alone",
        should="remoteAccess.sourceSecurityGroupIds beside it, or no key",
        related=nodes.declared,
        cause=CAUSE,
        remedy="name who may: remoteAccess.sourceSecurityGroupIds; or leave the key out and use SSM",
    )
