"""A host that was asked, and what it said."""

from __future__ import annotations

from testinfra.host import Host

from nodeworthy.collect.node.observe import observe
from nodeworthy.collect.node.recording import NoRecording, Recording
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Asked:
    """A host, and what it said, or why its recording can't be replayed."""

    name: str
    recording: Recording | None
    why: str = ""


def ask(host: Host) -> Asked:
    name = host.backend.get_pytest_id()
    try:
        recording = observe(host)
    except NoRecording as problem:
        return Asked(name, None, str(problem))
    return Asked(recording.host, recording)
