"""Every unit of a table, and every form of an amount: a unit that is ten times too long is noticed here."""

from __future__ import annotations

import pytest

from nodeworthy.facts.services import monitoring_stack
from nodeworthy.facts.slurm import request
from nodeworthy.known.hami import variables
from nodeworthy.rules import hami_container_limits as limits
from nodeworthy.verdict import Known, Located, Place


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *(("1y", 365 * 86_400), ("1w", 7 * 86_400), ("1d", 86_400), ("1h", 3_600), ("1m", 60), ("1s", 1)),
        *(("1ms", 0.001), ("2w", 14 * 86_400), ("1d12h30m", 131_400), ("0s", 0)),
        *(("", None), (15, None), (None, None), ("15", None), ("d", None), ("15 d", None), ("15d later", None)),
    ],
)
def test_a_duration_of_prometheus(written: object, expected: float | None) -> None:
    assert monitoring_stack.seconds(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *(("1B", 1), ("1KB", 1 << 10), ("1MB", 1 << 20), ("1GB", 1 << 30), ("1TB", 1 << 40), ("1PB", 1 << 50)),
        *(("1EB", 1 << 60), ("45GiB", 45 << 30), ("0.5GB", 1 << 29), (".5KB", 512)),
        *(("45G", None), ("45", None), (45, None), ("GB", None), ("45gb", None), (None, None)),
    ],
)
def test_a_size_of_prometheus(written: object, expected: float | None) -> None:
    assert monitoring_stack.size(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("50Gi", 50 << 30), ("1500m", 1), (1024, 1024), ("0", None), (0, None), ("fifty", None), (None, None)],
)
def test_the_room_on_a_volume(written: object, expected: int | None) -> None:
    assert monitoring_stack.room_of(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *(("90", 90 * 60), ("2:30", 150), ("1:02:03", 3_723), ("0:0:1", 1)),
        *(("1-0", 86_400), ("1-2", 93_600), ("1-2:3", 93_780), ("1-2:3:4", 93_784), (" 10 ", 600), ("0-1", 3_600)),
        *(("1:2:3:4", None), ("1-2:3:4:5", None), ("infinite", None), ("x-1", None), ("-1", None), ("1h", None)),
    ],
)
def test_a_time_of_slurm(written: str, expected: int | None) -> None:
    assert request.seconds(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *(("2048K", 2), ("1M", 1), ("1", 1), ("1G", 1024), ("1T", 1 << 20), ("1gb", 1024), (" 3MB ", 3), ("1023k", 0)),
        *(("G", None), ("1P", None), ("-1", None), ("1.5G", None)),
    ],
)
def test_an_amount_of_memory_of_slurm(written: str, expected: int | None) -> None:
    assert request.megabytes(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("4", 4), ("2-4", 2), ("1k", 1024), ("1k-2k", 1024), ("2:1", 2), ("x", None), ("-4", None)],
)
def test_the_smallest_number_of_nodes(written: str, expected: int | None) -> None:
    assert request.least(written) == expected


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        *((0, "0 s"), (59, "59 s"), (60, "60 s"), (61, "61 s"), (120, "2 min"), (121, "121 s"), (3_600, "1 h")),
        *((3_660, "61 min"), (86_400, "24 h"), (90_000, "25 h")),
    ],
)
def test_how_a_duration_is_told(duration: int, expected: str) -> None:
    assert request.duration_in_words(duration) == expected


@pytest.mark.parametrize(
    ("written", "megabytes"),
    [
        *(("3221225472", 3072), ("3145728k", 3072), ("3072m", 3072), ("3072M", 3072), ("3g", 3072), (" 3G ", 3072)),
        *(("3072", None), ("3", None), ("3gb", None), ("", None)),
    ],
)
def test_a_limit_of_hamis_library(written: str, megabytes: int | None) -> None:
    said = Located(Known(written), Place())
    for asked in (3071, 3072, 3073, 30720):
        assert limits._same(said, asked, variables().memory_limit) == (asked == megabytes)
    assert limits._same(Located(Known("50"), Place()), 50, variables().cores_limit)
    assert not limits._same(Located(Known("50"), Place()), 51, variables().cores_limit)
