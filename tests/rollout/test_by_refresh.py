"""`rollout --by refresh`: AWS ends machines and starts their successors, each when it is let have it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Stage, Status, Terms
from nodeworthy.rollout.run import Driver
from nodeworthy.rollout.steps import next_step
from nodeworthy.rollout.view import Do, View
from nodeworthy.rollout.world import World

from .simulated import NEW, OLD, Simulated, journal, pod

BY_REFRESH = Terms(by_refresh=True)


def driven(world: Simulated, made: Any, said: list[str] | None = None) -> Status:
    return Driver(made, world, world, (said if said is not None else []).append).run()


def names(world: Simulated) -> list[str]:
    return [type(each).__name__ for each in world.done]


def test_all_are_protected_before_it_begins_and_let_go_one_by_one_when_they_are_empty() -> None:
    world = Simulated(nodes=3)
    world.give(1, pod("web"))
    made = journal(world, BY_REFRESH)
    assert driven(world, made) is Status.DONE
    assert world.done[1] == acts.Shield(("i-old0", "i-old1", "i-old2"))
    assert world.done[2] == acts.StartRefresh(NEW, 66, rolls_back=False)
    acted = [each for each in names(world) if each in ("Cordon", "Evict", "HandToRefresh", "Prove", "Welcome")]
    one = ["Cordon", "HandToRefresh", "Prove", "Welcome"]
    assert acted == [*one, "Cordon", "Evict", *one[1:], *one]
    assert "Terminate" not in names(world)
    assert (world.most_away, world.refreshes, world.group.refresh) == (1, 1, "")
    assert not any(each.is_protected for each in world.machines.values())


def test_what_is_left_out_is_kept_from_it_and_it_is_cancelled_in_the_end() -> None:
    """AWS would wait for what is protected, and fail after an hour."""
    world = Simulated()
    made = journal(world, BY_REFRESH)
    made.lanes = made.lanes[:2]
    assert driven(world, made) is Status.DONE
    assert sorted(world.terminated) == ["i-old0", "i-old1"]
    assert world.group.ended_refreshes == {"r-1": "Cancelled"}
    assert world.group.named_version == "$Latest"
    assert not any(each.is_protected for each in world.machines.values())


@pytest.mark.parametrize("was_protected", [True, False])
def test_a_bad_one_has_it_cancelled_before_the_group_is_pinned(was_protected: bool) -> None:
    world, said = Simulated(fault="suite"), list[str]()
    world.machines["i-old3"] = replace(world.machines["i-old3"], is_protected=was_protected)
    made = journal(world, BY_REFRESH)
    assert driven(world, made, said) is Status.STOPPED
    assert names(world).index("CancelRefresh") < names(world).index("Pin")
    assert (world.terminated, world.group.version, world.group.refresh) == (["i-old0"], OLD, "")
    assert {each.id for each in world.machines.values() if each.is_protected} == (
        {"i-old3"} if was_protected else set()
    )
    assert "waiting for the instance refresh r-1 to be cancelled" in said


def test_one_that_fails_by_itself_stops_it_and_another_one_goes_on() -> None:
    world = Simulated()
    world.later(30, lambda: world.over("Failed: i-old1 was protected for an hour"))
    world.give(0, pod("train", owner="Job", gpus=1, seconds_left=100))
    world.later(100, lambda: world.empty(0))
    made = journal(world, BY_REFRESH)
    assert driven(world, made) is Status.STOPPED
    assert made.why == (
        "the instance refresh r-1 is over before n-i-old0 (i-old0), n-i-old1 (i-old1), n-i-old2 (i-old2), n-i-old3 "
        "(i-old3): Failed: i-old1 was protected for an hour"
    )
    assert (world.terminated, world.uncordoned, made.is_pinned) == ([], True, False)
    world.empty(0)
    assert driven(world, made) is Status.DONE
    assert (world.refreshes, len(world.terminated)) == (2, 4)


def test_a_machine_that_was_let_go_and_stays_is_protected_again_and_has_another_turn() -> None:
    """It was cancelled before it came to it."""
    world = Simulated(nodes=2)
    world.machines["i-old0"] = replace(world.machines["i-old0"], is_protected=True)
    made = journal(world, BY_REFRESH, was_protected=True)
    real = world._protect

    def abort(machines: tuple[str, ...], *, is_on: bool) -> None:
        real(machines, is_on=is_on)
        if not is_on and not world.terminated:
            world.asked = "abort"

    world._protect = abort  # type: ignore[method-assign]
    assert driven(world, made) is Status.ABORTED
    assert made.lanes[0].stage is Stage.WAITS
    assert world.machines["i-old0"].is_protected
    assert (world.terminated, world.uncordoned) == ([], True)
    world.asked, world._protect = "", real  # type: ignore[method-assign]
    assert driven(world, made) is Status.DONE


def test_somebody_elses_refresh_is_not_ours_to_cancel() -> None:
    world = Simulated()
    world.group = replace(world.group, refresh="theirs")
    made = journal(world, BY_REFRESH)
    assert driven(world, made) is Status.STOPPED
    assert "somebody started the instance refresh theirs" in made.why
    assert (world.group.refresh, names(world)) == ("theirs", [])


def test_one_that_begins_at_the_same_moment_is_not_either() -> None:
    world = Simulated()
    made = journal(world, BY_REFRESH)
    real = world._protect

    def theirs(machines: tuple[str, ...], *, is_on: bool) -> None:
        real(machines, is_on=is_on)
        if is_on and not world.refreshes:
            world.refreshes = 1
            world.group = replace(world.group, refresh="theirs")

    world._protect = theirs  # type: ignore[method-assign]
    assert driven(world, made) is Status.STOPPED
    assert "CancelRefresh" not in names(world)
    assert world.group.refresh == "theirs"


def test_a_pause_cancels_it_and_the_next_one_goes_on_where_it_was() -> None:
    world = Simulated()
    made = journal(world, Terms(by_refresh=True, pause_after_canary=True))
    assert driven(world, made) is Status.PAUSED
    assert (world.group.refresh, len(world.terminated)) == ("", 1)
    assert not any(each.is_protected for each in world.machines.values())
    assert driven(world, made) is Status.DONE
    assert (world.refreshes, len(world.terminated)) == (2, 4)


def test_a_newer_version_of_the_template_is_not_its_business_and_another_name_in_the_group_is() -> None:
    """It goes by its number."""
    world = Simulated()
    world.later(30, lambda: setattr(world, "group", replace(world.group, version="5")))
    assert driven(world, journal(world, BY_REFRESH)) is Status.DONE
    other = Simulated()
    other.later(30, lambda: setattr(other, "group", replace(other.group, named_version="3", version="3")))
    made = journal(other, BY_REFRESH)
    assert driven(other, made) is Status.STOPPED
    assert "starts from version 3 of its template now" in made.why


@pytest.mark.parametrize(("most", "desired", "least"), [(1, 2, 50), (1, 1, 0), (2, 3, 33), (5, 3, 0)])
def test_so_many_stay_healthy_by_its_own_word(most: int, desired: int, least: int) -> None:
    world = Simulated(nodes=desired)
    made = journal(world, Terms(most, by_refresh=True))
    made.suspended = ("AZRebalance",)
    group = replace(world.group, suspended=frozenset({"AZRebalance"}))
    world._protect(tuple(world.machines), is_on=True)
    step = next_step(View(World(group, tuple(world.machines.values()), tuple(world.there.values())), made, 0.0))
    assert step == Do(acts.StartRefresh(NEW, least, rolls_back=False))


def test_it_does_not_end_while_it_is_cancelled_and_gives_up_where_it_may_not_cancel() -> None:
    world, said = Simulated(fault="suite"), list[str]()
    made = journal(world, BY_REFRESH)
    real = world.do

    def refused(act: acts.Act, journal: Journal) -> acts.Outcome:
        if isinstance(act, acts.CancelRefresh):
            return acts.Outcome(is_done=False, why="AWS refuses autoscaling:CancelInstanceRefresh: AccessDenied")
        return real(act, journal)

    world.do = refused  # type: ignore[method-assign]
    assert driven(world, made, said) is Status.STOPPED
    assert "the instance refresh r-1 goes on: AWS refuses autoscaling:CancelInstanceRefresh: AccessDenied" in said
