"""A port that a script has a cloud open, of a machine with GPUs that it makes there."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class OpenedPort:
    called: ClassVar[str] = "a port that a cloud's client opens"

    place: Place
    # What opens it, as its cloud calls it: `firewall rule 'jupyter'`.
    title: str
    ports: str
    # As it is written; empty where the client's default is everyone.
    source: str
    is_to_everyone: bool
    machine: Place
    machine_title: str
