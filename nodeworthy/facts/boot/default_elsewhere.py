"""NVIDIA's runtime on a machine of k3s or RKE2, where kubelet does not use the containerd that others do.

They bring a containerd of their own, and find NVIDIA's runtime by themselves whenever they start; their default stays
runc. What is installed behind their start they find at the next one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.boot.conditions import always
from nodeworthy.boot.effects import Act, Effect, Fetches, Installs, Joins, NotUnderstood, Reboots, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.toolkit_installed import toolkits
from nodeworthy.facts.boot.unread_steps import other_scripts
from nodeworthy.facts.boot.where_missing import but_where_missing
from nodeworthy.known.containerd import Containerd, containerd_of, defaults
from nodeworthy.known.installers import installer_at
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

_UNITS = {"k3s": ("k3s", "k3s-agent"), "rke2": ("rke2-server", "rke2-agent")}
_RUNS = (Act.START, Act.RESTART, Act.ENABLE)
# Whatever may start it anew, or brings the runtime in its place.
_ANEW_OR_OTHERWISE = pattern(r"\bk3s|\brke2|\breboot\b|\bshutdown\b|\bkill|gpu-operator|\bcdi\b")


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
        return effect.unit.string.removesuffix(".service") in _UNITS[name]
    return isinstance(effect, Joins) and effect.how == name


def _is_of(runtime: Containerd, effect: Writes) -> bool:
    """Whether it writes this containerd's own configuration, a template of it, or a file whose name is not known."""
    own = [posixpath.dirname(each) for each in (*runtime.templates, runtime.config or "") if each]
    path = effect.path.known
    return path is None or path.startswith((*own, f"/etc/rancher/{runtime.distribution}/config.yaml"))


@dataclass(frozen=True)
class FoundAtStart:
    """A toolkit on a machine of k3s or RKE2."""

    installs: Installs
    package: str
    distribution: str
    started: Effect
    # It comes behind every start.
    is_too_late: bool

    @property
    def place(self) -> Place:
        return self.installs.place

    @property
    def unit(self) -> str:
        """The unit as systemctl takes it: a pattern leaves open whether an installer made a server or an agent."""
        known = self.started.unit.known if isinstance(self.started, Unit) else None
        return known.removesuffix(".service") if known is not None else f"'{self.distribution}*'"


def found_at_start(timeline: Timeline) -> FoundAtStart | None:
    """None where nobody can say whether it is there when one of them starts."""
    found = next(toolkits(timeline), None)
    starts = [(each, name) for each in timeline.effects for name in _UNITS if _starts(each, name)]
    if found is None or not starts:
        return None
    (installs, package), (started, name) = found, starts[0]
    is_behind = all(timeline.precedes(each, installs) for each, _ in starts)
    if is_behind and always([but_where_missing(started.conditions, name)], installs.conditions) is not True:
        return None
    is_too_late = is_behind and not any(_may_start_anew(each) for each in timeline.after(installs))
    if is_too_late and next(other_scripts(timeline), None) is not None:
        return None
    return FoundAtStart(installs, package, name, started, is_too_late)


def _may_start_anew(effect: Effect) -> bool:
    if isinstance(effect, Unit):
        return effect.unit.known is None
    is_other = isinstance(effect, (Reboots, NotUnderstood)) or _runs_what_it_fetches(effect)
    return is_other or _ANEW_OR_OTHERWISE.search(effect.command) is not None


def _runs_what_it_fetches(effect: Effect) -> bool:
    """The installers that are known start what they say, and nothing else."""
    if not isinstance(effect, Fetches) or not effect.runs:
        return False
    known = installer_at(effect.url.string)
    return known is None or bool(known.starts or known.joins)
