"""A container toolkit that a script installs on a node of Kubernetes, and whether it is written into containerd."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.conditions import always
from nodeworthy.boot.effects import (
    Act,
    Effect,
    Fetches,
    How,
    Installs,
    Joins,
    NotUnderstood,
    Reboots,
    Runs,
    Unit,
    Writes,
)
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.driver_loads import is_driver
from nodeworthy.facts.boot.runtime import is_started_by_its_package
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import other_scripts
from nodeworthy.facts.registry.config_path import is_default_config
from nodeworthy.known.drivers import PackageKind, package_kind
from nodeworthy.known.kubelet import kubelet_packages
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

# Who brings the runtime elsewhere or needs none: the operator, CDI, another runtime, another containerd.
_BY_OTHERS = pattern(
    r"gpu-operator|\bcdi\b|\bcri-?o\b|cri-dockerd|cri-docker\b|container-runtime=remote|\bk3s\b|\brke2\b|microk8s|"
    r"\bk8s-snap\b|snap install k8s|ansible-playbook|nvidia-container-runtime[^\n]*containerd|containerd[^\n]*nvidia"
)
_COMMENT = pattern(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
# `apt-get install containerd.io nvidia-container-toolkit` tells containerd nothing.
_INSTALLS = pattern(r"\b(?:apt(?:-get)?|dnf|yum)\b[^\n;&|]*\binstall\b[^\n;&|]*")
# Debian's own, Docker's, and Ubuntu's: each starts containerd as it is installed.
_STARTED_BY_APT = ("containerd", "containerd.io", "docker.io", "docker-ce")
# Whatever may start it anew, in whichever words.
_MAY_START_IT = pattern(
    r"\b(?:reboot|shutdown)\b|\brestart\b|\breload\b|\bkill|\bdaemon-reload\b|gpu-operator|\bcdi\b|\bcri-?o\b"
)


@dataclass(frozen=True)
class ToolkitInstalled:
    """A toolkit on a node whose containerd nothing else seems to tell of it."""

    installs: Installs
    package: str
    # Whether some step writes the runtime into containerd, or may.
    is_told: bool
    says: tuple[Related, ...]

    @property
    def place(self) -> Place:
        return self.installs.place


def toolkit_installed(script: BootScript) -> ToolkitInstalled | None:
    timeline = script.timeline
    found = next(toolkits(timeline), None)
    made = _made_a_node(timeline, found[0]) if found is not None else None
    if found is None or made is None:
        return None
    is_told = any(map(_configures, timeline.effects))
    said = _INSTALLS.sub("", "\n".join(_COMMENT.sub("", part.text) for part in script.userdata.parts))
    if not is_told and (_BY_OTHERS.search(said) or next(other_scripts(timeline), None) is not None):
        return None
    return ToolkitInstalled(*found, is_told, (made, *_for_docker(timeline)))


@dataclass(frozen=True)
class ToldInVain:
    """Written into a containerd that runs, and that nothing here starts anew."""

    written: Effect
    runs_since: Effect


def told_in_vain(timeline: Timeline) -> ToldInVain | None:
    """None where anything behind it, in whichever words, may start containerd anew."""
    told = [each for each in timeline.effects if _surely_configures(each)]
    runs = next((each for each in timeline.effects if _starts_containerd(each)), None)
    if not told or runs is None or not timeline.precedes(runs, told[0]):
        return None
    if always([runs.conditions], told[-1].conditions) is not True:
        return None
    behind = timeline.after(told[-1])
    if any(_may_start_it(each) for each in behind) or next(other_scripts(timeline), None) is not None:
        return None
    return ToldInVain(told[-1], runs)


def _starts_containerd(effect: Effect) -> bool:
    if isinstance(effect, Unit):
        return effect.unit.known == "containerd.service" and effect.act in (Act.START, Act.RESTART)
    return is_started_by_its_package(effect, _STARTED_BY_APT)


def _may_start_it(effect: Effect) -> bool:
    is_other = isinstance(effect, (Reboots, NotUnderstood, Fetches, Unit))
    return is_other or _MAY_START_IT.search(effect.command) is not None


def toolkits(timeline: Timeline) -> Iterator[tuple[Installs, str]]:
    """Each step that installs one, and the package's name."""
    for each in timeline.of(Installs):
        named = (one.shown() for one in each.packages if not each.removes)
        toolkit = next((one for one in named if package_kind(_bare(one)) is PackageKind.TOOLKIT), None)
        if toolkit is not None:
            yield each, toolkit


def _bare(name: str) -> str:
    return name.partition("=")[0]


def _made_a_node(timeline: Timeline, toolkit: Installs) -> Related | None:
    """bootstrap.sh of an image that has no toolkit, or kubeadm beside a containerd that this script installs."""
    for each in timeline.of(Joins):
        if each.how == "bootstrap.sh":
            bare = any(map(is_driver, timeline.of(Installs))) or timeline.precedes(each, toolkit)
            return Related(each.place, "the node joins its cluster here") if bare else None
        if each.how != "kubeadm":
            return None
    brings = next((each for each in timeline.effects if _brings_kubelet(each)), None)
    if brings is None or not any(_has(each, "containerd", "containerd.io") for each in timeline.of(Installs)):
        return None
    return Related(brings.place, "kubelet is brought here, and containerd with it")


def _brings_kubelet(effect: Effect) -> bool:
    if isinstance(effect, Joins):
        return effect.how == "kubeadm"
    return isinstance(effect, Installs) and _has(effect, *kubelet_packages())


def _has(installs: Installs, *names: str) -> bool:
    return not installs.removes and any(_bare(each.shown()) in names for each in installs.packages)


def told_containerd(timeline: Timeline) -> Effect | None:
    """The step that writes the runtime into a containerd's files, or that certainly makes the toolkit do it."""
    return next((each for each in timeline.effects if _surely_configures(each)), None)


def _surely_configures(effect: Effect) -> bool:
    if isinstance(effect, Runs):
        return "nvidia-ctk runtime configure" in effect.command and "docker" not in effect.command
    if not isinstance(effect, Writes) or "containerd" not in effect.path.shown():
        return False
    content = effect.whole or effect.content
    return "nvidia-ctk" in effect.command or (content is not None and "nvidia" in content.text.shown())


def _configures(effect: Effect) -> bool:
    """Any file of containerd that speaks of the runtime, or may: `nvidia-ctk runtime configure` writes one."""
    if not isinstance(effect, Writes):
        return isinstance(effect, Runs) and "nvidia-ctk runtime configure" in effect.command
    if "containerd" not in effect.path.shown() and effect.path.known is not None:
        return False
    if is_default_config(effect):  # containerd's own has no such runtime
        return False
    if effect.how is How.EDIT and effect.expressions and all(each.known is not None for each in effect.expressions):
        return "nvidia" in " ".join((effect.command, *(each.shown() for each in effect.expressions)))
    content = effect.whole or effect.content
    return content is None or "nvidia" in content.text.shown() or "nvidia" in effect.command


def _for_docker(timeline: Timeline) -> Iterator[Related]:
    for each in timeline.of(Writes):
        if "nvidia-ctk" in each.command and "docker" in each.path.shown():
            yield Related(each.place, "only Docker is told of the runtime, and kubelet does not use Docker")
            return
