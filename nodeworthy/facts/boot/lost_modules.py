"""Modules of the kernel that a script of kubeadm's names and never loads."""

from __future__ import annotations

from nodeworthy.boot.effects import Act, Effect, Installs, LoadsModule, Reboots, Unit
from nodeworthy.facts.boot.kubelet_starts import STARTS, package_name
from nodeworthy.facts.boot.runtime_starts import makes_a_kubeadm_node
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern

BRIDGE = "br_netfilter"
# Somebody asks for it who sets what only this module knows.
_ASKS = pattern(r"^[^#\n]*\bbridge-nf-call-ip6?tables", 8)  # re.MULTILINE
_LOADED_AT_BOOT = pattern(r"modules-load\.d|/etc/modules\b")
_LOADER = "systemd-modules-load.service"
# dockerd loads it when it starts.
_DOCKER, _OF_DOCKER = "docker.service", frozenset({"docker.io", "docker-ce", "docker", "docker-engine", "moby-engine"})


def handed_over_as_option(script: BootScript) -> LoadsModule | None:
    """`modprobe overlay br_netfilter`: modprobe loads the first, and gives it the second as an option."""
    timeline = script.timeline
    said = script.userdata.text
    found = next((each for each in timeline.of(LoadsModule) if BRIDGE in each.options), None)
    if found is None or not makes_a_kubeadm_node(timeline) or _ASKS.search(said) is None:
        return None
    if _LOADED_AT_BOOT.search(said) and any(isinstance(each, Reboots) for each in timeline.after(found)):
        return None
    return None if any(map(_loads_it, timeline.effects)) else found


def _loads_it(effect: Effect) -> bool:
    if isinstance(effect, LoadsModule):
        return effect.module == BRIDGE and not effect.unloads
    if isinstance(effect, Installs):
        return not effect.removes and any(package_name(each.shown()) in _OF_DOCKER for each in effect.packages)
    return isinstance(effect, Unit) and effect.act in (*STARTS, Act.RESTART) and effect.unit.known in (_LOADER, _DOCKER)
