"""Watching a job of Slurm: what clients say, and what it means. Each of these was a bug in somebody's watcher."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodeworthy.collect.workload.watcher import Answers, JobPhase, Ours, Record, look
from nodeworthy.known.acceptance import NotRun

OURS = Ours("4711", "ada", "nodeworthy-1f2e", 1_795_000_000.0)
RECORD = Record("4711", "ada", "nodeworthy-1f2e", "COMPLETED", 1_795_000_003.0)


def seen(
    state: str = "", *, queue: str | None = "", controller: str | None = None, mark: bool = False, reason: str = ""
) -> tuple[JobPhase, NotRun | None]:
    """Each a state, empty where the client answers that it knows nothing, None where it did not answer."""

    def told(each: str | None) -> list[Record] | None:
        return None if each is None else [replace(RECORD, state=each, reason=reason)] if each else []

    found = look(OURS, Answers(told(queue), told(controller), told(state), has_end_mark=mark))
    return found.seen, found.reason


@pytest.mark.parametrize("state", ["PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED"])
def test_what_is_queued_goes_on(state: str) -> None:
    assert seen(queue=state) == (JobPhase.ON, None)


@pytest.mark.parametrize(
    "reason",
    ["QOSMaxGRESPerUser", "AssocMaxJobsLimit", "PartitionTimeLimit", "ReqNodeNotAvail, UnavailableNodes:gpu-1"],
)
def test_what_waits_for_ever_never_runs(reason: str) -> None:
    assert seen(queue="PENDING", reason=reason) == (JobPhase.NEVER, NotRun.QUOTA)


@pytest.mark.parametrize("reason", ["Priority", "Resources", "BeginTime", "None", ""])
def test_what_waits_for_its_turn_goes_on(reason: str) -> None:
    assert seen(queue="PENDING", reason=reason) == (JobPhase.ON, None)


def test_accounting_that_lags_is_no_failure() -> None:
    """Gone from the queue, and sacct has not heard of its end."""
    for late in ("", "RUNNING", "PENDING", "COMPLETING"):
        assert seen(late) == (JobPhase.UNKNOWN, None)


def test_clients_that_do_not_answer_are_no_failure() -> None:
    assert look(OURS, Answers(None, None, None)).seen is JobPhase.UNKNOWN
    assert look(OURS, Answers([], None, None)).seen is JobPhase.UNKNOWN
    assert look(OURS, Answers(None, None, [replace(RECORD, state="FAILED")])).seen is JobPhase.UNKNOWN


@pytest.mark.parametrize(
    "foreign",
    [
        replace(RECORD, user="bob", state="FAILED"),
        replace(RECORD, name="train", state="FAILED"),
        replace(RECORD, id="4712", state="FAILED"),
        replace(RECORD, submitted=1_499_000_000.0, state="FAILED"),
    ],
)
def test_a_record_of_another_who_had_the_id_says_nothing(foreign: Record) -> None:
    assert look(OURS, Answers([], [foreign], [foreign])).seen is JobPhase.UNKNOWN


@pytest.mark.parametrize(("late", "expected"), [(-60.0, JobPhase.ENDED), (-60.1, JobPhase.UNKNOWN)])
def test_a_clock_may_differ_by_a_minute(late: float, expected: JobPhase) -> None:
    record = replace(RECORD, state="FAILED", submitted=OURS.submitted + late)
    assert look(OURS, Answers([], [], [record])).seen is expected


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("PREEMPTED", NotRun.PREEMPTED),
        ("DEADLINE", NotRun.DEADLINE),
        ("NODE_FAIL", NotRun.NODE_GONE),
        ("BOOT_FAIL", NotRun.NODE_GONE),
        ("CANCELLED by 1000", NotRun.PREEMPTED),
    ],
)
def test_who_yielded_did_not_fail(state: str, reason: NotRun) -> None:
    assert seen(state) == (JobPhase.NOT_RUN, reason)
    assert seen(controller=state) == (JobPhase.NOT_RUN, reason)


@pytest.mark.parametrize("state", ["FAILED", "OUT_OF_MEMORY", "TIMEOUT"])
def test_its_own_end_is_an_end(state: str) -> None:
    assert seen(state) == (JobPhase.ENDED, None)


def test_completed_is_only_believed_with_the_end_of_its_output() -> None:
    assert seen("COMPLETED") == (JobPhase.UNKNOWN, None)
    assert seen("COMPLETED", mark=True) == (JobPhase.ENDED, None)


def test_without_accounting_the_controller_or_the_output_tells() -> None:
    assert seen(controller="FAILED") == (JobPhase.ENDED, None)
    assert look(OURS, Answers([], None, None, has_end_mark=True)).seen is JobPhase.ENDED


def test_of_a_requeued_job_the_last_record_counts() -> None:
    records = [replace(RECORD, state="PREEMPTED"), replace(RECORD, state="FAILED")]
    assert look(OURS, Answers([], [], records)).seen is JobPhase.ENDED


def test_a_state_that_nobody_knows_is_unknown() -> None:
    assert seen("SPECIAL_EXIT") == (JobPhase.UNKNOWN, None)
