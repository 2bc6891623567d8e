"""Pods that the API server refused to their makers, as events tell it."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from nodeworthy.documents.plain import number_at, text_at
from nodeworthy.facts.cluster.sandbox_failure import subject_of, words_of
from nodeworthy.facts.cluster.scheduling_events import time_of
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_QUANTITY = pattern(
    r"(?P<field>spec\.\S+?resources\.(?:limits|requests)(?:\[(?P<resource>[^\]\s]+)\])?): "
    r"(?:Invalid value: (?P<is>\S{1,60}): must be (?:an integer|equal to (?P<equal>\S+) limit)|"
    r"Required value: Limit must be set for non over\w+ resources)"
)
_RUNTIME = pattern(r'RuntimeClass "(?P<name>[^"]{1,253})" not found')


@dataclass(frozen=True)
class RefusedPods:
    """The refused pods of one maker (a ReplicaSet, a Job, a PyTorchJob), for one reason."""

    called: ClassVar[str] = "pods that the API server refused"

    place: Place
    # The words of the event that say why.
    words: str
    # One of the two is what it is about.
    quantity: str | None = None
    runtime_class: str | None = None
    times: int = 1
    # When it was said last.
    when: str = ""
    # With GPUs, for which a DaemonSet would make them.
    nodes: tuple[str, ...] = ()

    def is_before(self, owner: tuple[str, str], namespace: str, started: str) -> bool:
        """Whether a pod that started then is of its maker, or of the one that its Deployment has made since."""
        kind, where, name = (*(self.place.object or "").split("/"), "", "")[:3]
        whose = owner[1].rpartition("-")[0] if kind == "ReplicaSet" else owner[1]
        alike = whose == (name.rpartition("-")[0] if kind == "ReplicaSet" else name)
        return alike and (kind, where) == (owner[0], namespace) and bool(self.when) and started > self.when


def refused_pods(event: Any) -> RefusedPods | None:
    """Reads refused pods from an Event; None where it is about something else."""
    message = words_of(event)
    about = subject_of(event)
    names = (text_at(about, "kind"), text_at(about, "namespace"), text_at(about, "name"))
    place = Place(object="/".join(filter(None, names)))
    times = max(number_at(event, "count") or 1, number_at(event, "series", "count") or 1)
    when = time_of(event)
    found = _QUANTITY.search(message)
    if found is not None and _is_about_gpus(found, message):
        amount = (found["is"] or "no limit").strip('"')
        return RefusedPods(place, found.group(), quantity=amount, times=times, when=when)
    missing = _RUNTIME.search(message)
    if missing is not None and names[0] != "Pod":
        return RefusedPods(place, missing.group(), runtime_class=missing["name"], times=times, when=when)
    return None


def _is_about_gpus(found: re.Match[str], message: str) -> bool:
    named = found["resource"] or found["equal"]
    return is_gpu_resource(named) if named else "nvidia.com/" in message
