"""Which containers' logs rules need, and where a kubelet can have them: of pods that matter and do not run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from nodeworthy.documents.plain import at, mappings_at, number_at, text_at
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.hami.cluster import role_of_object
from nodeworthy.facts.hami.crash import is_crash
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

Key = tuple[str, str]
# They become parts of paths, here and on the server.
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
# Of pods of one maker, which fail alike, a few will do; of jobs each has a story of its own.
_OF_ONE_MAKER = 5
MOST_PODS = 100


@dataclass(frozen=True)
class WantedLog:
    namespace: str
    pod: str
    container: str
    # Of the run before this one: this one has not failed yet.
    previous: bool

    @property
    def object(self) -> str:
        return f"Pod/{self.namespace}/{self.pod}"

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.pod}/log"


@dataclass
class WantedLogs:
    """Keeps of pods that are not ready which of their containers have a log."""

    _of: dict[Key, tuple[WantedLog, ...]] = field(default_factory=dict)
    # Of the parts that are ready, which may say in their logs alone what they lack.
    _of_ready: dict[Key, tuple[WantedLog, ...]] = field(default_factory=dict)

    def add_pod(self, key: Key, data: Mapping[str, Any], pod: ClusterPod) -> None:
        self._of.pop(key, None)
        self._of_ready.pop(key, None)
        if pod.is_over or (pod.ready and not pod.part):
            return
        if pod.ready and all(map(_NAME.fullmatch, key)):
            names = (text_at(each, "name") for each in mappings_at(data, "spec", "containers"))
            self._of_ready[key] = tuple(
                WantedLog(*key, each, previous=False) for each in names if _NAME.fullmatch(each)
            )
        if pod.ready:
            return
        matters = pod.daemonset or pod.part or pod.clears or role_of_object(data) is not None
        matters = matters or (pod.uses_gpus and is_crash(pod))
        if matters and all(map(_NAME.fullmatch, key)):
            self._of[key] = tuple(_wanted(key, data))

    def add_all(self, others: WantedLogs) -> None:
        self._of.update(others._of)
        self._of_ready.update(others._of_ready)

    def of(self, pods: Mapping[Key, ClusterPod], toolkits: frozenset[Key], parts: frozenset[Key]) -> list[WantedLog]:
        """The logs to ask for: of pods of the GPU stack, of HAMi's own, and of those that crash with GPUs."""
        asked: Counter[Key] = Counter()
        found: list[WantedLog] = []
        for key in sorted(self._of):
            pod = pods[key]
            maker = (pod.namespace, pod.daemonset)
            made = maker in toolkits or key in parts or bool(pod.part or pod.clears)
            if made and pod.daemonset:
                asked[maker] += 1
            if (made and asked[maker] <= _OF_ONE_MAKER) or (pod.uses_gpus and is_crash(pod)):
                found += self._of[key]
        return found

    def of_ready(self, keys: Iterable[Key]) -> list[WantedLog]:
        return [each for key in keys for each in self._of_ready.get(key, ())]


def _wanted(key: Key, data: Mapping[str, Any]) -> Iterator[WantedLog]:
    found = []
    for kind in ("initContainerStatuses", "containerStatuses"):
        for status in mappings_at(data, "status", kind):
            name, failed = text_at(status, "name"), at(status, "lastState", "terminated") is not None
            runs = at(status, "state", "running") is not None
            has_run = runs or failed or at(status, "state", "terminated") is not None
            has_run = has_run or bool(number_at(status, "restartCount"))
            if _NAME.fullmatch(name) and has_run and at(status, "ready") is not True:
                found.append(WantedLog(*key, name, previous=runs and failed))
    yield from sorted(found, key=lambda each: each.container)
