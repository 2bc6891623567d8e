"""What a cluster said of one of its objects, and when: what is told to people about a finding's victims."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from nodeworthy.records import dataclass


class Sign(StrEnum):
    # A warning among the events.
    WARNED = "warned"
    # What the object's own status says.
    STATE = "state"
    UNREADY = "unready"
    PLACED = "placed"
    # A DaemonSet's pod: the platform's own, and nobody's job.
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Sighting:
    object: str
    sign: Sign
    # The cluster's own word: FailedCreatePodSandBox, CrashLoopBackOff.
    word: str = ""
    first: datetime | None = None
    last: datetime | None = None
    count: int = 1
