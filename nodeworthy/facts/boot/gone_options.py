"""Options that a kubelet of this release has no more: it ends over them, again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import AddsRepository, How, Installs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.kubeadm_config import KubeadmConfig, configs_written
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.known.kubelet import gone_from_kubelet, instead_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_OPTION = pattern(
    r"--(?P<name>[a-z][a-z-]{3,40})(?:(?:=|[ \t]{1,8}(?=\w))(?P<value>[^\s\"']{1,400}))?(?=[= \t\"']|$)", words=("--",)
)
# Where kubelet is told its options; what kubeadm writes there for itself no script does.
_TOLD_IN = ("/etc/default/kubelet", "/etc/sysconfig/kubelet", "kubelet.service")
_ARCHIVE = pattern(r"pkgs\.k8s\.io/core:/stable:/v1\.(\d{1,3})\b", words=("pkgs.k8s.io",))
_NUMBERED = pattern(r"kubelet[=-]v?1\.(\d{1,3})(?:\.|$)", words=("kubelet",))
_LISTS = ("/etc/apt/sources.list", "/etc/yum.repos.d/", "/etc/zypp/repos.d/")


@dataclass(frozen=True)
class GoneOption:
    name: str
    minor: int
    since: int
    place: Place
    # What it stands in, as it is written.
    written: str

    @property
    def instead(self) -> str:
        return instead_of(self.name)


def gone_options(script: BootScript) -> Iterator[GoneOption]:
    timeline, configs = script.timeline, list(configs_written(script))
    minors = {*_minors(timeline), *(each.minor for each in configs if each.minor is not None)}
    # Of two releases nobody knows which kubelet reads it.
    minor = minors.pop() if len(minors) == 1 else 0
    if not minor:
        return
    for line in _lines(timeline):
        text = line.text.shown()
        for found in _OPTION.finditer(text) if not text.lstrip().startswith("#") else ():
            for name, since in gone_from_kubelet(found["name"], found["value"] or ""):
                if minor >= since:
                    yield GoneOption(name, minor, since, line.place, text.strip())
    yield from gone_from_configs(configs, minor)


def gone_from_configs(configs: Sequence[KubeadmConfig], minor: int) -> Iterator[GoneOption]:
    for argument, name, value, place in (found for each in configs for found in each.told_to_kubelet):
        for gone, since in gone_from_kubelet(name, value):
            if minor >= since:
                yield GoneOption(gone, minor, since, place, f"{argument}: {name}")


def _lines(timeline: Timeline) -> Iterator[Line]:
    for each in timeline.of(Writes):
        content = content_of(each) if each.how is not How.DELETE else None
        if content is not None and any(path in each.path.shown() for path in _TOLD_IN):
            yield from content.lines


def _minors(timeline: Timeline) -> Iterator[int]:
    """The releases of kubelet that this script brings."""
    for each in timeline.effects:
        if isinstance(each, Installs) and not each.removes:
            yield from (int(found[1]) for name in each.packages if (found := _NUMBERED.match(name.shown())))
        elif isinstance(each, AddsRepository):
            yield from (int(found[1]) for found in _ARCHIVE.finditer(each.repository.shown()))
        elif isinstance(each, Writes) and each.path.shown().startswith(_LISTS) and each.content is not None:
            yield from (int(found[1]) for found in _ARCHIVE.finditer(each.content.text.shown()))
