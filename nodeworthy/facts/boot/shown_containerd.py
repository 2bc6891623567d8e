"""Which cluster a script makes of its own machine, where it then talks to that one: whose containerd kubelet uses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nodeworthy.boot.conditions import together
from nodeworthy.boot.effects import Act, Effect, Installs, Joins, Runs, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.containerd import DOCKER, Containerd, containerd_of
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Located, Place

# Whose units and whose kubeconfig no other distribution has.
_OF_THEIR_OWN = ("k3s", "rke2", "k0s")
_INSTALLED = {("installer", name): name for name in _OF_THEIR_OWN} | {
    ("snap", "k8s"): "k8s-snap",
    ("snap", "microk8s"): "microk8s",
}
_JOINED = {**{name: name for name in ("kubeadm", "k3s", "rke2", "microk8s", "k8s-snap")}, "nodeadm": "eks-al2023"}
# Where whoever makes a cluster of this machine keeps what leads to it.
_OF_THIS_MACHINE = (".kube/config", "/k3s.yaml", "/rke2.yaml", "/admin.conf", "/client.config")
# k3s with a containerd of somebody else's, or with Docker.
_OF_ANOTHER = pattern(r"--container-runtime-endpoint|container-runtime-endpoint:")
_DOCKER = pattern(r"(?<![\w-])--docker\b|docker:[ \t]*true")
_TELLS_A_SOCKET = pattern(r"(?:^|,)(?!toolkit\b)[\w.-]+=(?P<socket>/[\w./-]+\.sock)(?=,|$)")
_WITH_A_SOCKET = (*_OF_THEIR_OWN, "microk8s", "k8s-snap")
_BASE_DIR = pattern(r"containerd-base-dir[\"']?[ \t]*[:=][ \t]*[\"']?(?P<dir>/[\w./-]+)")

# Rancher's keep all that is theirs below one folder, and can be told another.
_RANCHERS = {name: f"/var/lib/rancher/{name}" for name in ("k3s", "rke2")}
_DATA_DIR = pattern(r"(?m)(?:--data-dir[ =]|^[ \t]*data-dir:)[ \t]*[\"']?(?P<dir>[^\s\"',;]+)")


_LEAVES_IT = "--local-path"


def containerd_shown(script: BootScript, installs: Installs) -> tuple[Containerd, Place] | None:
    """What was made of the machine before this release is installed on it; None where that is not one thing alone."""
    release = installs.release
    if release is None or _is_elsewhere(script, release.arguments, release.kubeconfig):
        return None
    if _has_another(script):
        return None
    shown = dict(_containerds_before(script, installs))
    if len(shown) != 1:
        return None
    ((name, place),) = shown.items()
    if name in _RANCHERS:
        own = _of_rancher(name, script)
        return (own, place) if own is not None else None
    base = _BASE_DIR.search(_text(script)) if name == "k8s-snap" else None
    return containerd_of(name, base["dir"].rstrip("/") if base is not None else None), place


def _of_rancher(name: str, script: BootScript) -> Containerd | None:
    """Where its data lie elsewhere (`--data-dir /data/k3s`), its containerd's files do, too; None where nobody can say
    where."""
    told = {found["dir"].rstrip("/") for found in _DATA_DIR.finditer(_text(script))}
    if not told:
        return containerd_of(name)
    folder = next(iter(told))
    is_known = len(told) == 1 and folder.startswith("/") and not any(mark in folder for mark in "$`{")
    return containerd_of(name).kept_below(_RANCHERS[name], folder) if is_known else None


def cluster_begun(script: BootScript) -> tuple[str, Place] | None:
    """The distribution with which a script begins a cluster on this machine, and the place where it does. None where it
    begins several."""
    made = {name: each.place for each in reversed(script.timeline.effects) for name in _containerds_shown_by(each)}
    if len(made) != 1:
        return None
    return next(iter(made.items()))


def _has_another(script: BootScript) -> bool:
    return _OF_ANOTHER.search(_text(script)) is not None or _has_docker(script)


def _has_docker(script: BootScript) -> bool:
    return _DOCKER.search(_text(script)) is not None


def runtime_of(distribution: str, place: Place, script: BootScript) -> Located[Containerd]:
    """The containerd of nodes that this script makes of a distribution: the distribution's own, where it is not told to
    take another."""
    own = _of_rancher(distribution, script) if distribution in _RANCHERS else containerd_of(distribution)
    if own is None:
        return Located.unknown(f"{distribution} keeps its data in a folder of which nobody knows", place)
    if distribution not in _OF_THEIR_OWN or not _has_another(script):
        return Located.known(own, place)
    if _has_docker(script):
        return Located.known(replace(own, runtime=DOCKER), place)
    return Located.unknown(f"{distribution} is told to take another container runtime than its own", place)


def _text(script: BootScript) -> str:
    return script.userdata.text


def _containerds_before(script: BootScript, installs: Installs) -> Iterator[tuple[str, Place]]:
    kubeconfig = installs.release.kubeconfig if installs.release else None
    known = kubeconfig.known if kubeconfig is not None else None
    if known is not None:
        yield from ((each, installs.place) for each in _OF_THEIR_OWN if containerd_of(each).kubeconfig == known)
    yield from ((each, installs.place) for each in _by_sockets(installs))
    for each in reversed(script.timeline.before(installs)):
        if together(each.conditions, installs.conditions):
            for name in _containerds_shown_by(each):
                yield name, each.place


def _by_sockets(installs: Installs) -> Iterator[str]:
    """The distributions whose containerd socket somebody tells a chart, under whatever name; what the toolkit itself is
    told may be the fault."""
    words = installs.release.arguments if installs.release is not None else ()
    told = {found["socket"] for each in words for found in _TELLS_A_SOCKET.finditer(each.string)}
    yield from (each for each in _WITH_A_SOCKET if containerd_of(each).socket in told)


def _containerds_shown_by(effect: Effect) -> Iterator[str]:
    if isinstance(effect, Unit) and effect.act in (Act.ENABLE, Act.START, Act.RESTART):
        unit = effect.unit.string.removesuffix(".service")
        yield from (name for name in _OF_THEIR_OWN if unit in containerd_of(name).units)
    elif isinstance(effect, Installs) and not effect.removes:
        names = ((effect.manager, package.shown().split("=")[0]) for package in effect.packages)
        yield from (_INSTALLED[name] for name in names if name in _INSTALLED)
    elif isinstance(effect, Joins) and effect.how in _JOINED:
        yield _JOINED[effect.how]
    elif isinstance(effect, Runs) and [each.known for each in effect.arguments[:2]] == ["kubeadm", "init"]:
        yield "kubeadm"
    elif isinstance(effect, Runs) and _is_k3sup(effect):
        yield "k3s"


def _is_k3sup(effect: Runs) -> bool:
    """k3sup makes a node of a machine that it reaches over SSH, and leaves its kubeconfig here."""
    return [each.known for each in effect.arguments[:2]] == ["k3sup", "install"]


def _is_elsewhere(script: BootScript, arguments: tuple[Text, ...], kubeconfig: Text | None) -> bool:
    """Whether it is told a cluster that need not be this machine's."""
    if any(each.shown().startswith(("--kube-context", "--kube-apiserver")) for each in arguments):
        return True
    if kubeconfig is None or kubeconfig.shown().endswith(_OF_THIS_MACHINE):
        return False
    if any(each.path.shown() == kubeconfig.shown() for each in script.timeline.of(Writes)):
        return False
    return not any(_leaves(each, kubeconfig.shown()) for each in script.timeline.of(Runs) if _is_k3sup(each))


def _leaves(effect: Runs, kubeconfig: str) -> bool:
    """Whether this k3sup leaves its kubeconfig there: where it is told to, else in the folder in which it runs."""
    words = [each.shown() for each in effect.arguments]
    told = next((then for word, then in pairwise(words) if word == _LEAVES_IT), None)
    told = told or next((each.partition("=")[2] for each in words if each.startswith(_LEAVES_IT + "=")), None)
    file = (told or "kubeconfig").removeprefix("./")
    return kubeconfig == file or ("/" not in file and kubeconfig.rpartition("/")[2] == file)
