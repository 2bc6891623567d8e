"""Modules of the kernel that a script of kubeadm's names and never loads."""

from __future__ import annotations

import re

from nodeworthy.boot.effects import Act, Effect, Installs, LoadsModule, Reboots, Stage, Unit, Writes
from nodeworthy.facts.boot.kubelet_starts import STARTS, package_name
from nodeworthy.facts.boot.made_ready import is_one_in_all_but_name
from nodeworthy.facts.boot.runtime_starts import is_others, makes_a_kubeadm_node
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import other_scripts
from nodeworthy.patterns import pattern

BRIDGE = "br_netfilter"
# Somebody asks for it who sets what only this module knows.
_ASKS = pattern(r"^[^#\n]*\bbridge-nf-call-ip6?tables", re.MULTILINE)
_LOADED_AT_BOOT = pattern(r"modules-load\.d|/etc/modules\b")
_OF_MODULES = pattern(r"/(?:etc|usr/lib|run)/modules-load\.d/|/etc/modules$")
_AGAIN_OTHERWISE = pattern(r"systemd-modules-load|rc\.local|@reboot|ExecStartPre|persistent|bootcmd|initramfs|dracut")
# So does what runs at every boot, and what starts kubelet or its runtime.
_AGAIN = pattern(r"modules-load|/etc/modules\b|rc\.local|@reboot|ExecStartPre|persistent|bootcmd|initramfs|dracut")
_KEPT = ("/etc/sysctl.d/", "/etc/sysctl.conf", "/usr/lib/sysctl.d/", "/run/sysctl.d/")
_RUNTIME = pattern(r"containerd|cri-?o\b|kubelet|kubeadm")
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


def loaded_for_this_boot(script: BootScript) -> LoadsModule | None:
    """`modprobe br_netfilter` beside keys of its own in sysctl.d, which are kept: at the next boot nothing loads it."""
    timeline, said = script.timeline, script.userdata.text
    found = next((each for each in timeline.of(LoadsModule) if each.module == BRIDGE and not each.unloads), None)
    if found is None or found.stage in (Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT):
        return None
    again = _AGAIN if named_where_nobody_reads_it(script) is None else _AGAIN_OTHERWISE
    if is_others(said) or again.search(said) or _RUNTIME.search(said) is None:
        return None
    if not (makes_a_kubeadm_node(timeline) or is_one_in_all_but_name(timeline)):
        return None
    if any(map(_is_docker, timeline.effects)) or next(other_scripts(timeline), None) is not None:
        return None
    return found if any(map(_keeps_its_keys, timeline.of(Writes))) else None


def named_where_nobody_reads_it(script: BootScript) -> Writes | None:
    """A file for systemd-modules-load that names the module as no module is named: in a command line (`modprobe
    br_netfilter`), two in one line, or in a file whose name does not end in .conf. None where another one names it."""
    written = [each for each in script.timeline.of(Writes) if _OF_MODULES.match(each.path.shown())]
    misnamed = None
    for each in written:
        text = each.content.known if each.content is not None else None
        lines = [line.strip() for line in text.splitlines()] if text is not None else None
        is_read = each.path.shown().endswith((".conf", "/modules"))
        if lines is None or (is_read and BRIDGE in lines):
            return None
        if any(BRIDGE in line.split() for line in lines if not line.startswith(("#", ";"))):
            misnamed = misnamed or each
    return misnamed


def _keeps_its_keys(effect: Writes) -> bool:
    content = effect.content
    return effect.path.shown().startswith(_KEPT) and content is not None and bool(_ASKS.search(content.text.shown()))


def _is_docker(effect: Effect) -> bool:
    if isinstance(effect, Installs):
        return not effect.removes and any(package_name(each.shown()) in _OF_DOCKER for each in effect.packages)
    return isinstance(effect, Unit) and effect.act in (*STARTS, Act.RESTART) and effect.unit.known == _DOCKER


def _loads_it(effect: Effect) -> bool:
    if isinstance(effect, LoadsModule):
        return effect.module == BRIDGE and not effect.unloads
    is_started = isinstance(effect, Unit) and effect.act in (*STARTS, Act.RESTART) and effect.unit.known == _LOADER
    return is_started or _is_docker(effect)
