"""The same fault by any door: what a rule says of a script it says of the same lines wherever they stand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.by_day import SEED
from tests.doors.scripts_differ import DIFFERS
from tests.doors.scripts_doors import DOORS, Door
from tests.doors.scripts_look import Heard, heard, plainly
from tests.doors.scripts_seeds import SEEDS, Seed

_SOME = random.Random(SEED).sample([(door, seed) for door in DOORS for seed in SEEDS], 30)


@pytest.mark.parametrize(
    ("door", "seed"), [pytest.param(*each, id=f"{each[0].name}: {each[1].name}") for each in _SOME]
)
def test_a_fault_is_told_by_any_door(door: Door, seed: Seed, tmp_path: Path) -> None:
    _is_told(door, seed, tmp_path)


@pytest.mark.night
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_every_fault_is_told_by_every_door(door: Door, tmp_path: Path) -> None:
    for seed in SEEDS:
        _is_told(door, seed, tmp_path / seed.name)


def _is_told(door: Door, seed: Seed, folder: Path) -> None:
    faulty, healthy = door.write(seed.faulty), door.write(seed.healthy)
    differs = DIFFERS.get(door.name, {}).get(seed.name)
    if faulty:  # else nobody writes it so
        found = heard(faulty, door, seed, folder / "faulty")
        if differs is None:
            assert found is Heard.ALIKE, seed.name
        else:
            assert found is not Heard.ALIKE, f"{seed.name}: told by now, take it out of scripts_differ.py ({differs})"
    told = [each for each in plainly(healthy, folder / "healthy") if not door.makes_no_difference(each)]
    assert not told, seed.name


def test_what_differs_is_of_doors_and_seeds_that_there_are() -> None:
    named = {(door, seed) for door, seeds in DIFFERS.items() for seed in seeds}
    assert named <= {(door.name, seed.name) for door in DOORS for seed in SEEDS}
