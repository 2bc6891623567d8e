"""Which Kubernetes and which containerd a script chooses for its node: by the packages that it names, by what it tells
the installers of k3s and RKE2, by the channel of a snap."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Installs
from nodeworthy.facts.boot.runtime import containerd_pins
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Located, NotKnown, Place

_PACKAGE = pattern(r"(?:kubelet|kubeadm)[=-](1\.\d+)(?!\d)")
_INSTALLER = pattern(r"\bINSTALL_(?:K3S|RKE2)_(?:VERSION|CHANNEL)=[\"']?v(1\.\d+)(?!\d)")
_SNAP = pattern(r"\bsnap\s+install\s+(?:k8s|microk8s)\b[^\n#]{0,80}--channel[= ][\"']?(1\.\d+)(?!\d)")


def kubernetes_chosen(script: BootScript) -> Located[str] | None:
    """None where nothing says it, or two say otherwise."""
    return _the_only(_versions(script))


def containerd_chosen(script: BootScript) -> Located[str] | None:
    try:
        found = [(version, step) for step, version in containerd_pins(script)]
    except NotKnown:
        return None
    if any(step.conditions for _, step in found):
        return None
    return _the_only((version, replace(step.place, subject="containerd")) for version, step in found)


def _the_only(told: Iterator[tuple[str, Place]]) -> Located[str] | None:
    first: dict[str, Place] = {}
    for version, place in told:
        first.setdefault(version, place)
    return Located.known(*next(iter(first.items()))) if len(first) == 1 else None


def _versions(script: BootScript) -> Iterator[tuple[str, Place]]:
    for install in script.timeline.of(Installs):
        for package in () if install.removes else install.packages:
            found = _PACKAGE.match(package.shown())
            if found is not None:
                yield found[1], install.place
    for part in script.userdata.parts:
        for number, row in enumerate(part.text.splitlines(), start=1):
            code = "" if row.lstrip().startswith("#") else row
            found = _INSTALLER.search(code) or _SNAP.search(code)
            if found is not None:
                yield found[1], part.origin.at(number, 1)
