"""Options that a kubelet of this release has no more: it ends over them, again and again."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import AddsRepository, How, Installs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# The first minor version that has it no more (kubernetes/kubernetes: CHANGELOG-1.15, -1.24, -1.27).
_GONE_SINCE = {
    "allow-privileged": 15,
    **dict.fromkeys(("network-plugin", "network-plugin-mtu", "cni-bin-dir", "cni-conf-dir", "cni-cache-dir"), 24),
    **dict.fromkeys(("docker-endpoint", "image-pull-progress-deadline"), 24),
    "container-runtime": 27,
}
_INSTEAD = {
    "container-runtime": "no such option: --container-runtime-endpoint alone",
    **dict.fromkeys(("network-plugin", "cni-bin-dir", "cni-conf-dir"), "no such option: its CNI is the runtime's own"),
}
_OPTION = pattern(r"--(?P<name>[a-z][a-z-]{3,40})(?=[= \t\"']|$)", words=("--",))
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
        return _INSTEAD.get(self.name, "no such option")


def gone_options(timeline: Timeline) -> Iterator[GoneOption]:
    minors = set(_minors(timeline))
    # Of two releases nobody knows which kubelet reads it.
    minor = minors.pop() if len(minors) == 1 else 0
    for line in _lines(timeline) if minor else ():
        text = line.text.shown()
        for found in _OPTION.finditer(text) if not text.lstrip().startswith("#") else ():
            since = _GONE_SINCE.get(found["name"])
            if since is not None and minor >= since:
                yield GoneOption(found["name"], minor, since, line.place, text.strip())


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
