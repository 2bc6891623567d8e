"""Which containerd a boot script makes ready: by the pool that boots with it, else by what the script itself shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from nodeworthy.boot.conditions import Guard, together
from nodeworthy.boot.effects import Act, Effect, Fetches, Installs, Joins, Reboots, Stage, Unit
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, NotKnown, Unknown, need

# How a node joins, and the distribution that this shows.
_SHOWN = {
    "nodeadm": "eks-al2023",
    "kubeadm": "kubeadm",
    "k3s": "k3s",
    "rke2": "rke2",
    "bottlerocket": "bottlerocket",
}
_SNAPS = {"k8s": "k8s-snap", "microk8s": "microk8s"}
_VERSION = pattern(r"(?:^|/)containerd(?:\.io)?[=-](?P<version>[12]\.\d+(?:\.\d+)?)")


def runtime_of(script: BootScript, pool: BootPool | None) -> Containerd | None:
    """None where neither a pool, nor the image that its machines start from, nor the script says it."""
    if pool is not None:
        return need(pool.pool.runtime)
    shown = set(_shown_by(script))
    return containerd_of(shown.pop()) if len(shown) == 1 else None


def _shown_by(script: BootScript) -> Iterator[str]:
    if script.image is not None and script.image.distribution is not None:
        yield script.image.distribution
    for part in script.userdata.parts:
        if part.kind is PartKind.NODE_CONFIG:
            yield "eks-al2023"
    for join in script.timeline.of(Joins):
        if join.how in _SHOWN:
            yield _SHOWN[join.how]
    for install in script.timeline.of(Installs):
        names = [package.shown() for package in install.packages] if install.manager == "snap" else []
        yield from (_SNAPS[name] for name in names if name in _SNAPS)


def version_of(script: BootScript, pool: BootPool | None) -> str | None:
    """The release of containerd: the pool's, else the one that the script pins."""
    state = pool.pool.containerd_version.state if pool is not None else None
    if isinstance(state, Known):
        return state.value
    return next((version for _, version in containerd_pins(script)), None)


def containerd_pins(script: BootScript) -> Iterator[tuple[Effect, str]]:
    """The steps that install containerd in a release that they name."""
    installed = ((each, package) for each in script.timeline.of(Installs) for package in each.packages)
    fetched = ((each, each.url) for each in script.timeline.of(Fetches))
    for step, name in chain[tuple[Effect, Text]](installed, fetched):
        if found := _VERSION.search(name.shown()):
            yield step, found["version"]


def with_pinned_containerd(pools: Sequence[GpuPool], scripts: Sequence[BootScript]) -> list[GpuPool]:
    """The pools, and where one does not say which containerd it runs, the one that its boot scripts pin."""
    return [replace(pool, containerd=pool.containerd or _pinned(pool.name, scripts)) for pool in pools]


def _pinned(pool: str, scripts: Sequence[BootScript]) -> Located[str] | None:
    own = [script for script in scripts if any(each.pool.name == pool for each in script.pools)]
    try:
        pins = [pin for script in own for pin in containerd_pins(script)]
    except NotKnown:
        return None
    if not pins:
        return None
    step, version = pins[0]
    place = replace(step.place, subject="containerd")
    if len({each for _, each in pins}) > 1 or any(each.conditions for each, _ in pins):
        return Located(Unknown("the scripts of the pool install one release or another"), place)
    return Located(Known(version), place)


@dataclass(frozen=True)
class Ready:
    """A moment from which on kubelet pulls images: what happened before it, and when it comes at all."""

    join: Joins | None
    before: Sequence[Effect]
    when: Guard = ()


def ready(timeline: Timeline) -> list[Ready]:
    """Each way into the cluster; where the script has none, the end of the boot is the moment."""
    joins = [each for each in timeline.of(Joins) if not each.tells]
    if joins:
        return [Ready(each, timeline.before(each), each.conditions) for each in joins]
    told = next(timeline.of(Joins), None)
    before = [each for each in timeline.effects if told is None or each.stage < Stage.NODEADM_RUN]
    return [Ready(told, before)]


def restarts(effects: Sequence[Effect], unit: str, packages: tuple[str, ...], when: Guard = ()) -> list[Effect]:
    """What makes a service read its configuration behind these effects' beginning.

    A `start` counts only where the service does not run yet: it does nothing to one that does.
    """
    return [each for each in effects if _reads_anew(each, unit, packages) and together(each.conditions, when)]


def _reads_anew(effect: Effect, unit: str, packages: tuple[str, ...]) -> bool:
    if isinstance(effect, Unit):
        return effect.unit.known == unit and effect.act in (Act.RESTART, Act.START)
    return isinstance(effect, Reboots) or is_started_by_its_package(effect, packages)


def is_started_by_its_package(effect: Effect, packages: tuple[str, ...]) -> bool:
    """Debian's packages start their service as they are installed; RPMs do not."""
    if not isinstance(effect, Installs) or effect.removes or effect.manager not in ("apt", "apt-get", "dpkg"):
        return False
    return any(re.split("[=:/]", package.shown())[0] in packages for package in effect.packages)


def runs_already(effects: Sequence[Effect], unit: str, packages: tuple[str, ...]) -> Effect | None:
    """The step that started a service before, if one did."""
    for each in effects:
        started = isinstance(each, Unit) and each.unit.known == unit and each.act in (Act.START, Act.RESTART)
        if started or is_started_by_its_package(each, packages):
            return each
    return None
