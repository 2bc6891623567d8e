"""Whether a host's boot has ended, well or not: what a look at it waits for."""

from __future__ import annotations

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.boot import boot, boot_ended
from nodeworthy.facts.node.boot import NodeBoot
from nodeworthy.verdict import Known, Place

# systemd has no job left, or waits for somebody at its console.
_ENDED = ("running", "degraded", "maintenance")
# What ssh says where waiting changes nothing.
_FOR_GOOD = ("Host key verification failed",)


def why_not_ready(recording: Recording) -> str | None:
    """None where there is nothing to wait for: the boot has ended, or has failed."""
    if recording.unreached is not None:
        return None if recording.unreached.startswith(_FOR_GOOD) else recording.unreached
    place = Place(host=recording.host)
    seen = boot(recording, place)
    if seen is None or _has_failed(seen):
        return None
    if seen.stage is not None:
        return seen.now
    if seen.system is not None:
        return None if seen.system in _ENDED else seen.now
    ended = boot_ended(recording, place).state
    return None if isinstance(ended, Known) and ended.value else "cloud-init has not ended"


def _has_failed(seen: NodeBoot) -> bool:
    return isinstance(seen.errors.state, Known) and bool(seen.errors.state.value)
