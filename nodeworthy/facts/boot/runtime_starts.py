"""What kubeadm's nodes need and a script gives them for this boot only: a container runtime, and no swap."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from nodeworthy.boot.effects import Act, Effect, How, Installs, Joins, LoadsModule, Runs, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.kubelet_starts import STARTS, package_name
from nodeworthy.facts.boot.made_ready import is_one_in_all_but_name, is_swapoff
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import gaps, other_scripts
from nodeworthy.known.kubelet import Runtime, kubelet_packages, presets_units, runtimes
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

# Swap that a script switches off for this boot only, on a machine that it makes a node of.
#
# kubelet refuses to start while swap is on, unless it is told otherwise. Distributions that bring their own kubelet
# tell it so, and the images of clouds have no swap.

# Whoever names one of these says what becomes of swap, or of kubelet beside it, at the next boot.
_FOR_GOOD = pattern(
    r"fstab|swap\.target|\.swap\b|systemd\.swap|dphys-swapfile|zram|[Ff]ail-?[Ss]wap-?[Oo]n|swapBehavior|memorySwap|"
    r"rm\b[^\n]*swap|\bmounts:|swapoff[^\n]*(?:rc\.local|cron)|(?:cron|rc\.local|@reboot)[^\n]*swapoff"
)
# Clouds whose images have no swap, by what a script asks of them or joins.
_OF_A_CLOUD = pattern(
    r"169\.254\.169\.254|metadata\.google\.internal|\bcloud-init\b|ec2-metadata|/etc/eks/|amazonaws\.com|\bimds\b|waagent|"
    r"\bgcloud\b|\baws ec2\b|\baz vm\b|oci-metadata"
)
_COMMENT = pattern(r"(?:^|(?<=\s))#[^\n]*|^\s*(?:echo|log|printf)\b[^\n|>]*$", re.MULTILINE)
# Who brings a kubelet that starts beside swap, takes swap away himself, or runs containers for himself alone.
_OF_ANOTHER = pattern(
    r"(?i)\b(?:k3s\w*|rke\w*|rancher|microk8s|minikube|kind|kubespray|k0s\w*|talos\w*|nomad|swarm|eks\w*|kubekey|sealos)\b"
)
_NODEADM = ("nodeadm", "bootstrap.sh", "k3s", "rke2", "bottlerocket", "k8s-snap", "microk8s", "oke")
_EVERY_BOOT = frozenset({Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT})
_SYSCTLS = ("ip_forward", "bridge-nf-call")
# Its unit runs it whenever it starts (ExecStartPre).
_BEFORE_KUBELET = pattern(r"(?i)kubelet[-_]?pre[-_]?start[^/]*$|pre[-_]?(?:start[-_]?)?kubelet[^/]*$")


@dataclass(frozen=True)
class SwapOff:
    effect: Effect
    # What else of what kubeadm asks for is gone after a reboot.
    gone: tuple[Related, ...]

    @property
    def place(self) -> Place:
        return self.effect.place


def swap_off_for_this_boot(script: BootScript) -> SwapOff | None:
    timeline = script.timeline
    off = next((each for each in timeline.of(Runs) if is_swapoff(each)), None)
    if off is None or off.stage in _EVERY_BOOT:
        return None
    said = "\n".join(_COMMENT.sub("", part.text) for part in script.userdata.parts)
    if not _will_be_kubeadms(script, said) or _only_starts_it_anew(timeline):
        return None
    # No image of EC2's has swap that a boot would switch on again.
    if script.of_cloud_images or (script.of_an_object and script.on_ec2) or _BEFORE_KUBELET.search(script.place.file):
        return None
    is_more = any(part.kind not in (PartKind.SHELL, PartKind.PLAYBOOK) for part in script.userdata.parts)
    if is_more or _FOR_GOOD.search(said) or _OF_A_CLOUD.search(said):
        return None
    # Where somebody else's script runs beside it, that may do the rest.
    if next(other_scripts(timeline), None) is not None:
        return None
    return SwapOff(off, tuple(_gone(timeline, said)))


def _will_be_kubeadms(script: BootScript, said: str) -> bool:
    """Whether the node is kubeadm's, or is made ready for it: by a whole script that names no distribution whose
    kubelet bears swap."""
    if makes_a_kubeadm_node(script.timeline):
        return True
    return not (script.is_a_part or is_others(said)) and is_one_in_all_but_name(script.timeline)


def _only_starts_it_anew(timeline: Timeline) -> bool:
    """Whether kubelet was there before: whoever runs such a script runs it at each start, or as a repair."""
    signs = [each for each in timeline.effects if _brings_kubelet(each)]
    ways = {each.how for each in timeline.of(Joins)}
    return bool(signs) and not ways and all(isinstance(each, Unit) and each.act is Act.RESTART for each in signs)


def is_others(said: str) -> bool:
    """Whether a script names somebody whose kubelet is not kubeadm's."""
    return _OF_ANOTHER.search(said) is not None


def is_of_a_cloud(script: BootScript) -> bool:
    """Whether it asks the cloud that it runs in for anything: as user data does, at a machine's first boot."""
    return any(_OF_A_CLOUD.search(_COMMENT.sub("", part.text)) for part in script.userdata.parts)


def makes_a_kubeadm_node(timeline: Timeline) -> bool:
    """Or kubelet alone, by hand: nothing of it is a distribution's that brings its own."""
    ways = {each.how for each in timeline.of(Joins)}
    if ways & set(_NODEADM):
        return False
    return "kubeadm" in ways or any(map(_brings_kubelet, timeline.effects))


def _brings_kubelet(effect: Effect) -> bool:
    if isinstance(effect, Installs):
        named = (each.shown().partition("=")[0] for each in effect.packages)
        return not effect.removes and any(each in kubelet_packages() for each in named)
    if isinstance(effect, Runs):
        words = [each.shown() for each in effect.arguments[:2]]
        return bool(words) and posixpath.basename(words[0]) == "kubeadm" and words[1:] in (["init"], ["join"])
    return isinstance(effect, Unit) and effect.act in STARTS and effect.unit.known == "kubelet.service"


def _gone(timeline: Timeline, said: str) -> Iterator[Related]:
    """Said beside it, for it is no fault of kubelet's: whether it harms depends on what the CNI sets by itself."""
    keeps_modules, keeps_keys = "modules-load.d" in said, "sysctl.d" in said or "sysctl.conf" in said
    for each in timeline.effects:
        if isinstance(each, LoadsModule) and each.module == "br_netfilter" and not keeps_modules:
            yield Related(each.place, "the module br_netfilter is loaded for this boot only, too")
        elif isinstance(each, Runs) and not keeps_keys and _sets(each):
            yield Related(each.place, f"`{each.command}` holds for this boot only, too")


def _sets(effect: Runs) -> bool:
    words = [each.shown() for each in effect.arguments]
    return posixpath.basename(words[0]) == "sysctl" and any(name in words[-1] for name in _SYSCTLS)


# The container runtime that a script starts for a node of kubeadm's, and what starts it at the next boot.
#
# Packages of Debian's kind enable the unit that they bring; those of RPM leave it as the distribution presets it, and
# that is disabled. kubelet does not start a runtime: it waits for one.


@dataclass(frozen=True)
class StartedRuntime:
    """One that runs in this boot, and that nothing in the script enables."""

    runtime: Runtime
    starts: Unit
    installs: Installs
    # What may enable it, and was not read, or decides whether it is there.
    doubt: tuple[Place, str] | None = None


def started_for_this_boot(script: BootScript) -> StartedRuntime | None:
    timeline = script.timeline
    is_config = script.userdata.has(PartKind.NODE_CONFIG)
    if is_config or not makes_a_kubeadm_node(timeline):
        return None
    for runtime in runtimes():
        installs = next((each for each in timeline.of(Installs) if _brings(each, runtime)), None)
        starts = next((each for each in timeline.of(Unit) if _starts(each, runtime)), None)
        if installs is None or starts is None or any(_keeps(each, runtime) for each in timeline.effects):
            continue
        return StartedRuntime(runtime, starts, installs, next(_doubts(timeline, runtime, installs, starts), None))
    return None


def _brings(effect: Installs, runtime: Runtime) -> bool:
    named = (package_name(each.shown()) for each in effect.packages)
    return not effect.removes and presets_units(effect.manager) and any(each in runtime.packages for each in named)


def _starts(effect: Unit, runtime: Runtime) -> bool:
    return effect.act in STARTS and effect.unit.known == runtime.unit


def _keeps(effect: Effect, runtime: Runtime) -> bool:
    units = (runtime.unit, *runtime.wanted_by)
    if isinstance(effect, Unit):
        is_repeated = effect.stage in _EVERY_BOOT and effect.act in STARTS
        return (effect.act is Act.ENABLE or is_repeated) and any(effect.unit.could_be(each) for each in units)
    if not isinstance(effect, Writes):
        return False
    path = effect.path.shown()
    is_wanted = effect.how is How.LINK and ".wants/" in path and path.rpartition("/")[2] in units
    return is_wanted or "system-preset/" in path


def _doubts(timeline: Timeline, runtime: Runtime, installs: Effect, starts: Effect) -> Iterator[tuple[Place, str]]:
    yield from ((each.place, each.why) for each in gaps(timeline, runtime.name))
    for each in other_scripts(timeline):
        yield each.place, f"nobody here has read what `{each.command}` does, and it may enable {runtime.name}"
    for each in (installs, starts):
        decides = next((one.question.text for one in each.conditions if one.question.is_of_template), "")
        if decides:
            yield each.place, f"{decides} decides whether this line is there"
