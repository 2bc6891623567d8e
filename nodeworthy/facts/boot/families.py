"""What a boot script says to another family of images than the one that its pool runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.conditions import Asks
from nodeworthy.boot.effects import Effect, Installs, Joins
from nodeworthy.boot.userdata import Part, PartKind
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Draft, Located, fail, value_if_known

AL2023, AL2, UBUNTU, BOTTLEROCKET = "eks-al2023", "eks-al2", "eks-ubuntu", "bottlerocket"
_TITLES = {AL2023: "EKS' AL2023", AL2: "EKS' AL2", UBUNTU: "EKS' Ubuntu", BOTTLEROCKET: "Bottlerocket"}
_SHOULD = {
    AL2023: "a NodeConfig (application/node.eks.aws)",
    AL2: "a call of /etc/eks/bootstrap.sh",
    UBUNTU: "a call of /etc/eks/bootstrap.sh",
    BOTTLEROCKET: "Bottlerocket's settings in TOML",
}
BOOTSTRAP, NODEADM = "bootstrap.sh", "nodeadm"
_HAS_BOOTSTRAP, _HAS_NO_NODEADM = (AL2, UBUNTU), (AL2, UBUNTU, BOTTLEROCKET)
# Which package manager an operating system has; of others nothing is claimed.
_HAS = {
    "al2023": ("dnf", "yum"),
    "al2": ("yum",),
    "ubuntu-22.04": ("apt",),
    "ubuntu-24.04": ("apt",),
}
_MANAGERS = ("apt", "dnf", "yum")
# Programs that are one package manager.
PROGRAMS = {"apt-get": "apt", "aptitude": "apt"}
_SYSTEMS = {"al2023": "AL2023", "al2": "AL2", "ubuntu-22.04": "Ubuntu 22.04", "ubuntu-24.04": "Ubuntu 24.04"}
# What a script asks to learn on which machine it is.
_WHICH_MACHINE = pattern(
    r"os-release|\bID\b|VERSION_ID|ID_LIKE|command -v|\bwhich\b|\btype\b|\bhash\b|bootstrap\.sh|nodeadm|"
    r"\b(?:apt|apt-get|dnf|yum|ubuntu|debian|amzn|amazon|al2023|rhel|rocky|centos)\b|redhat-release|lsb_release|distro",
    re.IGNORECASE,
)


def foreign(script: BootScript, distribution: str, os: Located[str] | None = None) -> Iterator[Draft]:
    """What of a script means another family."""
    for part in script.userdata.parts:
        yield from _of_part(part, distribution)
    if distribution == BOTTLEROCKET:
        return  # there is no shell: that a part is a script is all there is to say of it
    for joins in script.timeline.of(Joins):
        if not is_for_several(script, joins):
            yield from _of_join(joins, distribution)
    if (name := value_if_known(os)) is not None:
        yield from _of_packages(script, name)


def way_of_joining(distribution: str) -> str:
    return _SHOULD.get(distribution, "what this distribution joins with")


def title(distribution: str) -> str:
    return _TITLES.get(distribution, distribution)


def is_for_several(script: BootScript, effect: Effect) -> bool:
    """Whether it asks first which machine it is on, or is one of several that are tried in turn."""
    for each in effect.conditions:
        asked = f"{each.question.text} {each.answer} {' '.join(each.question.files)}"
        if each.question.asks is Asks.SUCCESS and each.answer == "no":
            return True
        if each.question.asks is Asks.STATE and _WHICH_MACHINE.search(asked):
            return True
    return _has_another_way(script, effect)


def _has_another_way(script: BootScript, effect: Effect) -> bool:
    """`dnf install … || apt-get install …`: the first one may fail."""
    return any(
        each.question.asks is Asks.SUCCESS and each.answer == "no" and each.question.place == effect.place
        for other in script.timeline.of(type(effect))
        for each in other.conditions
    )


def _of_part(part: Part, distribution: str) -> Iterator[Draft]:
    called = part.called or "the user data"
    read_by = {PartKind.NODE_CONFIG: AL2023, PartKind.BOTTLEROCKET: BOTTLEROCKET}.get(part.kind)
    if distribution == BOTTLEROCKET and read_by != BOTTLEROCKET:
        yield fail(
            part.place,
            f"{called} is a {part.kind.value}, and Bottlerocket reads its settings in TOML and nothing else",
            is_=part.kind.value,
            should=_SHOULD[BOTTLEROCKET],
            cause="Bottlerocket has no shell and no cloud-init: the node boots with no settings and never joins",
            remedy="write [settings.kubernetes] with cluster-name, api-server and cluster-certificate",
        )
    elif read_by is not None and read_by != distribution:
        yield fail(
            part.place,
            f"{called} is {'a NodeConfig' if read_by == AL2023 else 'for Bottlerocket'}, "
            f"which nobody reads on {title(distribution)}",
            is_=part.kind.value,
            should=_SHOULD.get(distribution, "a script"),
            cause=f"only {title(read_by)} image reads it: the node boots and never joins"
            if read_by == AL2023
            else "only Bottlerocket reads it: the node boots and never joins",
        )


def _of_join(joins: Joins, distribution: str) -> Iterator[Draft]:
    if joins.how == BOOTSTRAP and distribution not in _HAS_BOOTSTRAP:
        yield fail(
            joins.place,
            f"calls /etc/eks/bootstrap.sh, which does not exist on {title(distribution)}",
            is_="/etc/eks/bootstrap.sh",
            should=way_of_joining(distribution),
            cause="the call fails, and the node never joins",
            remedy="write a NodeConfig part with spec.cluster of name, apiServerEndpoint, certificateAuthority and cidr"
            if distribution == AL2023
            else None,
        )
    elif joins.how == NODEADM and not joins.tells and distribution in _HAS_NO_NODEADM:
        yield fail(
            joins.place,
            f"calls nodeadm, which does not exist on {title(distribution)}",
            is_="nodeadm",
            should=_SHOULD[distribution],
            cause="the call fails, and the node never joins",
            remedy="call /etc/eks/bootstrap.sh CLUSTER --apiserver-endpoint … --b64-cluster-ca …",
        )


def _of_packages(script: BootScript, os: str) -> Iterator[Draft]:
    """The first call of each package manager that there is not."""
    told: set[str] = set()
    has = _HAS.get(os, _MANAGERS)
    for installs in script.timeline.of(Installs):
        manager = PROGRAMS.get(installs.manager, installs.manager)
        if manager in _MANAGERS and manager not in {*has, *told} and not is_for_several(script, installs):
            told.add(manager)
            yield fail(
                installs.place,
                f"installs with {manager}, which {_SYSTEMS[os]} does not have",
                is_=manager,
                should=has[0],
                cause=f"{manager}: command not found",
                remedy=f"install with {has[0]}, by the names that the packages have there",
            )
