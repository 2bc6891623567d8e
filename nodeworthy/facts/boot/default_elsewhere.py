"""NVIDIA's runtime, made the default of a containerd that the machine's kubelet does not use.

k3s and RKE2 bring a containerd of their own, and find NVIDIA's runtime by themselves whenever they start; their default
stays runc.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.boot.effects import Act, Effect, Joins, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.containerd import Containerd, containerd_of, defaults
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

_UNITS = {"k3s": ("k3s", "k3s-agent"), "rke2": ("rke2-server", "rke2-agent")}
_RUNS = (Act.START, Act.RESTART, Act.ENABLE)


@dataclass(frozen=True)
class DefaultElsewhere:
    edit: Writes
    distribution: str
    says: Related

    @property
    def place(self) -> Place:
        return self.edit.place


def default_elsewhere(script: BootScript) -> DefaultElsewhere | None:
    edit = next((each for each in script.timeline.of(Writes) if _makes_the_default(each)), None)
    machine = next(_machines(script.timeline), None) if edit is not None else None
    if edit is None or machine is None:
        return None
    runtime, says = machine
    is_told = any(_is_of(runtime, each) for each in script.timeline.of(Writes))
    return None if is_told else DefaultElsewhere(edit, runtime.distribution, says)


def _makes_the_default(effect: Writes) -> bool:
    is_stock = effect.path.known in (defaults().config, defaults().drop_in)
    return is_stock and "nvidia-ctk" in effect.command and "set-as-default" in effect.command


def _machines(timeline: Timeline) -> Iterator[tuple[Containerd, Related]]:
    """None where kubeadm, or whoever else, makes the node."""
    if any(each.how not in _UNITS for each in timeline.of(Joins)):
        return
    for name in _UNITS:
        for each in timeline.effects:
            if _starts(each, name):
                yield containerd_of(name), Related(each.place, f"{name} runs on this machine")


def _starts(effect: Effect, name: str) -> bool:
    if isinstance(effect, Unit) and effect.act in _RUNS:
        return (effect.unit.known or "").removesuffix(".service") in _UNITS[name]
    return isinstance(effect, Joins) and effect.how == name


def _is_of(runtime: Containerd, effect: Writes) -> bool:
    """Its own configuration, a template of it, or a file whose name nobody knows."""
    own = [posixpath.dirname(each) for each in (*runtime.templates, runtime.config or "") if each]
    path = effect.path.known
    return path is None or path.startswith((*own, f"/etc/rancher/{runtime.distribution}/config.yaml"))
