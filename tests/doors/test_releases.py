"""A release says the same of its faults by whatever door it comes, and nothing where it is healthy."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.by_day import some
from tests.doors import releases
from tests.doors.releases_read import SILENT
from tests.doors.releases_seeds import SEEDS, Seed
from tests.doors.told import lay, told

# Of these less is told for a reason, and will be.
RIGHT: Final = {
    "values file": "of loose values nobody says which release of the operator they are for",
    "values file in JSON": "as of loose values; and most files in JSON are something else",
    "a parent's charts, by their names": "a chart of somebody's own says which release it has, and is not here",
}

PAIRS = [(door, seed) for door in releases.DOORS if door != releases.PLAIN for seed in SEEDS]


@pytest.mark.parametrize(("door", "seed"), some(PAIRS, 24, lambda pair: f"{pair[1].name}, {pair[0]}"))
def test_a_fault_is_told_by_this_door(door: str, seed: Seed, tmp_path: Path) -> None:
    for way in (releases.PLAIN, door):
        lay(releases.DOORS[way](seed, seed.values(healthy=False)), tmp_path / "ill" / way.replace("/", " "))
    plain = told(tmp_path / "ill" / releases.PLAIN.replace("/", " "), seed.rule)
    assert plain, seed.name
    found = told(tmp_path / "ill" / door.replace("/", " "), seed.rule)
    if seed.name in SILENT.get(door, ()):
        assert found != plain, "it is read by now: take it off the list"
    else:
        assert found == plain


def test_what_is_right_to_differ_differs() -> None:
    """A door that says less for a reason is on the list of those that say less."""
    assert set(RIGHT) <= set(SILENT)


@pytest.mark.parametrize(("door", "seed"), some(PAIRS, 24, lambda pair: f"{pair[1].name}, {pair[0]}"))
def test_its_healthy_twin_is_told_nothing(door: str, seed: Seed, tmp_path: Path) -> None:
    lay(releases.DOORS[door](seed, seed.values(healthy=True)), tmp_path)
    assert not [each for each in told(tmp_path, seed.rule) if each[0] == "fail"]
