"""What has become of a job of Slurm, by what its clients say. It has failed only by a record that is ours and is final;
whatever else is seen, or is not, is unknown and is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass

# From polling often to polling seldom.
FIRST_SECONDS, LAST_SECONDS = 2.0, 30.0
CLIENT_SECONDS = 10.0
# A clock that differs from ours by more than this is not that of our job.
_SUBMIT_SLACK = 60.0

# They go by themselves; all others that pend without an end are known by their beginnings.
_ENDLESS = (
    "QOSMax",
    "QOSGrp",
    "AssocMax",
    "AssocGrp",
    "PartitionTimeLimit",
    "PartitionNodeLimit",
    "ReqNodeNotAvail",
    "BadConstraints",
    "InvalidQOS",
    "InvalidAccount",
    "DependencyNeverSatisfied",
)
_RUNS = frozenset(
    {"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "REQUEUED", "RESIZING", "SIGNALING"}
)
# It yielded, or its node did.
_NOT_RUN = {
    "PREEMPTED": NotRun.PREEMPTED,
    "DEADLINE": NotRun.DEADLINE,
    "NODE_FAIL": NotRun.NODE_GONE,
    "BOOT_FAIL": NotRun.NODE_GONE,
    "CANCELLED": NotRun.PREEMPTED,
    "REVOKED": NotRun.NOT_HEARD,
}
_ENDED = frozenset({"COMPLETED", "FAILED", "OUT_OF_MEMORY", "TIMEOUT"})


class JobPhase(StrEnum):
    # It waits or runs.
    ON = "on"
    # It waits, and will never run.
    NEVER = "never"
    # It ended; what its program said decides.
    ENDED = "ended"
    # It did not run to its end, and that is no fault of what was tested.
    NOT_RUN = "not-run"
    # Nobody knows; ask again.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Ours:
    """What shows that a record is of our job, and not of another that was given its id."""

    id: str
    user: str
    name: str
    submitted: float


@dataclass(frozen=True)
class Record:
    """A line of squeue, scontrol or sacct."""

    id: str
    user: str
    name: str
    state: str
    # Seconds since the epoch; None where the client does not say.
    submitted: float | None = None
    reason: str = ""
    nodes: str = ""
    # What it asked for of each node, as squeue says it.
    asked: str = ""


@dataclass(frozen=True)
class Answers:
    """What each client said: its records, or None where it did not answer, or answered with an error."""

    queue: Sequence[Record] | None
    controller: Sequence[Record] | None = None
    accounting: Sequence[Record] | None = None
    # Whether the output holds this run's mark of the end.
    has_end_mark: bool = False


@dataclass(frozen=True)
class JobSighting:
    seen: JobPhase
    why: str
    reason: NotRun | None = None


def look(ours: Ours, answers: Answers) -> JobSighting:
    for queued in _own(ours, answers.queue):
        found = _of_state(queued, answers)
        if found is not None:
            return found
    if answers.queue is None and not answers.has_end_mark:
        return JobSighting(JobPhase.UNKNOWN, "squeue did not answer")
    for records in (answers.controller, answers.accounting):
        # Of a job that was queued again, the last one counts.
        last = _own(ours, records)[-1:]
        found = _of_state(last[0], answers) if last else None
        if found is not None and found.seen is not JobPhase.ON:
            return found
    if answers.has_end_mark:
        return JobSighting(JobPhase.ENDED, "its output is whole, and no client knows of it any more")
    return JobSighting(
        JobPhase.UNKNOWN, "it is not in the queue, and neither the controller nor the accounting knows its end"
    )


def _own(ours: Ours, records: Sequence[Record] | None) -> list[Record]:
    """An id is used again after years: a record is ours by all that we know of our job."""
    return [
        each
        for each in records or ()
        if (each.id, each.user, each.name) == (ours.id, ours.user, ours.name)
        and (each.submitted is None or each.submitted >= ours.submitted - _SUBMIT_SLACK)
    ]


def _of_state(record: Record, answers: Answers) -> JobSighting | None:
    """None of a state that is none that we know: then another client is asked."""
    state = record.state.partition(" ")[0].rstrip("+")
    if state in _RUNS:
        return _waits(record) if state == "PENDING" else JobSighting(JobPhase.ON, state.lower())
    if state in _NOT_RUN:
        at = f" ({record.nodes})" if record.nodes and _NOT_RUN[state] is NotRun.NODE_GONE else ""
        return JobSighting(JobPhase.NOT_RUN, f"Slurm says {record.state}{at}", _NOT_RUN[state])
    if state == "COMPLETED" and not answers.has_end_mark:
        return JobSighting(JobPhase.UNKNOWN, "Slurm says COMPLETED, and its output has no end yet")
    return JobSighting(JobPhase.ENDED, f"Slurm says {state}") if state in _ENDED else None


def _waits(record: Record) -> JobSighting:
    if record.reason.startswith(_ENDLESS):
        return JobSighting(JobPhase.NEVER, f"it would never run: {record.reason}", NotRun.QUOTA)
    return JobSighting(JobPhase.ON, f"it waits: {record.reason or 'no reason given'}")
