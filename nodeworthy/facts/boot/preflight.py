"""What kubeadm's preflight asks of a machine, on one that a script prepares from its packages on."""

from __future__ import annotations

import posixpath

from nodeworthy.boot.effects import Effect, Installs, Runs
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.kubelet_starts import package_name
from nodeworthy.facts.boot.runtime_starts import makes_a_kubeadm_node
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import gaps, other_scripts
from nodeworthy.patterns import pattern

# Who names one of these may set it, has the check left out, or has it set by what it brings: Docker and podman set it,
# and so do routers of other kinds.
_MAY_BE_SET = pattern(
    r"ip_forward|ipv4\.conf|ipv4/conf|sysctl|ignore-preflight|skip-phases|IPForward|docker|moby|podman|tailscale|"
    r"wireguard|wg-quick|iptables-persistent|kubernetes-cni-setup|kubespray|\bufw\b|firewalld|masquerade",
)
# By which a script shows that it makes a machine ready which nobody has made ready before.
_MAKES_READY = pattern(r"\bswapoff\b", words=("swapoff",))
_RUNTIMES = frozenset({"containerd", "cri-o", "crio"})


def refused_by_preflight(script: BootScript) -> Effect | None:
    """`kubeadm init`, where the same script installs kubelet and its runtime, so that nobody was there before."""
    timeline = script.timeline
    # Other roles of a play, and other keys of a cloud-config, set what these do not.
    is_more = script.is_a_part or any(part.kind is not PartKind.SHELL for part in script.userdata.parts)
    said = script.userdata.text
    if is_more or not _MAKES_READY.search(said) or not makes_a_kubeadm_node(timeline) or _MAY_BE_SET.search(said):
        return None
    if not any(map(_brings_its_runtime, timeline.of(Installs))):
        return None
    if next(other_scripts(timeline), None) is not None or next(gaps(timeline, "kubeadm"), None) is not None:
        return None
    return next((each for each in timeline.effects if _begins_a_cluster(each)), None)


def _brings_its_runtime(effect: Installs) -> bool:
    return not effect.removes and any(package_name(each.shown()) in _RUNTIMES for each in effect.packages)


def _begins_a_cluster(effect: Effect) -> bool:
    """Whether this begins a cluster. A node that joins often starts from another image, which was prepared before."""
    words = [each.shown() for each in effect.arguments[:2]] if isinstance(effect, Runs) else []
    return bool(words) and posixpath.basename(words[0]) == "kubeadm" and words[1:] == ["init"]
