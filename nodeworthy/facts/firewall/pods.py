"""Whether a boot script makes a node of Kubernetes, and what its pool says of the pods there."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nodeworthy.boot.effects import Effect, Fetches, Installs, Joins, NotUnderstood, Runs, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.kubelet_starts import families_in
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.firewall.firewall import Step
from nodeworthy.facts.firewall.needs import Pods
from nodeworthy.facts.firewall.ranges import Range
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.pod_interfaces import Cni, brought_by, is_uplink, named_by
from nodeworthy.verdict import Known, Located, skip

# Ports that nobody but a node of Kubernetes has; the API's stands open on what balances its load as well.
_PORTS = ("10250", "30000:32767", "30000-32767")
_API = "6443"
# Snaps that are a whole distribution, by the name of their own way of joining.
_SNAPS = {"k8s": "k8s-snap", "microk8s": "microk8s"}
# What begins a cluster on this machine, or makes it a node without a join in sight.
_BEGINS = (("k8s", "bootstrap"), ("kubeadm", "init"), ("microk8s", "enable"), ("k3s", "server"), ("rke2", "server"))
_KUBELET = ("kubelet", "kubeadm")
# A container runtime, and what makes the kernel filter what pods send over a bridge: nobody else has both.
_RUNTIMES = ("containerd", "cri-o", "crio", "docker")
_BRIDGED = "bridge-nf-call-iptables"
_REPOSITORY = "/kubernetes."


def joins(script: BootScript) -> bool:
    timeline = script.timeline
    return (
        any(True for _ in timeline.of(Joins))
        or bool(families_in(timeline))
        or any(True for _ in _makes(timeline))
        or _is_one_in_all_but_name(timeline)
    )


def _is_one_in_all_but_name(timeline: Timeline) -> bool:
    """A machine that is made ready, and that somebody joins by hand later."""
    if not any(_bridges(each) for each in timeline.effects):
        return False
    named = [each.shown() for effect in timeline.of(Installs) for each in effect.packages]
    named += [each.unit.shown() for each in timeline.of(Unit)]
    named += [each.url.shown() for each in timeline.of(Fetches)]
    named += [each.path.shown() for each in timeline.of(Writes)]
    return any(name in each for each in named for name in (*_RUNTIMES, *_KUBELET, _REPOSITORY))


def _bridges(effect: Effect) -> bool:
    if isinstance(effect, Writes):
        return effect.content is not None and bool(effect.content.text.contains(_BRIDGED))
    return isinstance(effect, (Runs, NotUnderstood)) and _BRIDGED in effect.command


def _makes(timeline: Timeline) -> Iterator[str]:
    """The ways in which it makes a node beside joining, by the names of the ways to join."""
    for effect in timeline.effects:
        way = _made_by(effect)
        if way is not None:
            yield way


def _made_by(effect: Effect) -> str | None:
    if isinstance(effect, Installs) and not effect.removes:
        named = [each.known for each in effect.packages if each.known]
        if effect.manager == "snap":
            return next((_SNAPS[each] for each in named if each in _SNAPS), None)
        # `kubelet=1.34.1-1.1`, `kubelet-$VERSION`, `kubeadm`
        return "kubeadm" if any(each.shown().startswith(_KUBELET) for each in effect.packages) else None
    if isinstance(effect, Runs):
        words = tuple(each.known for each in effect.arguments)
        program = (words[0] or "").rpartition("/")[2] if words else ""
        return _SNAPS.get(program, program) if (program, *words[1:2]) in _BEGINS else None
    return None


def of_a_node(script: BootScript, pool: BootPool | None, steps: Sequence[Step]) -> None:
    """Skips a firewall that is no node's, as far as anybody says."""
    if pool is None and not joins(script) and not speaks_of_pods(steps) and not _serves_the_api(script, steps):
        skip("nothing here makes a node of Kubernetes: the script joins no cluster, and no pool is known that it is of")


def _serves_the_api(script: BootScript, steps: Sequence[Step]) -> bool:
    """It opens the API's port, and something shows which network the pods there have."""
    opens = any(each.filter is not None and _API in each.filter.limits for each in steps)
    return opens and bool(pods_of(None, script).networks)


def speaks_of_pods(steps: Sequence[Step]) -> bool:
    rules = [each.filter for each in steps if each.filter is not None]
    ends = (end.known for rule in rules for end in (rule.in_, rule.out))
    return any(end and named_by(end) and not is_uplink(end) for end in ends) or any(
        port in rule.limits for rule in rules for port in _PORTS
    )


def pods_of(pool: BootPool | None, script: BootScript | None = None) -> Pods:
    """What the pool says; beyond that, what the script and the files around it show of the network."""
    said = pods_in(pool.fleet, pool.pool) if pool is not None else Pods()
    if script is None or script.read is None:
        return said
    from nodeworthy.facts.firewall.shown_pods import shown_by

    return shown_by(script, said)


def pods_in(fleet: Fleet, pool: Pool) -> Pods:
    distribution = pool.distribution.state
    networks = brought_by(distribution.value) if isinstance(distribution, Known) else ()
    own, services = _range(fleet.cluster.pod_cidr), _range(fleet.cluster.service_cidr)
    return replace(of_networks(networks), pod_range=own, service_range=services, network=fleet.network)


def of_networks(networks: tuple[Cni, ...]) -> Pods:
    return Pods(networks=networks, is_overlaid=bool(networks) and all(each.overlays for each in networks))


def _range(located: Located[str]) -> Range | None:
    """A default that nobody wrote is no range to insist on."""
    if not isinstance(located.state, Known) or not located.written:
        return None
    return ipaddress.ip_network(located.state.value, strict=False)
