"""Every length of time that a comment states, on both of its sides: a second before, and then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from nodeworthy.facts.cluster import admission_causes, offered_gpus, pending_causes
from nodeworthy.facts.cluster.elapsed import has_just_begun, has_lasted
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.cluster.scheduling_events import Nominated, SchedulingEvents
from nodeworthy.facts.operator.toolkit_on_nodes import SETTLING, ToolkitOnNodes

THEN = datetime(2025, 10, 14, 17, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def written(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"


def some(**values: Any) -> Any:
    """Of a fact what the function looks at."""
    return SimpleNamespace(**values)


@pytest.mark.parametrize(("since", "now"), [(None, THEN), (THEN, None), (None, None)])
def test_without_a_beginning_or_a_clock_nothing_has_lasted_and_nothing_has_just_begun(
    since: datetime | None, now: datetime | None
) -> None:
    assert not has_lasted(since, now, timedelta())
    assert not has_just_begun(since, now, timedelta.max)


@pytest.mark.parametrize(
    ("minutes", "is_new"), [(timedelta(minutes=15) - SECOND, True), (timedelta(minutes=15), False)]
)
def test_a_node_on_its_way_comes_within_a_quarter_of_an_hour(minutes: timedelta, is_new: bool) -> None:
    pod = some(namespace="ml", name="train", was_looked_at=True, created=THEN)
    events = some(growing={("ml", "train"): written(THEN)}, unplaced={})
    world = some(events=events, now=THEN + minutes, has_node_in_view=lambda *_: False)
    assert pending_causes._is_new(pod, world) is is_new


@pytest.mark.parametrize(
    ("minutes", "is_new"), [(timedelta(minutes=15) - SECOND, True), (timedelta(minutes=15), False)]
)
def test_a_node_that_karpenter_has_in_view_comes_as_soon(minutes: timedelta, is_new: bool) -> None:
    pod = some(namespace="ml", name="train", is_meant_by=lambda _: True)
    nominated = Nominated(written(THEN), written(THEN + minutes), ("gpu-1",))
    events = SchedulingEvents(nominated={("ml", "train"): nominated})
    world = PendingWorld({}, {}, events, (), THEN + minutes)
    assert world.has_node_in_view(pod, pending_causes._COMES) is is_new
    events.short["gpu-1"] = ("", "insufficient capacity")
    assert not world.has_node_in_view(pod, pending_causes._COMES), "the cloud has refused it"


@pytest.mark.parametrize(("minutes", "is_new"), [(timedelta(minutes=5) - SECOND, True), (timedelta(minutes=5), False)])
def test_the_scheduler_looks_within_five_minutes(minutes: timedelta, is_new: bool) -> None:
    pod = some(namespace="ml", name="train", was_looked_at=False, created=THEN)
    world = some(events=some(growing={}, unplaced={}), now=THEN + minutes, has_node_in_view=lambda *_: False)
    assert pending_causes._is_new(pod, world) is is_new
    assert not pending_causes._is_new(some(**{**vars(pod), "was_looked_at": True}), world)
    assert not pending_causes._is_new(
        pod, some(**{**vars(world), "events": some(growing={}, unplaced={("ml", "train")})})
    )


@pytest.mark.parametrize(
    ("age", "offers_none"), [(timedelta(minutes=15) - SECOND, False), (timedelta(minutes=15), True)]
)
def test_a_node_is_young_for_a_quarter_of_an_hour(age: timedelta, offers_none: bool) -> None:
    node = some(is_ready=True, allocatable={}, labels={}, ready_since=THEN)
    assert offered_gpus._offers_none(node, THEN + age) is offers_none


@pytest.mark.parametrize(("age", "is_well"), [(timedelta(minutes=2) - SECOND, True), (timedelta(minutes=2), False)])
def test_a_plugin_finds_its_gpus_within_two_minutes(age: timedelta, is_well: bool) -> None:
    plugins = [some(ready=True, since=written(THEN)), some(ready=True, since=written(THEN + timedelta(hours=1)))]
    assert offered_gpus._is_well(some(capacity={}), plugins, THEN + age) is is_well, "by the first of them"


@pytest.mark.parametrize(("age", "is_pinned"), [(timedelta(minutes=10) - SECOND, True), (timedelta(minutes=10), False)])
def test_who_was_refused_at_once_was_pinned(age: timedelta, is_pinned: bool) -> None:
    pod = some(key=("ml", "train"), created=THEN, when=THEN + age)
    assert admission_causes._is_pinned(pod, some(events=some(placed={("ml", "other")}))) is is_pinned
    assert not admission_causes._is_pinned(pod, some(events=some(placed={("ml", "train")})))
    assert not admission_causes._is_pinned(pod, some(events=some(placed=set())))


@pytest.mark.parametrize(
    ("age", "is_told"),
    [(-SECOND, False), (timedelta(), True), (timedelta(minutes=10), True), (timedelta(minutes=10) + SECOND, False)],
)
def test_what_started_ten_minutes_before_is_told(age: timedelta, is_told: bool) -> None:
    pod = some(node="n1", when=THEN + age)
    by_events = some(events=some(starts={"n1": [(THEN, "kubelet started")]}), nodes={}, plugins={})
    by_node = some(events=some(starts={}), nodes={"n1": some(ready_since=THEN)}, plugins={})
    for world in (by_events, by_node):
        assert bool(admission_causes._started(pod, world)) is is_told


@pytest.mark.parametrize(
    ("age", "is_told"),
    [(timedelta(), False), (SECOND, True), (timedelta(minutes=10), True), (timedelta(minutes=10) + SECOND, False)],
)
def test_a_plugin_that_was_ready_only_afterwards_is_told(age: timedelta, is_told: bool) -> None:
    world = some(events=some(starts={}), nodes={}, plugins={"n1": THEN + age})
    assert bool(admission_causes._started(some(node="n1", when=THEN), world)) is is_told


@pytest.mark.parametrize(
    ("age", "waits_long"), [(timedelta(minutes=30) - SECOND, False), (timedelta(minutes=30), True)]
)
def test_a_driver_may_take_half_an_hour(age: timedelta, waits_long: bool) -> None:
    pod = some(waits_since=written(THEN))
    assert ToolkitOnNodes._waits_long(some(now=THEN + age), pod) is waits_long


@pytest.mark.parametrize(("age", "lasts"), [(timedelta(seconds=90) - SECOND, False), (timedelta(seconds=90), True)])
def test_a_failure_lasts_a_minute_and_a_half_after_the_toolkit_was_ready(age: timedelta, lasts: bool) -> None:
    pods = [
        some(node="n2", ready=True, since=written(THEN + timedelta(days=1))),
        some(node="n1", ready=True, since=written(THEN)),
    ]
    assert ToolkitOnNodes._lasts(some(pods=pods), some(node="n1", last=THEN + age), SETTLING) is lasts
