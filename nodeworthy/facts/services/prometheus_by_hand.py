"""A Prometheus without an operator: a Deployment or a StatefulSet says itself how long it keeps what, and where."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_PROGRAM = "prometheus"
_TIME, _SIZE, _PATH = "--storage.tsdb.retention.time", "--storage.tsdb.retention.size", "--storage.tsdb.path"
# Its name until Prometheus 3.
_TIME_UNTIL_3 = "--storage.tsdb.retention"
# Where it is started in its image, and where it keeps them below that: the image's own arguments say another place, and
# hold no longer where there are any.
_STARTED_IN, _DATA = "/prometheus", "data"
# What a chart writes that nobody asked.
_OF_A_CHART, _ITS_DEFAULT = ("helm.sh/chart", "chart", "heritage"), "15d"
_EMPTY = "emptyDir"


@dataclass(frozen=True, slots=True)
class Said:
    """An option, and what it says."""

    place: Place
    value: str


@dataclass(frozen=True)
class HandmadePrometheus:
    called: ClassVar[str] = "a Prometheus without an operator"

    place: Place
    title: str
    options: Mapping[str, Said]
    # What is mounted where it keeps its metrics; absent where nothing is.
    volume: Tree
    # Of a StatefulSet, what its claim for that asks for; absent where it has none.
    claimed: Tree

    @property
    def time(self) -> Said | None:
        return self.options.get(_TIME) or self.options.get(_TIME_UNTIL_3)

    @property
    def size(self) -> Said | None:
        return self.options.get(_SIZE)

    @cached_property
    def is_on_no_volume(self) -> bool:
        return self.claimed.is_absent and (self.volume.is_absent or not self.volume.get(_EMPTY).is_absent)


def prometheuses_by_hand(document: Tree) -> Iterator[HandmadePrometheus]:
    pods = document.get("spec", "template", "spec")
    if why_incomplete(pods) or why_incomplete(pods.get("volumes")):
        return
    for container in pods.get("containers").sequence:
        image = container.get("image").string.partition("@")[0]
        if posixpath.basename(image).partition(":")[0] != _PROGRAM or why_incomplete(container.get("volumeMounts")):
            continue
        options = dict(_options(container))
        if options:
            kept_in = options[_PATH].value if _PATH in options else _DATA
            named = _mounted(container, posixpath.join(_STARTED_IN, kept_in))
            yield HandmadePrometheus(
                container.place,
                f"{document.get('kind').text} '{document.get('metadata', 'name').text}'",
                options if not _is_a_charts_word(document, options) else {},
                _volume_of(pods.get("volumes"), named, "name"),
                _volume_of(document.get("spec", "volumeClaimTemplates"), named, "metadata", "name"),
            )


def _options(container: Tree) -> Iterator[tuple[str, Said]]:
    for word in (*container.get("command").sequence, *container.get("args").sequence):
        name, is_given, value = word.string.partition("=")
        if name in (_TIME, _SIZE, _PATH, _TIME_UNTIL_3) and is_given:
            yield name, Said(word.place, value)


def _is_a_charts_word(document: Tree, options: Mapping[str, Said]) -> bool:
    labels = document.get("metadata", "labels").mapping
    return not labels.keys().isdisjoint(_OF_A_CHART) and _ITS_DEFAULT in {each.value for each in options.values()}


def _mounted(container: Tree, path: str) -> str:
    """The volume that is nearest above the path."""
    mounts = {each.get("mountPath").string.rstrip("/"): each for each in container.get("volumeMounts").sequence}
    above = [each for each in mounts if each and f"{path.rstrip('/')}/".startswith(f"{each}/")]
    return mounts[max(above, key=len)].get("name").string if above else ""


def _volume_of(volumes: Tree, named: str, *path: str) -> Tree:
    found = (each for each in volumes.sequence if named and each.get(*path).text == named)
    return next(found, volumes.get(_EMPTY, _EMPTY))
