"""The way of a rollout, in a world in memory: in order, few at a time, stopped at the first failure, and killed at every
point there is."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from nodeworthy.errors import CouldNotLook
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Stage, Status, Terms
from nodeworthy.rollout.run import Driver
from nodeworthy.rollout.world import World

from .simulated import NEW, OLD, Simulated, budget, pod, rolled

OLD_FIRST, NEW_FIRST, BY_REFRESH = Terms(), Terms(new_first=True), Terms(by_refresh=True)
WAYS = pytest.mark.parametrize(
    "terms", [OLD_FIRST, NEW_FIRST, BY_REFRESH], ids=["old-first", "new-first", "by-refresh"]
)


def all_well(world: Simulated) -> None:
    assert {each.version for each in world.machines.values()} == {NEW}
    assert sorted(world.terminated) == sorted(f"i-old{number}" for number in range(world.nodes))
    assert len(world.machines) == world.nodes == world.group.desired == world.group.largest
    assert world.group.suspended == frozenset()
    assert all(not each.taints and not each.is_cordoned for each in world.there.values())
    assert {each.name for each in world.there.values()} <= set(world.proven)


@WAYS
def test_every_node_is_replaced_and_never_two_are_away(terms: Terms) -> None:
    world, said = Simulated(), list[str]()
    journal = rolled(world, terms, said)
    assert journal.status is Status.DONE
    all_well(world)
    assert world.most_away == (0 if terms.new_first else 1)
    assert said[-1] == "every node is replaced and proven"
    assert world.terminated[0] == "i-old0"


def test_a_successor_is_proven_before_its_forerunner_goes_where_there_is_room() -> None:
    world = Simulated()
    rolled(world, NEW_FIRST)
    names = [type(each).__name__ for each in world.done]
    assert names.index("Welcome") < names.index("Cordon") < names.index("Terminate")
    assert "Welcome" not in names[: names.index("Prove")]


def test_two_at_a_time_only_after_the_canary() -> None:
    world = Simulated(nodes=5)
    rolled(world, Terms(most_unavailable=2))
    all_well(world)
    assert world.most_away == 2
    first = next(number for number, each in enumerate(world.done) if isinstance(each, acts.Welcome))
    assert sum(isinstance(each, acts.Cordon) for each in world.done[:first]) == 1


@WAYS
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("suite", "fails profiling-before-driver"),
        ("accept", "fails gpu-computes-right"),
        ("join", "has no node"),
        ("late", "has no node"),
        ("never-ready", "has joined, and is not Ready"),
        ("old", "was started from version 3 of the template"),
        ("launch", "InsufficientInstanceCapacity"),
    ],
)
def test_the_first_failure_stops_it(terms: Terms, fault: str, told: str) -> None:
    world = Simulated(fault=fault)
    journal = rolled(world, replace(terms, accept="quick"))
    assert journal.status is Status.STOPPED
    assert told in journal.why
    assert len(world.terminated) == (0 if terms.new_first else 1)
    assert world.group.version == OLD
    assert journal.is_pinned
    assert world.group.suspended == frozenset()
    assert world.uncordoned
    assert all(each.taints for each in world.there.values() if each.machine.startswith("i-new"))


def test_a_budget_that_allows_none_stops_it_and_nothing_is_lost() -> None:
    world = Simulated()
    world.give(0, pod("web", budgets=(budget(0),)))
    journal = rolled(world, OLD_FIRST)
    assert journal.status is Status.STOPPED
    assert "research/web stays: research/keep allows 0 disruptions (1 healthy, 1 wanted)" in journal.why
    assert (world.terminated, world.group.version, world.uncordoned) == ([], NEW, True)
    assert len([each for each in world.done if isinstance(each, acts.Evict)]) > 10


@WAYS
def test_what_stopped_at_a_budget_goes_on_when_that_allows_it(terms: Terms) -> None:
    world = Simulated()
    world.give(0, pod("web", budgets=(budget(0),)))
    journal = rolled(world, terms)
    assert journal.status is Status.STOPPED
    world.empty(0)
    assert Driver(journal, world, world, lambda _: None).run() is Status.DONE
    all_well(world)


def test_one_pod_that_may_not_go_keeps_no_other_from_going() -> None:
    world = Simulated()
    world.give(0, pod("first", budgets=(budget(0),)), pod("second"))
    rolled(world, OLD_FIRST)
    assert [each.name for each in world.there["n-i-old0"].pods] == ["first"]


def test_a_pod_that_nobody_makes_anew_is_evicted_only_by_name() -> None:
    world = Simulated()
    world.give(0, pod("notebook", blocks="has no controller: nobody makes it anew"))
    journal = rolled(world, OLD_FIRST)
    assert "--evict research/notebook" in journal.why
    assert world.terminated == []
    named = Simulated()
    named.give(0, pod("notebook", blocks="has no controller: nobody makes it anew"))
    rolled(named, Terms(evict=frozenset({"research/notebook"})))
    all_well(named)


def test_a_gpu_job_is_waited_for_as_long_as_it_declares() -> None:
    world = Simulated()
    world.give(0, pod("train", owner="Job", gpus=8, seconds_left=900, since="09:00"))
    world.later(900, partial(world.empty, 0))
    rolled(world, OLD_FIRST)
    all_well(world)
    assert not [each for each in world.done if isinstance(each, acts.Evict)]


@pytest.mark.parametrize(("terms", "seconds"), [(OLD_FIRST, 0), (Terms(job_seconds=600), 600)])
def test_one_that_declares_no_end_stops_it(terms: Terms, seconds: float) -> None:
    world = Simulated()
    world.give(0, pod("train", owner="Job", gpus=8, since="09:00"))
    journal = rolled(world, terms)
    assert "research/train computes on 8 GPUs of n-i-old0 since 09:00" in journal.why
    assert world.terminated == []
    assert world.uncordoned
    assert seconds <= world.time - 1000 < seconds + 60


def test_what_a_person_had_set_and_its_protection_come_back() -> None:
    world = Simulated(nodes=1)
    kept = {"labels": {"gpu.monitoring/profiling-dedicated": "true"}}
    rolled(world, OLD_FIRST, kept=kept, was_protected=True)
    [node], [machine] = world.there.values(), world.machines.values()
    assert node.kept == kept
    assert machine.is_protected
    named = [type(each).__name__ for each in world.done]
    assert named.index("Label") < named.index("Welcome")


def test_a_hook_that_nobody_completes_is_completed_after_two_minutes() -> None:
    world = Simulated(nodes=2, fault="hook")
    assert rolled(world, OLD_FIRST).status is Status.DONE
    all_well(world)
    assert sum(isinstance(each, acts.Complete) for each in world.done) == 2
    assert world.time > 1000 + 2 * 120
    assert world.most_away == 1


def test_it_pauses_behind_the_canary_and_goes_on() -> None:
    world, terms = Simulated(), Terms(pause_after_canary=True)
    journal = rolled(world, terms)
    assert (journal.status, journal.finished()) == (Status.PAUSED, 1)
    assert world.group.suspended == frozenset()
    assert Driver(journal, world, world, lambda _: None).run() is Status.DONE
    all_well(world)


def window(begins: float, ends: float) -> str:
    """Between two seconds of the world's clock, as people write it."""
    return "-".join(f"{datetime.datetime.fromtimestamp(each).astimezone():%H:%M}" for each in (begins, ends))


def test_outside_of_its_window_nothing_is_begun_and_nothing_touched() -> None:
    world, journal_of = Simulated(), Terms(window=window(7200, 9000))
    journal = rolled(world, journal_of)
    assert (journal.status, world.done) == (Status.PAUSED, [])
    assert journal.why == f"outside of the window {journal_of.window}: 0 of 4 nodes are replaced"
    world.time = 7300
    assert Driver(journal, world, world, lambda _: None).run() is Status.DONE
    all_well(world)


@WAYS
@pytest.mark.parametrize("most", [1, 2])
def test_when_its_window_ends_what_was_begun_is_finished(terms: Terms, most: int) -> None:
    world = Simulated()
    journal = rolled(world, replace(terms, most_unavailable=most, window=window(960, 1140)))
    assert journal.status is Status.PAUSED
    assert 0 < journal.finished() < 4
    assert journal.under_way() == []
    assert len(world.machines) == world.group.desired == 4
    assert (world.uncordoned, world.group.suspended, world.group.version) == (True, frozenset(), NEW)


def test_beside_one_that_takes_longer_than_the_window_none_is_begun() -> None:
    world = Simulated(nodes=5)
    world.give(1, pod("train", owner="Job", gpus=8, seconds_left=400, since="09:00"))
    world.later(400, partial(world.empty, 1))
    journal = rolled(world, Terms(2, window=window(960, 1140)))
    assert (journal.status, world.terminated) == (Status.PAUSED, ["i-old0", "i-old2", "i-old1"])


@pytest.mark.parametrize(("asked", "status"), [("pause", Status.PAUSED), ("abort", Status.ABORTED)])
def test_somebody_asks_meanwhile(asked: str, status: Status) -> None:
    world = Simulated()

    def ask() -> None:
        world.asked = asked

    world.later(30, ask)
    journal = rolled(world, OLD_FIRST)
    assert journal.status is status
    assert world.terminated == ["i-old0"]
    assert (journal.finished() == 1) is (asked == "pause")
    assert (world.uncordoned, world.group.version, world.group.suspended) == (True, NEW, frozenset())


HANDS: dict[str, tuple[Any, str]] = {
    "template": ({"version": "5"}, "starts from version 5"),
    "size": ({"desired": 9}, "is to have 9 nodes now"),
    "refresh": ({"refresh": "08b9"}, "started the instance refresh 08b9"),
}


@pytest.mark.parametrize(("changed", "told"), HANDS.values(), ids=HANDS)
def test_somebody_elses_hand_stops_it(changed: dict[str, Any], told: str) -> None:
    world = Simulated()
    world.later(30, lambda: setattr(world, "group", replace(world.group, **changed)))
    journal = rolled(world, OLD_FIRST)
    assert journal.status is Status.STOPPED
    assert told in journal.why
    assert len(world.terminated) == 1
    assert not journal.is_pinned


def test_a_cordon_that_somebody_lifts_and_a_node_that_somebody_ends_stop_it() -> None:
    world = Simulated()
    world.give(0, pod("web", budgets=(budget(0),)))
    world.later(30, lambda: world._change("n-i-old0", is_cordoned=False, mark=""))
    assert "somebody has lifted the cordon of n-i-old0" in rolled(world, OLD_FIRST).why
    other = Simulated()
    other.later(30, lambda: other._terminate("i-old2", shrinks=False))
    assert "(i-old2) is gone, and this rollout did not end it" in rolled(other, OLD_FIRST).why


def test_as_many_as_may_be_are_away_already() -> None:
    world = Simulated()
    world._change("n-i-old3", is_ready=False)
    journal = rolled(world, OLD_FIRST)
    assert "n-i-old3 is not Ready" in journal.why
    assert (world.terminated, world.uncordoned) == ([], True)


def test_who_does_not_answer_for_a_minute_is_waited_for_and_for_long_ends_it() -> None:
    for seconds, status in ((60, Status.DONE), (5000, Status.PAUSED)):
        world = Simulated()

        def leave(world: Simulated = world, seconds: int = seconds) -> None:
            world.away_until = world.time + seconds

        world.later(30, leave)
        assert rolled(world, OLD_FIRST).status is status


@WAYS
@pytest.mark.parametrize("fault", ["", "suite", "join"])
def test_nobody_answers_for_a_minute_at_any_point_and_it_ends_the_same(terms: Terms, fault: str) -> None:
    """Whatever was just done has been done, or has not: nobody knows, and it is looked at again."""
    patient = replace(terms, join_seconds=400)
    whole = Simulated(nodes=2, fault=fault)
    usual = rolled(whole, patient)
    for each in range(1, whole.points + 1):
        world = Simulated(nodes=2, fault=fault, leaves_at=each)
        made = rolled(world, patient)
        assert (made.status, made.is_pinned) == (usual.status, bool(fault)), each
        assert world.terminated == whole.terminated, each
        assert (world.group.version, world.group.desired) == (OLD if fault else NEW, whole.group.desired), each
        assert (world.uncordoned, world.group.suspended, world.group.refresh) == (True, frozenset(), ""), each
        assert world.most_away <= 1, each


def test_who_stays_away_in_the_end_is_given_up_and_said() -> None:
    """The group may still start bad ones: somebody has to know."""
    world, said = Simulated(nodes=2, fault="suite"), list[str]()
    real = world.do

    def refused(act: acts.Act, journal: Journal) -> acts.Outcome:
        if isinstance(act, acts.Pin):
            return acts.Outcome(is_done=False, why="Throttling: Rate exceeded", later=True)
        return real(act, journal)

    world.do = refused  # type: ignore[method-assign]
    made = rolled(world, OLD_FIRST, said)
    assert (made.status, made.is_pinned) == (Status.STOPPED, False)
    assert "set the group's launch template to version 3: not now: Throttling: Rate exceeded" in said
    assert "could not set the group's launch template to version 3: Throttling: Rate exceeded" in said
    assert (world.uncordoned, world.group.suspended) == (True, frozenset())


def test_what_was_suspended_goes_on_where_it_is_given_up() -> None:
    """The cluster alone is away."""
    world = Simulated()

    def blind(made: Journal) -> World:
        raise CouldNotLook("the nodes can't be read")

    world.later(30, lambda: setattr(world, "look", blind))
    made = rolled(world, OLD_FIRST)
    assert made.status is Status.PAUSED
    assert made.why == "nothing could be looked at for 600 s: the nodes can't be read"
    assert world.group.suspended == frozenset()
    both = Simulated()
    both.later(30, lambda: setattr(both, "away_until", 1e9))
    assert rolled(both, OLD_FIRST).why.endswith("AZRebalance of the group stays suspended until it goes on")


# Killed


def points(terms: Terms) -> int:
    world = Simulated(nodes=3)
    rolled(world, terms, was_protected=True, kept={"labels": {"a": "b"}})
    return world.points


@WAYS
def test_killed_at_any_point_it_ends_the_same(terms: Terms) -> None:
    count = points(terms)
    assert count > 100
    for each in range(1, count + 1):
        world = Simulated(nodes=3, dies_at=each)
        assert rolled(world, terms, was_protected=True, kept={"labels": {"a": "b"}}).status is Status.DONE
        all_well(world)
        assert world.most_away == (0 if terms.new_first else 1), each
        assert {node.kept["labels"]["a"] for node in world.there.values()} == {"b"}


@pytest.mark.parametrize("fault", ["suite", "join", "launch"])
def test_killed_at_any_point_of_a_failure_one_node_is_lost_and_no_more(fault: str) -> None:
    whole, terms = Simulated(nodes=3, fault=fault), Terms(join_seconds=200)
    rolled(whole, terms)
    for each in range(1, whole.points + 1):
        world = Simulated(nodes=3, fault=fault, dies_at=each)
        journal = rolled(world, terms)
        assert journal.status is Status.STOPPED, each
        assert (world.terminated, world.group.version) == (["i-old0"], OLD), each
        assert (world.uncordoned, world.group.suspended) == (True, frozenset()), each


@seed(datetime.date.today().toordinal())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    nodes=st.integers(1, 5),
    most=st.integers(1, 3),
    new_first=st.booleans(),
    kills=st.lists(st.integers(1, 120), max_size=6),
    late=st.lists(st.tuples(st.integers(0, 4), st.integers(10, 2000)), max_size=3),
)
def test_any_rollout_killed_again_and_again(
    nodes: int, most: int, new_first: bool, kills: list[int], late: list[tuple[int, int]]
) -> None:
    world = Simulated(nodes=nodes)
    for number, seconds in late:
        world.give(number % nodes, pod(f"job{seconds}", owner="Job", gpus=1, seconds_left=seconds))
        world.later(seconds, partial(world.empty, number % nodes))
    due = iter(kills)

    def again() -> int | None:
        return next((world.points + each for each in due), None)

    world.dies_at = again()
    real = world._point

    def point() -> None:
        try:
            real()
        except BaseException:
            world.dies_at = again()
            raise

    world._point = point  # type: ignore[method-assign]
    journal = rolled(world, Terms(most_unavailable=most, new_first=new_first))
    assert journal.status is Status.DONE
    all_well(world)
    assert world.most_away <= (0 if new_first else most)
    assert all(each.stage is Stage.DONE for each in journal.lanes)
