"""The steps of a boot without which there is no node: the driver, the join, kubelet."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise

from nodeworthy.boot.effects import (
    Act,
    Effect,
    Failure,
    Fetches,
    Installs,
    Joins,
    NotUnderstood,
    Runs,
    RunsElsewhere,
    Stage,
    Unit,
)
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.driver_loads import is_driver
from nodeworthy.facts.boot.gaps import as_written
from nodeworthy.known.kubelet import family_of, kubelet_packages
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_STARTS = frozenset({Act.START, Act.RESTART, Act.ENABLE})
# What a command that was not understood names where it is one of these steps.
_NAMES_ONE = pattern(
    r"\b(?:nodeadm|bootstrap\.sh|kubeadm|kubelet|get\.k3s\.io|get\.rke2\.io)(?![\w-])|"
    r"\b(?:nvidia-driver|nvidia-open|cuda-drivers|NVIDIA-Linux)|nvidia[\w./-]*(?:install|driver)|install[\w./-]*nvidia|"
    r"://\S*nvidia\S*\.sh"
)
# Another language's program, a directive, what is sourced, and a script beside this one, whatever it is called.
_NO_STEP = pattern(r"^(?:#!|%\{|\{%|perl\b|source\b|\.\s)|^[\"']?\$\{?(?:sudo|SUDO)\b|\bcompletion\b|^[^:]*\.sh\b")
# A join whose words stand elsewhere: in a variable that is called so, in what kubeadm prints, in a script.
_RUN_BY = r"(?:sudo\s+(?:-\S+\s+)*)?(?:(?:/usr)?(?:/bin/)?(?:ba)?sh\s+(?:-\S+\s+)*|eval\s+)?[\"']?"
_JOINS_ELSEWHERE = pattern(
    rf"{_RUN_BY}(?:\$\{{?\w*(?i:join)\w*\}}?(?=[\s\"';]|$)|\$\([^()]*--print-join-command|"
    r"[\w./${}~\"-]*\bjoin[\w-]*\.sh\b|[\w./${}~\"-]*[_-]join(?:[_-]\w+)?(?:\.sh)?(?=[\s\"';]|$))"
)
_ANOTHER_JOIN = pattern(r"(?i)domain|realm|ldap|\bad[-_]|[-_]ad\b|tailscale|zerotier|swarm|vpn")
JOINING = "joining the cluster"


@dataclass(frozen=True)
class Step:
    effect: Effect
    # "the driver's installation"
    called: str
    # It only fetches what another step then runs.
    is_download: bool = False

    @property
    def place(self) -> Place:
        return self.effect.place

    @property
    def is_silent(self) -> bool:
        if self.effect.failure is Failure.REPORTED:
            return False
        return self.effect.detached or self.effect.failure in (Failure.SWALLOWED, Failure.UNNOTICED)


def critical_steps(timeline: Timeline) -> list[Step]:
    """One for each line; what runs at the next boot, systemd reports."""
    found: dict[Place, Step] = {}
    makes, waits = _makes_a_node(timeline), _waits_for_kubeadm(timeline)
    started = {each.place for each in timeline.of(Unit) if each.act in (Act.START, Act.RESTART)}
    for each in timeline.effects:
        called = _called(each, started) if each.stage < Stage.NODEADM_RUN else ""
        if makes and not called and joins_elsewhere(each):
            called = JOINING
        if not makes and isinstance(each, Unit) and each.act is Act.RESTART:
            continue
        if waits and isinstance(each, Unit) and each.unit.known == "kubelet.service":
            continue
        if called and (each.place not in found or not found[each.place].is_silent):
            found[each.place] = Step(each, called)
    for step in _downloads(timeline, found):
        found.setdefault(step.place, step)
        if not found[step.place].is_silent:
            found[step.place] = step
    return sorted(found.values(), key=lambda each: (each.place.path or "", each.place.line or 0))


def critical_gaps(timeline: Timeline) -> Iterator[NotUnderstood]:
    """By its first line: what stands in a program of another language, or in a file that it writes, is no step."""
    for each in timeline.of(NotUnderstood):
        if joins_elsewhere(each) and _makes_a_node(timeline):
            continue
        first = as_written(each).lstrip().partition("\n")[0]
        if not _NO_STEP.search(first) and _NAMES_ONE.search(first):
            yield each


def _makes_a_node(timeline: Timeline) -> bool:
    """A script that brings no kubelet and joins nothing only starts anew what ran."""
    packages = (each.shown() for one in timeline.of(Installs) if not one.removes for each in one.packages)
    brings = any(each.partition("=")[0] in kubelet_packages() for each in packages)
    return brings or any(not each.tells for each in timeline.of(Joins))


def _waits_for_kubeadm(timeline: Timeline) -> bool:
    """It brings kubeadm, and leaves it to others to run it: `kubeadm join` starts kubelet, which can't run before."""
    brings = (each.shown() for one in timeline.of(Installs) if not one.removes for each in one.packages)
    if not any(each.partition("=")[0] == "kubeadm" for each in brings):
        return False
    return not any(
        isinstance(each, Joins) or _makes_a_control_plane(each) or joins_elsewhere(each) for each in timeline.effects
    )


def _called(effect: Effect, started: AbstractSet[Place]) -> str:
    if isinstance(effect, Installs) and not effect.removes:
        return "the driver's installation" if is_driver(effect) else ""
    if isinstance(effect, Joins) and not effect.tells:
        return JOINING
    if isinstance(effect, Unit) and effect.act in _STARTS:
        family = family_of(effect.unit.known or "")
        does = "starting" if effect.place in started else "enabling"
        return f"{does} {effect.unit.shown().removesuffix('.service')}" if family is not None else ""
    return "making the control plane" if _makes_a_control_plane(effect) else ""


def joins_elsewhere(effect: Effect) -> bool:
    """By its name: `$JOIN_COMMAND`, `eval "$(kubeadm token create --print-join-command)"`, `bash /tmp/join.sh`."""
    if not isinstance(effect, (NotUnderstood, Runs)) or isinstance(effect, RunsElsewhere):
        return False
    return _JOINS_ELSEWHERE.match(effect.command) is not None and not _ANOTHER_JOIN.search(effect.command)


def _makes_a_control_plane(effect: Effect) -> bool:
    if not isinstance(effect, Runs):
        return False
    words = [each.known for each in effect.arguments[:2]]
    return words == ["kubeadm", "init"]


def _downloads(timeline: Timeline, critical: dict[Place, Step]) -> Iterator[Step]:
    """`curl … | sh -`: where the download fails, the shell runs nothing and is content."""
    effects = [each for each in timeline.effects if not (isinstance(each, Fetches) and each.runs)]
    for each, following in pairwise(effects):
        is_piped = isinstance(each, Fetches) and each.to is None and isinstance(following, Installs)
        if is_piped and following.place in critical:
            yield Step(each, f"the download for {critical[following.place].called}", is_download=True)
