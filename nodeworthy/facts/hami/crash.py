"""Containers that crash on a GPU that HAMi shares, together where one cause is known of them."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

CRASHES = frozenset(("CrashLoopBackOff", "Error", "OOMKilled", "ContainerCannotRun", "StartError", "RunContainerError"))


def is_crash(pod: ClusterPod) -> bool:
    return pod.fault in CRASHES


@dataclass(frozen=True)
class Crash:
    """One pod: how it ended, and what is known of its last words."""

    pod: ClusterPod
    # Why its container ended the last time.
    ended: str
    # Ids of evidence, the last line of its log; both empty where there is no log.
    evidence: tuple[str, ...] = ()
    last_line: str = ""
    # Why its log was not read, where that is known.
    no_log: str = ""


@dataclass(frozen=True)
class HamiCrashes:
    """All the crashes on shared GPUs of one cluster, by their causes."""

    called: ClassVar[str] = "a cluster whose GPUs are shared"

    place: Place
    crashes: tuple[Crash, ...]
