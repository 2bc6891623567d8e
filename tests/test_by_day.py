"""What comes by day is as much each day, and none of it comes twice before all of it came once."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.by_day import DAY, some, turn


def turns(days: int, size: int, count: int, monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    came = []
    for at in range(days):
        monkeypatch.setenv(DAY, (date(2026, 12, 28) + timedelta(days=at)).isoformat())
        came.append(turn(size, count))
    return came


@pytest.mark.parametrize(("size", "count", "days"), [(12, 4, 3), (10, 4, 3), (9, 1, 9)])
def test_all_come_in_turns(size: int, count: int, days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    came = turns(days, size, count, monkeypatch)
    assert set.union(*came) == set(range(size))
    assert {len(each) for each in came} == {count}


def test_none_comes_twice_before_all_have_come(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third, again = turns(4, 12, 4, monkeypatch)
    assert len(first | second | third) == 12
    assert again == first


def test_of_few_all_come_each_day(monkeypatch: pytest.MonkeyPatch) -> None:
    assert turns(2, 3, 5, monkeypatch) == [{0, 1, 2}] * 2
    assert turns(1, 0, 5, monkeypatch) == [set()]


def test_a_day_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DAY, "2026-11-28")
    before = some(range(40), 10)
    monkeypatch.setenv(DAY, "2026-11-29")
    assert some(range(40), 10) != before
    monkeypatch.setenv(DAY, "2026-11-28")
    assert some(range(40), 10) == before
    by_day = [each for each in before if [mark.name for mark in each.marks] == ["drawn"]]
    assert len(by_day) == 10
    assert all([mark.name for mark in each.marks] == ["drawn", "night"] for each in before if each not in by_day)
