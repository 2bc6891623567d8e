"""What a rollout says when it stops or waits for what happens seldom: each sentence is seen, in a world in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Stage, Status, Terms
from nodeworthy.rollout.run import Driver

from .simulated import NEW, OLD, Simulated, budget, journal, pod, rolled

OLD_FIRST, NEW_FIRST = Terms(), Terms(new_first=True)


def behind(world: Simulated, kind: type[acts.Act], then: Callable[[], object]) -> None:
    """Something happens just after an act of this kind."""
    real = world.do

    def do(act: acts.Act, journal: Journal) -> acts.Outcome:
        outcome = real(act, journal)
        if isinstance(act, kind):
            then()
        return outcome

    world.do = do  # type: ignore[method-assign]


def test_machines_that_nobody_asked_for() -> None:
    world = Simulated()
    world.later(10, partial(world._add, "i-theirs", NEW))
    made = rolled(world, OLD_FIRST)
    assert (made.status, made.is_pinned) == (Status.STOPPED, False)
    assert made.why == "t4 has machines that this rollout did not ask for: i-new0"


def test_a_successor_that_is_gone_again() -> None:
    world = Simulated()
    world.later(40, partial(world._gone, "i-new0"))
    made = rolled(world, OLD_FIRST)
    assert made.why == "i-new0, which came for n-i-old0 (i-old0), is gone again"
    assert (made.is_pinned, world.group.version, world.terminated) == (True, OLD, ["i-old0"])


def test_a_successor_that_was_ready_and_is_not_any_more() -> None:
    world = Simulated()
    behind(world, acts.Prove, lambda: world._change("n-i-new0", is_ready=False))
    made = rolled(world, Terms(accept="quick"))
    assert made.why == "n-i-new0 (i-new0) had joined, and is not Ready any more since --join-timeout"
    assert made.is_pinned
    assert not [each for each in world.done if isinstance(each, acts.Accept | acts.Welcome)]


def test_a_successor_that_is_not_ready_for_a_minute_is_waited_for() -> None:
    """As nodes are for a while where the API server was away: nobody heard of them."""
    world = Simulated(nodes=2)

    def flap() -> None:
        world._change("n-i-new0", is_ready=False)
        world.later(60, lambda: world._change("n-i-new0", is_ready=True))

    behind(world, acts.Prove, flap)
    said: list[str] = []
    made = rolled(world, Terms(accept="quick"), said)
    assert (made.status, made.is_pinned) == (Status.DONE, False)
    assert "n-i-new0 (i-new0) had joined, and is not Ready now" in said


@pytest.mark.parametrize(
    ("seconds", "status"), [(300, Status.DONE), (5000, Status.STOPPED)], ids=["for-a-while", "for-long"]
)
@pytest.mark.parametrize("kind", [acts.Cordon, acts.Prove, acts.Welcome])
def test_what_can_not_be_done_now_is_tried_again_as_long_as_there_is_patience(
    kind: type[acts.Act], seconds: int, status: Status
) -> None:
    world = Simulated(nodes=2)
    real, until = world.do, list[float]()

    def refused(act: acts.Act, journal: Journal) -> acts.Outcome:
        if isinstance(act, kind):
            until.append(world.time + seconds)
            if world.time < until[0]:
                return acts.Outcome(is_done=False, why="etcdserver: leader changed", later=True)
        return real(act, journal)

    world.do = refused  # type: ignore[method-assign]
    made = rolled(world, OLD_FIRST)
    assert made.status is status
    if status is Status.STOPPED:
        assert made.why.endswith("etcdserver: leader changed: tried again for 600 s")
        assert (world.uncordoned, world.group.suspended) == (True, frozenset())


def test_a_node_that_was_empty_and_has_a_pod_again_is_not_ended() -> None:
    """Somebody binds it there by hand: a cordon keeps the scheduler away, and nobody else."""
    world = Simulated()
    real = world.save

    def save(journal: Journal) -> None:
        real(journal)
        if any(each.stage is Stage.EMPTY for each in journal.lanes) and not world.there["n-i-old0"].pods:
            world.give(0, pod("late"))

    world.save = save  # type: ignore[method-assign]
    made = rolled(world, OLD_FIRST)
    assert made.why == "n-i-old0 (i-old0) was empty, and has research/late now: somebody put it there"
    assert (world.terminated, world.uncordoned) == ([], True)


def test_a_volume_that_stays_attached() -> None:
    world = Simulated()
    world._change("n-i-old0", has_attachments=True)
    made = rolled(world, Terms(drain_seconds=60))
    assert made.why == "n-i-old0 (i-old0) is not empty: a volume is still attached, within --drain-timeout"
    assert world.terminated == []
    freed = Simulated()
    freed._change("n-i-old0", has_attachments=True)
    freed.later(30, lambda: freed._change("n-i-old0", has_attachments=False))
    assert rolled(freed, Terms(drain_seconds=60)).status is Status.DONE


def test_two_budgets_of_one_pod_are_both_named() -> None:
    world = Simulated()
    world.give(0, pod("web", budgets=(budget(0), replace(budget(1), name="other"))))
    why = rolled(world, OLD_FIRST).why
    assert "research/web stays (two budgets for one pod: the Eviction API takes none of them): research/keep" in why
    assert "research/other allows 1 disruptions" in why


def test_a_pod_that_is_leaving_is_told_nothing_more() -> None:
    world = Simulated()
    world.give(0, pod("held", leaving="kept by its finalizer example.com/hold, since 12:00:00Z"))
    made = rolled(world, Terms(drain_seconds=60))
    assert made.why == (
        "n-i-old0 (i-old0) is not empty: research/held is ending, kept by its finalizer example.com/hold, since "
        "12:00:00Z, within --drain-timeout"
    )
    assert not [each for each in world.done if isinstance(each, acts.Evict)]


@pytest.mark.parametrize(
    ("seconds", "terms", "told"),
    [
        (-2000, OLD_FIRST, "did not end when it said that it would"),
        (None, Terms(job_seconds=600), "was waited for as long as --wait-for-jobs says"),
        (None, OLD_FIRST, "declares no end: --wait-for-jobs TIME waits for it, --evict research/train does not"),
    ],
)
def test_a_job_that_does_not_end(seconds: int | None, terms: Terms, told: str) -> None:
    world = Simulated()
    world.give(0, pod("train", owner="Job", gpus=1, seconds_left=seconds, since="09:00"))
    made = rolled(world, terms)
    assert made.why == f"research/train computes on 1 GPU of n-i-old0 since 09:00, and {told}"
    assert (world.terminated, world.uncordoned) == ([], True)


def test_one_that_ends_late_is_still_waited_for() -> None:
    world = Simulated()
    world.give(0, pod("train", owner="Job", gpus=1, seconds_left=-1700))
    world.later(50, partial(world.empty, 0))
    assert rolled(world, OLD_FIRST).status is Status.DONE


def test_a_fresh_node_is_left_to_itself_before_the_next_goes() -> None:
    world, said = Simulated(nodes=2), list[str]()
    times: list[float] = []
    behind(world, acts.Welcome, lambda: times.append(world.time))
    behind(world, acts.Cordon, lambda: times.append(world.time))
    assert rolled(world, Terms(soak_seconds=300), said).status is Status.DONE
    assert "the last fresh node is left to itself for --soak" in said
    assert times[2] - times[1] >= 300


def test_machines_that_are_missing_keep_the_next_from_being_begun() -> None:
    world = Simulated()
    made = journal(world, OLD_FIRST)
    made.lanes = made.lanes[:2]
    del world.machines["i-old3"]
    assert Driver(made, world, world, lambda _: None).run() is Status.STOPPED
    assert made.why == ("n-i-old0 (i-old0) is not begun, for as many are away as may be: 1 of 4 machines are missing")
    assert world.terminated == []


@pytest.mark.parametrize(("seconds", "status"), [(30, Status.DONE), (9000, Status.STOPPED)])
def test_a_group_that_stays_too_large_is_no_success(seconds: float, status: Status) -> None:
    """AWS takes a while to make it smaller; where it never does, somebody has to know."""
    world, said = Simulated(nodes=1), list[str]()

    def late() -> None:
        world.group = replace(world.group, desired=2)
        world.later(seconds, lambda: setattr(world, "group", replace(world.group, desired=1)))

    behind(world, acts.Terminate, late)
    made = rolled(world, NEW_FIRST, said)
    assert made.status is status
    assert "waiting for the group to be as large as it was" in said
    assert made.why == ("" if status is Status.DONE else "every node is replaced, and t4 is still to have 2, and had 1")


def test_what_was_pinned_is_not_gone_on_with() -> None:
    world = Simulated(fault="suite")
    made = rolled(world, OLD_FIRST)
    world.fault = ""
    assert Driver(made, world, world, lambda _: None).run() is Status.STOPPED
    assert made.why == (
        "t4 was pinned to version 3 when this rollout stopped: mend the template, and begin another one"
    )
    assert (world.terminated, world.group.version) == (["i-old0"], OLD)
