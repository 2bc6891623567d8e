"""The steps of a boot without which there is no node: the driver, the join, kubelet."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf

from nodeworthy.boot.effects import (
    Act,
    Effect,
    Failure,
    Fetches,
    Gap,
    Installs,
    Joins,
    NotUnderstood,
    Runs,
    RunsElsewhere,
    Stage,
    Unit,
    Writes,
)
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.driver_loads import is_driver
from nodeworthy.known.kubelet import family_of, kubelet_packages
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_STARTS = frozenset({Act.START, Act.RESTART, Act.ENABLE})
# What a command that was not understood names where it is one of these steps.
_NAMES_ONE = pattern(
    r"\b(?:nodeadm|bootstrap\.sh|kubeadm|kubelet|get\.k3s\.io|get\.rke2\.io)(?![\w-])|"
    r"\b(?:nvidia-driver|nvidia-open|cuda-drivers|NVIDIA-Linux)"
)
_NAME = pattern(r"[\w./-]+")
# How a repository is called says nothing of a script in it.
_FOLDERS_OF_A_URL = pattern(r"(?:raw\.)?git(?:hub(?:usercontent)?|lab)\.com/\S*/")
# A script that is fetched for what it makes of a machine, by its name.
_FETCHED_TO_JOIN = pattern(
    r"(?i)/(?:[\w.]{1,40}[-_])?(?:join|init)[-_](?:k8s|kube\w*|k3s|rke2|cluster|worker|master|node|control[-_]?plane)[\w.-]{0,60}$|"
    r"/[\w.-]{0,40}(?:k8s|kube\w*|k3s|rke2|worker|master|node)[-_](?:join|init)\.sh$"
)
# Another language's program, a directive, what is sourced, a script beside this one, whatever it is called, and what
# only asks a cluster (`"$KUBECTL" get daemonset nvidia-driver`).
_NO_STEP = pattern(
    r"^(?:#!|%\{|\{%|perl\b|source\b|\.\s|(?:ExecStart=)?[\w./-]*/kubelet(?=\s|$))|^[\"']?\$\{?(?:sudo|SUDO)\b|\bcompletion\b|^[^:]*\.sh\b|"
    r"^[\"']?\$\{?\w+\}?[\"']?\s+(?:get|describe|exec|logs|version|wait)\b"
)
# A join whose words stand elsewhere: in a variable that is called so, in what kubeadm prints, in a script.
_RUN_BY = (
    r"(?:sudo\s+(?:-\S+\s+)*)?(?:(?:nohup|setsid|exec)\s+)?"
    r"(?:(?:/usr)?(?:/bin/)?(?:ba)?sh\s+(?:-\S+\s+)*|eval\s+)?[\"']?"
)
_MEMBER = r"(?:worker|node|master|control[_-]?plane|kube(?:adm|rnetes)?|k8s)"
_JOINS_ELSEWHERE = pattern(
    rf"{_RUN_BY}(?:\$\{{?\w*(?i:join)\w*\}}?(?=[\s\"';]|$)|\$\([^()]*--print-join-command|"
    r"[\w./${}~\"-]*\bjoin[\w-]*\.sh\b|[\w./${}~\"-]*[_-]join(?:[_-]\w+)?(?:\.sh)?(?=[\s\"';]|$))"
)
# `eval "$(…)"`, `sh -c "$(…)"`: where what is in there fails and prints nothing, nothing is run, and that succeeds.
_RUNS_WHAT_IS_PRINTED = pattern(
    r"(?:sudo\s+(?:-\S+\s+)*)?(?:eval|(?:/usr)?(?:/bin/)?(?:ba)?sh\s+-\w*c)\s+[\"']?(?:\$\(|`)"
)
_NAMES_THE_JOIN = pattern(
    r"(?i)\bjoin\b|\bjoin[-_]|[-_]join\b|\bssm\s.{0,200}get-parameter\b|\bsecretsmanager\s.{0,200}get-secret-value\b"
)
# What a play keeps of kubeadm's words: the tasks that bring kubelet stand elsewhere.
_JOINS_IN_A_PLAY = pattern(
    r"(?:sudo\s+)?\{\{[^{}]*(?i:k8s|kube|master|worker|control|node)[^{}]*(?i:join[_-]?(?:cmd|command))[^{}]*\}\}"
)
# `${kubeadm_cmd}` and no word more: with words behind it, it is the program's path.
_KUBEADM_ELSEWHERE = pattern(rf"{_RUN_BY}\$\{{?\w*(?i:kubeadm)\w*\}}?[\"';]*\s*$")
# A script that is called for what it makes of a machine: worker_bootstrap.sh, bootstrap-node.
_MAKES_A_MEMBER = pattern(
    rf"(?i){_RUN_BY}(?:[\w.${{}}~-]*/)*(?:"
    rf"(?:[\w.]+[_-])??{_MEMBER}[_-]bootstrap|bootstrap[_-]{_MEMBER})(?:[_-]\w+)?(?:\.sh)?(?=[\s\"';]|$)"
)
# What `JOIN=$(kubeadm token create --print-join-command)` is run for.
_PRINTED = "--print-join-command"
_ANOTHER_JOIN = pattern(r"(?i)domain|realm|ldap|\bad[-_]|[-_]ad\b|tailscale|zerotier|swarm|vpn")
THE_DRIVER = "the driver's installation"
JOINING = "joining the cluster"
MAKING_A_CONTROL_PLANE = "making the control plane"
# A script that brings kubelet and leaves the rest to another.
BRINGING_KUBELET = "kubelet's installation"


@dataclass(frozen=True)
class CriticalStep:
    effect: Effect
    # "the driver's installation"
    called: str
    # It only fetches what another step then runs.
    is_download: bool = False

    @property
    def place(self) -> Place:
        return self.effect.place

    @property
    def failure(self) -> Failure:
        """What happens where it fails, in the end: its own script may stop, and who called that goes on."""
        own = self.effect.failure
        if own is Failure.STOPS and self.runs_what_is_printed:
            return Failure.SWALLOWED
        return self.effect.around if own is Failure.STOPS else own

    @property
    def runs_what_is_printed(self) -> bool:
        return _RUNS_WHAT_IS_PRINTED.match(self.effect.command) is not None

    @property
    def is_let_go(self) -> bool:
        """Whether its own script stops and the caller goes on."""
        return self.effect.failure is Failure.STOPS and self.effect.around is not Failure.STOPS

    @property
    def is_silent(self) -> bool:
        if self.failure is Failure.REPORTED:
            return False
        return self.effect.detached or self.failure in (Failure.SWALLOWED, Failure.UNNOTICED)


def files_with_the_join(timeline: Timeline) -> frozenset[str]:
    """The names of the files that are filled with what kubeadm prints for others to join with."""
    filled = (each.path.shown() for each in timeline.of(Writes) if _PRINTED in each.command)
    return frozenset(each.rpartition("/")[2] for each in filled)


def critical_steps(timeline: Timeline, joining: AbstractSet[str] = frozenset()) -> list[CriticalStep]:
    """One for each line, and one for its download; what runs at the next boot, systemd reports. `joining` are files
    that were sent here, and hold the join."""
    found: dict[tuple[Place, bool], CriticalStep] = {}
    makes, by_kubeadm, joins = _makes_a_node(timeline), _by_kubeadm(timeline), _joins_itself(timeline)
    started = {each.place for each in timeline.of(Unit) if each.act in (Act.START, Act.RESTART)}
    # Others brought it, and this script has to do with it.
    starts_kubelet = any(each.place in started and each.unit.known == "kubelet.service" for each in timeline.of(Unit))
    for at, each in enumerate(timeline.effects):
        called = _name_of_step(each, started) if each.stage < Stage.NODEADM_RUN else ""
        if called == THE_DRIVER and _is_in_wsl(timeline):
            continue
        if not called:
            called = _called_elsewhere(each, makes=makes or starts_kubelet, joins=joins)
        if not called and joining and isinstance(each, Runs):
            called = JOINING if each.arguments[0].shown().rpartition("/")[2] in joining else ""
        if isinstance(each, Unit) and ((not makes and each.act is Act.RESTART) or _is_made_later(each, at, by_kubeadm)):
            continue
        if called:
            _keep(CriticalStep(each, called), found)
    for each in timeline.of(Installs) if not found else ():
        if _brings_kubelet(each) and each.stage < Stage.NODEADM_RUN:
            _keep(CriticalStep(each, BRINGING_KUBELET), found)
    critical = {place: step for (place, _), step in found.items()}
    for step in _downloads(timeline, critical):
        _keep(step, found)
    return sorted(found.values(), key=lambda each: (each.place.file, each.place.row, each.is_download))


def _keep(step: CriticalStep, found: dict[tuple[Place, bool], CriticalStep]) -> None:
    """Keeps one step for each line; the one that is not silent decides."""
    key = step.place, step.is_download
    if key not in found or not found[key].is_silent:
        found[key] = step


def critical_gaps(timeline: Timeline) -> Iterator[NotUnderstood]:
    """The gaps whose first line names a critical step. What stands in a program of another language, or in a file that
    it writes, is no step."""
    makes, joins = _makes_a_node(timeline), _joins_itself(timeline)
    for each in timeline.of(NotUnderstood):
        if _called_elsewhere(each, makes=makes, joins=joins) or _is_noticed_anyhow(each):
            continue
        first = _FOLDERS_OF_A_URL.sub("", each.written.lstrip().partition("\n")[0])
        if not _NO_STEP.search(first) and _names_one(first):
            yield each


def _is_noticed_anyhow(gap: NotUnderstood) -> bool:
    """Which packages they are is not known; that the script ends where they are not installed, is."""
    return gap.kind is Gap.PACKAGES and not gap.detached and gap.failure in (Failure.STOPS, Failure.REPORTED)


def _names_one(line: str) -> bool:
    """Whether the line names a critical step, also in a name or an address that is made of such words."""
    if _NAMES_ONE.search(line):
        return True
    if "nvidia" not in line:
        return False
    told = (("nvidia", "install"), ("nvidia", "driver"), ("install", "nvidia"))
    if any(_in_turn(name, *words) for name in _NAME.findall(line) for words in told):
        return True
    return any(_in_turn(word, "://", "nvidia", ".sh") for word in line.split())


def _in_turn(text: str, *words: str) -> bool:
    at = 0
    for word in words:
        found = text.find(word, at)
        if found < 0:
            return False
        at = found + len(word)
    return True


def _makes_a_node(timeline: Timeline) -> bool:
    """A script that brings no kubelet and joins nothing only starts anew what ran."""
    brings = any(map(_brings_kubelet, timeline.of(Installs)))
    return brings or any(not each.tells for each in timeline.of(Joins))


def _brings_kubelet(effect: Installs) -> bool:
    named = (each.shown().partition("=")[0] for each in effect.packages)
    return not effect.removes and any(each in kubelet_packages() for each in named)


def _by_kubeadm(timeline: Timeline) -> float:
    """Up to where kubelet's start is no step of its own: the last join or init by kubeadm, which starts kubelet and
    fails where it does not run. -1 where kubeadm has no part in it. Where others run kubeadm later, everything comes
    before it."""
    runs = [at for at, each in enumerate(timeline.effects) if _is_kubeadms(each)]
    if runs:
        return runs[-1]
    packages = (each.shown() for one in timeline.of(Installs) if not one.removes for each in one.packages)
    joins = _joins_itself(timeline)
    is_left_to_others = any(each.partition("=")[0] == "kubeadm" for each in packages) and not any(
        isinstance(each, Joins) or _called_elsewhere(each, makes=True, joins=joins) for each in timeline.effects
    )
    return inf if is_left_to_others else -1


def _is_kubeadms(effect: Effect) -> bool:
    return _makes_a_control_plane(effect) or (isinstance(effect, Joins) and effect.how == "kubeadm")


def _is_made_later(effect: Unit, at: int, by_kubeadm: float) -> bool:
    return effect.unit.known == "kubelet.service" and at < by_kubeadm


def _name_of_step(effect: Effect, started: AbstractSet[Place]) -> str:
    if isinstance(effect, Installs) and not effect.removes:
        return THE_DRIVER if is_driver(effect) else ""
    if isinstance(effect, Joins) and not effect.tells:
        return JOINING
    if isinstance(effect, Unit) and effect.act in _STARTS:
        family = family_of(effect.unit.string)
        does = "starting" if effect.place in started else "enabling"
        return f"{does} {effect.unit.shown().removesuffix('.service')}" if family is not None else ""
    return MAKING_A_CONTROL_PLANE if _makes_a_control_plane(effect) else ""


def _joins_itself(timeline: Timeline) -> bool:
    return any(isinstance(each, Joins) or _makes_a_control_plane(each) for each in timeline.effects)


def _called_elsewhere(effect: Effect, *, makes: bool, joins: bool) -> str:
    """What this runs whose words stand elsewhere, as far as its name tells: a join, or all of kubeadm. Empty where it
    is neither. Where the script itself joins, what has such a name only prepares that."""
    if isinstance(effect, NotUnderstood) and _PRINTED in effect.why:
        return JOINING  # whatever the variable is called, and whoever brought kubelet
    if isinstance(effect, NotUnderstood) and _JOINS_IN_A_PLAY.match(effect.command):
        return JOINING
    if not makes or not isinstance(effect, (NotUnderstood, Runs)) or isinstance(effect, RunsElsewhere):
        return ""
    if _ANOTHER_JOIN.search(effect.command):
        return ""
    if _JOINS_ELSEWHERE.match(effect.command) or (not joins and _evaluates_a_join(effect)):
        return JOINING
    if _KUBEADM_ELSEWHERE.match(effect.command):
        return "kubeadm"
    return JOINING if not joins and _MAKES_A_MEMBER.match(effect.command) else ""


def _evaluates_a_join(effect: Effect) -> bool:
    found = _RUNS_WHAT_IS_PRINTED.match(effect.command)
    return found is not None and _NAMES_THE_JOIN.search(effect.command, found.end()) is not None


def _is_in_wsl(timeline: Timeline) -> bool:
    """NVIDIA's packages for Windows' Linux bring no driver: Windows has it."""
    return any("/wsl-ubuntu/" in each.url.shown() for each in timeline.of(Fetches))


def _makes_a_control_plane(effect: Effect) -> bool:
    if not isinstance(effect, Runs):
        return False
    words = [each.known for each in effect.arguments[:3]]
    return words[:2] == ["kubeadm", "init"] and words[2:] != ["phase"]  # a phase of it makes none


def _downloads(timeline: Timeline, critical: dict[Place, CriticalStep]) -> Iterator[CriticalStep]:
    """`curl … | sh -`: where the download fails, the shell runs nothing and is content."""
    effects = [each for each in timeline.effects if not (isinstance(each, Fetches) and each.runs)]
    for each, following in pairwise(effects):
        if not isinstance(each, Fetches) or each.to is not None:
            continue
        if isinstance(following, Installs) and following.place in critical:
            yield CriticalStep(each, f"the download for {critical[following.place].called}", is_download=True)
        elif isinstance(following, NotUnderstood) and _FETCHED_TO_JOIN.search(each.url.shown()):
            yield CriticalStep(each, f"the download for {JOINING}", is_download=True)
