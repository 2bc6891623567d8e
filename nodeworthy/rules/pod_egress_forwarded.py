"""A node's firewall forwards between the interfaces of pods and the uplink, and lets pods and services in and out.

ufw forwards nothing unless it is told: its default is `deny (routed)`. Pods' traffic is forwarded, from an interface
of the pod (`lxc…` of Cilium, `cali…` of Calico, `cni0` of flannel, `eni…` of Amazon's CNI) to the uplink, and so the
pod starts, and then finds no name server (`Temporary failure in name resolution`), while the node itself resolves.
The kernel's log says `[UFW BLOCK] IN=lxc… OUT=eno1`. Four rules are needed, each for something of its own:

- `ufw route allow in on lxc+ out on eno1`: what pods send out, DNS first
- `ufw route allow in on eno1 out on lxc+`: what others send to pods: pods of other nodes, webhooks, NodePorts
- `ufw allow from 10.0.0.0/8`: what pods send to the node itself: kubelet, a resolver on the node, the API server
- `ufw allow out to 10.0.0.0/8`: what the node sends to pods and services, where outgoing traffic is denied by default

`ufw allow in on lxc+` is none of the first two: it is about traffic with the node, and forwards nothing. A `+` at the
end of a name is every interface that begins so; without it, it is one. Rules of iptables and nftables are judged in the
same way where one of their chains drops what no rule lets through, or a rule of theirs drops pods' packets; towards
the node itself a rule for kubelet's port is enough there. firewalld is judged by its zones and policies: what comes
from the zone `trusted` is let through, what goes to pods only by a policy, as nothing is forwarded from one zone to
another. What is said to it with `--permanent` counts once it is loaded, and what is said without it until then.

On a node it is what the kernel has that is judged: the chains of iptables-save, followed to their ends, and the tables
of nftables, by the interfaces, routes and the uplink that are there. A packet passes the chains of every hook, before
and behind routing as well, and those of both kinds of iptables: one that lets it through saves it from no other. Where
pods have addresses of IPv6 that lead anywhere, its tables (`ip6`, `inet`) are judged for these packets, too. No
packet is sent: that would take a pod's end of a network, which nobody may make on somebody's node. What the kernel's
log says of dropped packets is shown beside it.

In a cluster nobody sees a firewall. Where pods do not run and say `Temporary failure in name resolution`, and the
cluster's DNS is not seen to be down, that is laid to it if a log has a line of `[UFW BLOCK]`, if the pool is declared
with ufw, or if the system comes with ufw; elsewhere it is unknown what keeps them.

Which of these a node needs depends on the network that its pods have, and that follows from what is there: how the
script joins or begins its cluster (k3s brings flannel, RKE2 and MicroK8s bring Calico's chains, Canonical Kubernetes
Cilium, EKS Amazon's), what it applies (`kube-flannel.yml`, `calico.yaml`, `cilium install`), the options and files by
which it chooses another one, the ranges and names in its rules; else the manifests and scripts of its repository.
Calico's own rules stand before those of ufw and accept, also what pods send to the node. flannel's stand behind them
and forward, unless ufw rejects what it does not let through; to the node pods come by `ufw allow from` their range.
Cilium that is installed by its chart forwards by itself, that of Canonical Kubernetes does not. Where nothing shows
the network, it is unknown whether ufw or a policy of iptables keeps its pods back. Other chains, of nftables and of
firewalld, are asked beside theirs, whatever the network is.

A script that is given to another machine (`ssh HOST 'bash -s' <<EOF`, `ssh HOST "…"`) is judged as that machine's.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.conditions import Guard
from nodeworthy.facts.boot.final_files import speaking_of
from nodeworthy.facts.boot.guards import guard_in_words
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import PART, BootPool, BootScript
from nodeworthy.facts.boot.unread_steps import gaps
from nodeworthy.facts.cluster.unanswered_pods import UnansweredPods
from nodeworthy.facts.firewall.pod_traffic import BlockedTraffic, blocked_traffic
from nodeworthy.facts.firewall.pods import pods_of, skip_unless_a_nodes
from nodeworthy.facts.firewall.runs import Run, runs
from nodeworthy.facts.firewall.steps import steps_in, unread_step_amid
from nodeworthy.facts.firewall.ufw_files import UfwFirewall
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.firewall import (
    NodeFirewall,
    declared_firewall,
    evidence,
    known_to_want,
    once_booted,
    pods_behind,
)
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import NodeKernelLog
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "pod-egress-forwarded",
    severity=Severity.ERROR,
    incident="A",
    title="The firewall forwards what pods send and get, and lets pods and services in",
    remedy="let through what pods' network needs: with flannel `ufw allow from PODS_RANGE`; with Canonical Kubernetes' "
    "Cilium also `ufw route allow in on lxc+ out on UPLINK`, and back",
    reads_logs=True,
)

# Words of a step that was not understood, and that may open it.
_WORDS = ("ufw", "iptables", "nft ", "firewall-cmd")
_PROGRAMS = ("ufw", "iptables", "firewall")


@RULE.check
def a_script_opens_it_for_pods(script: BootScript, pool: BootPool | None) -> Findings:
    if script.is_a_part:
        skip(PART)
    yield from _of_script(script, pool)


def _of_script(script: BootScript, pool: BootPool | None) -> Iterator[Draft]:
    steps = steps_in(script.timeline)
    found = runs(steps)
    if found is None:
        skip_unless_a_nodes(script, pool, steps)
        yield unknown(script.place, "the firewall depends on too many conditions to be decided")
        return
    closing = [each for each in found if any(each.firewall.closed())]
    if not closing:
        skip("nothing in this script switches on a firewall that forwards nothing")
    skip_unless_a_nodes(script, pool, steps)
    gap = _not_understood(script) or unread_step_amid(script.timeline, steps)
    for run in closing:
        kept_back = blocked_traffic(run.firewall, pods_of(pool, script), script.place)
        told_here = [each for story, is_sure in kept_back for each in _draft_of_traffic(story, is_sure, pool)]
        if told_here:
            if gap is not None:
                place, why = gap
                yield unknown(place, f"whether this opens the firewall for pods is not known: {why}")
                return
            yield from (replace(each, message=_if(each.message, run, found)) for each in told_here)
            return


def _not_understood(script: BootScript) -> tuple[Place, str] | None:
    """A step that may open it: one that was not understood, or a program that nobody here has read."""
    gap = next(gaps(script.timeline, *_WORDS), None)
    if gap is not None:
        return gap.place, gap.why
    program = speaking_of(script.timeline, *_PROGRAMS)
    return (program.place, f"nobody here has read what `{program.command}` does") if program is not None else None


@RULE.check
def another_machines_script_opens_it_for_pods(script: RemoteScript) -> Findings:
    yield from _of_script(script, None)


@RULE.check
def the_files_open_it_for_pods(ufw: UfwFirewall, pool: BootPool | None) -> Findings:
    ufw.of_a_node()
    if ufw.rules is None:
        skip("its rules are not here, and they say what is let through")
    for story, is_sure in blocked_traffic(ufw.left(), pods_of(pool), ufw.rules.place):
        yield from _draft_of_traffic(story, is_sure, pool)


@RULE.check
def the_node_lets_pods_through(
    firewall: NodeFirewall, identity: NodeIdentity, end: BootEnd, log: NodeKernelLog | None
) -> Findings:
    yield from once_booted(end, _of_node(firewall, identity, log))


def _of_node(firewall: NodeFirewall, identity: NodeIdentity, log: NodeKernelLog | None) -> Findings:
    for story, is_sure in firewall.kept_back(pods_behind(firewall, identity)):
        more = [*declared_firewall(known_to_want(identity)), *evidence(log, story)]
        yield from (replace(each, related=(*each.related, *more)) for each in _draft_of_traffic(story, is_sure, None))


def _draft_of_traffic(story: BlockedTraffic, is_sure: bool, pool: BootPool | None) -> Findings:
    on = pool.title if pool is not None else ()
    if is_sure:
        related = [*story.related(), *_declared(pool)]
        yield fail(
            story.place,
            story.message,
            is_=story.is_,
            should=story.should,
            on=on,
            related=related,
            cause=story.cause,
            remedy=story.remedy,
        )
        return
    unread = ((each.place, each.why) for each in story.firewall.unread)
    place, why = next(iter([*unread, *story.doubts()]), (story.place, "a rule was not understood"))
    yield unknown(place, f"whether the firewall lets pods' traffic through is not known: {why}", on=on)


def _declared(pool: BootPool | None) -> list[Related]:
    if pool is None or pool.pool.firewall is not Wanted.UFW:
        return []
    return [pool.declared("has ufw as its firewall")]


def _if(message: str, run: Run, among: list[Run]) -> str:
    """Names what this run depends on, where there are others."""
    when: Guard = run.when if len(among) > 1 else ()
    return f"{message} (if {guard_in_words(when)})" if when else message


@RULE.check
def pods_are_answered(unanswered: UnansweredPods) -> Findings:
    pods, uplink = unanswered.ends
    on = [f"node '{name}'" for name in unanswered.nodes]
    victims = [pod.object for pod in unanswered.pods]
    opening = (
        f"on the node: ufw route allow in on {pods} out on {uplink}; ufw route allow in on {uplink} out on {pods}; "
        "ufw allow from POD_AND_SERVICE_RANGES; ufw allow out to POD_AND_SERVICE_RANGES"
    )
    if unanswered.doubt is not None:
        why = f"what keeps pods from a name server is not known: {unanswered.doubt}"
        look = f"nodeworthy node node://{unanswered.nodes[0]} --rule {RULE.id}; where ufw is active, {opening}"
        yield unknown(unanswered, why, is_=unanswered.line, on=on, victims=victims, remedy=look)
        return
    yield fail(
        unanswered,
        "the firewall drops what pods send"
        if unanswered.was_blocked
        else f"pods reach no name server{', although the cluster has one that runs,' if unanswered.dns_runs else ''}",
        is_=unanswered.line,
        should="what pods send is forwarded to the uplink, and its answers back",
        on=on,
        related=_by_fleet(unanswered),
        cause="ufw's default is to deny what is routed, and so what pods send is dropped; the node itself resolves"
        + ("" if unanswered.was_blocked else "; if the kernel's log has no [UFW BLOCK], look for a NetworkPolicy"),
        remedy=opening,
        victims=victims,
    )


def _by_fleet(unanswered: UnansweredPods) -> list[Related]:
    pool = unanswered.pool
    if pool is None or pool.firewall is not Wanted.UFW:
        return []
    return [Related(pool.place, f"pool '{pool.name}' has ufw as its firewall")]
