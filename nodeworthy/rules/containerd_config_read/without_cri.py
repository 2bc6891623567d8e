"""containerd without its CRI: a file switches it off, or the file of Docker's package is left as it is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from nodeworthy.boot.effects import Act, Effect, Installs, Joins, Runs, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.kubelet_starts import package_name
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import gaps, other_scripts
from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.containerd.schema import possible_eras
from nodeworthy.known.containerd import defaults
from nodeworthy.known.containerd_schema import CRI, FIRST, OLD, Era
from nodeworthy.patterns import pattern
from nodeworthy.rules.containerd_config_read.never_reread import WITHOUT_CRI
from nodeworthy.verdict import Draft, Related, fail, unknown

KEY = "disabled_plugins"
# So many plugins beside the CRI are switched off by whoever runs a second containerd, for the machine's own services.
_OF_ANOTHERS = 4
SWITCHED_OFF = "containerd runs without its CRI: kubelet finds no runtime, and the node never becomes ready"
REFUSED = f'containerd does not start: invalid disabled plugin URI "{FIRST}"'


def disabled_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    """Docker's package of containerd comes with `disabled_plugins = ["cri"]`: Docker needs no CRI, and kubelet does."""
    given = file.reading.mapping.get(KEY)
    possible = possible_eras(file, version)
    names = [each for each in given if isinstance(each, str)] if isinstance(given, list) else []
    others = [each for each in names if each not in (FIRST, OLD, *CRI)]
    if len(others) >= _OF_ANOTHERS and len(others) < len(names):
        yield unknown(
            file.reading.line_of(KEY),
            "whether kubelet talks to this containerd is not known: it runs without its CRI, and without "
            f"{len(others)} plugins more that somebody chose",
            remedy="kubelet's containerRuntimeEndpoint (crictl's runtime-endpoint) says which one it talks to",
        )
        return
    for name in names:
        switching = [each for each in possible if _switches_off(each, file.version, name)]
        if not switching:
            continue
        place = file.reading.line_of(KEY)
        if len(switching) < len(possible):
            who = " and ".join(each.called for each in switching)
            yield unknown(place, f"{who} run without the CRI by this {KEY}, and which containerd this is, nobody says")
            continue
        cause = REFUSED if name == FIRST and file.version > 1 else SWITCHED_OFF
        says = f"containerd's CRI plugin is among its {KEY}"
        yield fail(
            place,
            says,
            should=f"{KEY} without {name}",
            cause=cause,
            is_=name,
            remedy=f"take {name} out of {KEY}, and restart containerd",
        )


def _switches_off(era: Era, version: int, name: str) -> bool:
    """`cri` is its name in the first version of the file; containerd 1.x translates no other name there."""
    if name == FIRST:
        return True
    if era.newest is None:
        return name == OLD and version > 1
    return name in CRI


# Whoever names one of these has another file, or another runtime.
_SEES_TO_IT = pattern(
    r"/etc/containerd|containerd\s+config|disabled_plugins|cri-dockerd|cri-o|crio|config\.toml|containerd-\d|k3s|rke2|"
    r"containerd=|--cri-socket"
)
_COMMENT = pattern(r"^\s*#[^\n]*", re.MULTILINE)
# Before 1.24 kubelet talked to Docker itself.
# Docker 18.06 and before had a containerd of their own, without this package.
_OLD = pattern(
    r"docker-ce=(?:5:)?[\"']?(?:17\.|18\.0[1-6])|\b(?:kubelet|kubeadm)[=-]v?1\.(?:\d|1\d|2[0-3])\.|"
    r"kubernetes_version\W+v?1\.(?:\d|1\d|2[0-3])\b",
    re.IGNORECASE,
)


def left_without_cri(script: BootScript) -> Draft | None:
    timeline = script.timeline
    installs = next((each for each in timeline.of(Installs) if _is_dockers(each)), None)
    calls = next((each for each in timeline.effects if _calls_kubeadm(each)), None)
    if installs is None or calls is None or not timeline.precedes(installs, calls):
        return None
    said = _COMMENT.sub("", script.userdata.text)
    if _SEES_TO_IT.search(said) or _OLD.search(said) or not _brings_kubelet(timeline) or _may_be_old(timeline):
        return None
    if _is_told_that_it_is_not_read(timeline):
        return None
    if next(gaps(timeline, "containerd", "docker"), None) or next(other_scripts(timeline), None):
        return None
    return fail(
        installs,
        "containerd runs with the file of Docker's package, which disables the CRI that kubelet talks to",
        is_=f'disabled_plugins = ["cri"], in {defaults().config}',
        should="a file without it, and containerd restarted before kubeadm is called",
        related=[Related(calls.place, "kubeadm is called here, and finds no runtime")],
        cause="kubeadm's preflight ends: container runtime is not running (unknown service runtime.v1.RuntimeService)",
        remedy=f"behind it: containerd config default > {defaults().config}; systemctl restart containerd",
    )


def _is_told_that_it_is_not_read(timeline: Timeline) -> bool:
    """What is written for it and not read is told with this very cause."""
    writes = next((each for each in timeline.of(Writes) if each.path.shown().startswith("/etc/containerd/")), None)
    starts = (each for each in timeline.of(Unit) if each.unit.known == "containerd.service" and each.act is Act.START)
    return writes is not None and any(timeline.precedes(writes, each) for each in starts)


def _is_dockers(effect: Installs) -> bool:
    return not effect.removes and any(package_name(each.shown()) in WITHOUT_CRI for each in effect.packages)


def _may_be_old(timeline: Timeline) -> bool:
    """`kubelet=$1`: which release that is, whoever calls it says."""
    packages = [each for one in timeline.of(Installs) if not one.removes for each in one.packages]
    return any(each.holes and each.shown().startswith(("kubelet", "kubeadm")) for each in packages)


def _brings_kubelet(timeline: Timeline) -> bool:
    """A node that has one already may have its runtime as well."""
    named = (package_name(each.shown()) for one in timeline.of(Installs) if not one.removes for each in one.packages)
    return any(each in ("kubelet", "kubeadm") for each in named)


def _calls_kubeadm(effect: Effect) -> bool:
    if isinstance(effect, Joins):
        return effect.how == "kubeadm"
    words = [each.shown() for each in effect.arguments[:2]] if isinstance(effect, Runs) else []
    return words[1:] == ["init"] and posixpath.basename(words[0]) == "kubeadm"
