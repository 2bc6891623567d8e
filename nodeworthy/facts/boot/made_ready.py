"""A machine that a script makes ready for Kubernetes, and that somebody joins by hand later: a node in all but name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.boot.effects import Effect, Fetches, Installs, LoadsModule, NotUnderstood, Runs, Unit, Writes
from nodeworthy.boot.timeline import Timeline

# What nobody but kubeadm and its kin asks for: bridged packets go through iptables.
_BRIDGED, _MODULE = "bridge-nf-call-iptables", "br_netfilter"
_NAMES = ("kubelet", "kubeadm", "/kubernetes.", "containerd", "cri-o", "crio", "docker")


def is_one_in_all_but_name(timeline: Timeline) -> bool:
    """Whether the script makes a node ready without saying so: it lets bridges through the firewall, and installs a
    container runtime or switches swap off."""
    if not any(map(_bridges, timeline.effects)):
        return False
    is_named = any(name in each for each in _names_of_effects(timeline) for name in _NAMES)
    return is_named or any(map(is_swapoff, timeline.of(Runs)))


def is_swapoff(effect: Runs) -> bool:
    words = [each.shown() for each in effect.arguments]
    return bool(words) and posixpath.basename(words[0]) == "swapoff" and bool(words[1:])


def _names_of_effects(timeline: Timeline) -> Iterator[str]:
    for each in timeline.effects:
        if isinstance(each, Installs):
            yield from (package.shown() for package in each.packages)
        elif isinstance(each, Unit):
            yield each.unit.shown()
        elif isinstance(each, Fetches):
            yield each.url.shown()
        elif isinstance(each, Writes):
            yield each.path.shown()


def _bridges(effect: Effect) -> bool:
    if isinstance(effect, Writes):
        return effect.content is not None and bool(effect.content.text.contains(_BRIDGED))
    if isinstance(effect, LoadsModule):
        return effect.module == _MODULE and not effect.unloads
    return isinstance(effect, (Runs, NotUnderstood)) and _BRIDGED in effect.command
