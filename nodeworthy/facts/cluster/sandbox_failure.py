"""Kubelet could not make a pod's sandbox, because its container runtime does not know the pod's runtime handler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from nodeworthy.documents.plain import mapping_at, number_at, text_at
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# What kubelet quotes from containerd, as known/evidence has it: no-runtime-configured.
_BEFORE, _AFTER = 'no runtime for "', '" is configured'
EVIDENCE = pattern(f'{re.escape(_BEFORE)}(?P<runtime>[^"]*){re.escape(_AFTER)}')


@dataclass(frozen=True, slots=True)
class SandboxFailure:
    """What kubelet said of one pod, and how often."""

    namespace: str
    pod: str
    node: str
    runtime: str
    count: int
    first: datetime | None
    last: datetime | None

    @property
    def object(self) -> str:
        return f"Pod/{self.namespace}/{self.pod}"


def sandbox_failure(event: Any) -> SandboxFailure | None:
    """Reads a sandbox failure from an Event of core/v1 or events.k8s.io; None where it is about something else."""
    found = EVIDENCE.search(words_of(event))
    about = subject_of(event)
    if found is None or text_at(about, "kind") not in ("Pod", ""):
        return None
    source = mapping_at(event, "source") or mapping_at(event, "deprecatedSource")
    first, last = period_of(event)
    return SandboxFailure(
        namespace=text_at(about, "namespace"),
        pod=text_at(about, "name"),
        node=text_at(source, "host") or text_at(event, "reportingInstance"),
        runtime=found["runtime"],
        count=count_of(event),
        first=first,
        last=last,
    )


# Events of core/v1 and of events.k8s.io say the same under different names.


def subject_of(event: Any) -> Mapping[str, Any]:
    """The object that an event is about."""
    return mapping_at(event, "involvedObject") or mapping_at(event, "regarding")


def words_of(event: Any) -> str:
    return text_at(event, "message") or text_at(event, "note")


def count_of(event: Any) -> int:
    counts = (number_at(event, "count"), number_at(event, "deprecatedCount"), number_at(event, "series", "count"), 1)
    return max(each for each in counts if each is not None)


def period_of(event: Any) -> tuple[datetime | None, datetime | None]:
    """When it was first said, and when last."""
    first = _first(event, "firstTimestamp", "deprecatedFirstTimestamp", "eventTime")
    last = moment(text_at(event, "series", "lastObservedTime"))
    return first, last or _first(event, "lastTimestamp", "deprecatedLastTimestamp", "eventTime")


def _first(event: Any, *names: str) -> datetime | None:
    return next((when for name in names if (when := moment(text_at(event, name))) is not None), None)


def moment(written: str) -> datetime | None:
    """A time as Kubernetes writes it; None where it is none."""
    try:
        read = datetime.fromisoformat(written)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def tell_failures(failures: Iterable[SandboxFailure]) -> str:
    """All of them in one breath: how often, since when, of which runtime."""
    failures = list(failures)
    count = sum(each.count for each in failures)
    words = sorted({f"{_BEFORE}{each.runtime}{_AFTER}" for each in failures})
    return f"kubelet said {count} times{_period(failures)}: {', '.join(words)}"


def _period(failures: list[SandboxFailure]) -> str:
    first = min((each.first for each in failures if each.first), default=None)
    last = max((each.last for each in failures if each.last), default=None)
    if first is None or last is None or last <= first:
        return f" (at {last or first:%Y-%m-%d %H:%M:%SZ})" if last or first else ""
    seconds = (last - first).total_seconds()
    period = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    return f" within {period} ({first:%Y-%m-%d %H:%M:%SZ} to {last:%H:%M:%SZ})"
