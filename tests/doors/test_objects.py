"""An object says the same of its faults by whatever door it comes to a cluster, and nothing where it is healthy."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.by_day import some
from tests.doors import objects
from tests.doors.objects_read import SILENT
from tests.doors.objects_seeds import SEEDS, Seed
from tests.doors.told import lay, told

# Of these less is told for a reason, and will be.
RIGHT: Final = {
    "Kustomize, a patch of the object": "a patch is a part, and what it leaves out stands elsewhere",
    "Kyverno ClusterPolicy, generate": "it is made only where something matches, with what is filled in there",
}

PAIRS = [(door, seed) for door in objects.DOORS if door != objects.PLAIN for seed in SEEDS]


@pytest.mark.parametrize(("door", "seed"), some(PAIRS, 24, lambda pair: f"{pair[1].name}, {pair[0]}"))
def test_a_fault_is_told_by_this_door(door: str, seed: Seed, tmp_path: Path) -> None:
    for way in (objects.PLAIN, door):
        lay(objects.DOORS[way](seed.object(healthy=False)), tmp_path / "ill" / way.replace("/", " "))
    plain = told(tmp_path / "ill" / objects.PLAIN.replace("/", " "), seed.rule)
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
    lay(objects.DOORS[door](seed.object(healthy=True)), tmp_path)
    assert not [each for each in told(tmp_path, seed.rule) if each[0] == "fail"]
