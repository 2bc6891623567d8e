"""Boots a node with a script and says where it went another way: than who wrote it expected, than its timeline says."""

from __future__ import annotations

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.unpack import unpack
from nodeworthy.lab.differences import differences, paths_in_memory
from nodeworthy.lab.observation import Observation, PathKind, observe
from nodeworthy.lab.told import Told
from nodeworthy.verdict import Place

from .expects import Expects

LOADED = "RmProfilingAdminOnly"
END_OF_LOG = 3000


def boot_and_compare(user_data: bytes, expected: Expects) -> list[str]:
    read, course = unpack(user_data, Place(path="user-data")), expected.course()
    if expected.fault:
        faults = [fault.kind.value for fault in read.faults]
        seen = observe(expected.layers(), user_data)
        return surprises(seen, expected) + ([] if expected.fault in faults else [f"the faults are {faults}"])
    timeline = timeline_of(read)
    asked = paths_in_memory(Told(timeline, course))
    seen = observe(expected.layers(), user_data, asked, again=expected.reboots)
    told = [str(each) for each in differences(timeline, seen, course)]
    others = [f"; seen: {path} appeared" for path in expected.others]
    return surprises(seen, expected) + [each for each in told if not any(other in each for other in others)]


def surprises(seen: Observation, expected: Expects) -> list[str]:
    loaded = seen.params.get(LOADED, "")
    said = [f"{LOADED} is {loaded!r}"] if loaded != expected.profiling else []
    for path, text in expected.files.items():
        found = seen.files.get(path)
        content = None if found is None else found.content.decode()
        said += [f"{path} is {content!r}"] if content != text else []
    there = (path for path in expected.absent if path in seen.files and seen.files[path].kind is not PathKind.GONE)
    said += [f"{path} is there" for path in there]
    for units, states in ((expected.enabled, seen.enabled), (expected.active, seen.active)):
        said += [f"{unit} is {states.get(unit)}" for unit, state in units.items() if states.get(unit) != state]
    return [*said, seen.output[-END_OF_LOG:]] if said else []
