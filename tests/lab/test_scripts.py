"""Scripts are run in booted nodes: what happened is what was expected, and what their timelines said."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.unpack import unpack
from nodeworthy.lab.differences import differences
from nodeworthy.lab.files import in_memory
from nodeworthy.lab.observation import Kind, Observation, observe
from nodeworthy.lab.told import Told
from nodeworthy.verdict import Place

from .expects import Expects, expects

SCRIPTS = sorted(each.parent for each in (Path(__file__).parent / "scripts").glob("*/user-data"))


@pytest.mark.parametrize("folder", SCRIPTS, ids=lambda folder: folder.name)
@pytest.mark.usefixtures("lab")
def test_what_happens_is_what_the_timeline_says(folder: Path) -> None:
    expected, user_data = expects(folder), (folder / "user-data").read_bytes()
    timeline = timeline_of(unpack(user_data, Place(path="user-data")))
    asked = in_memory(Told(timeline, expected.course()))
    seen = observe(expected.layers(), user_data, asked, again=expected.reboots)
    assert _surprises(seen, expected) == []
    assert _told_wrong(timeline, seen, expected) == []


def _told_wrong(timeline: Timeline, seen: Observation, expected: Expects) -> list[str]:
    found = [str(each) for each in differences(timeline, seen, expected.course())]
    return [each for each in found if not any(f"; seen: {path} appeared" in each for path in expected.others)]


def _surprises(seen: Observation, expected: Expects) -> list[str]:
    """Where the boot itself went another way than whoever wrote the script expected."""
    loaded = seen.params.get("RmProfilingAdminOnly", "")
    said = [f"profiling is {loaded!r}"] if loaded != expected.profiling else []
    for path, text in expected.files.items():
        found = seen.files.get(path)
        content = None if found is None else found.content.decode()
        said += [f"{path} is {content!r}"] if content != text else []
    there = (path for path in expected.absent if path in seen.files and seen.files[path].kind is not Kind.GONE)
    said += [f"{path} is there" for path in there]
    for units, states in ((expected.enabled, seen.enabled), (expected.active, seen.active)):
        said += [f"{unit} is {states.get(unit)}" for unit, state in units.items() if states.get(unit) != state]
    return [*said, seen.output[-3000:]] if said else []
