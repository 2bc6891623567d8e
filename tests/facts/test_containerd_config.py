"""The files of containerd's configuration that a boot leaves."""

from __future__ import annotations

import pytest

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.containerd.config import ConfigFile, config_files
from nodeworthy.known.containerd import defaults
from nodeworthy.limits import MOST_EDITS
from nodeworthy.rules.containerd_config_read.script_files import added_lines
from nodeworthy.verdict import Place
from tests.work import calls

CONFIG = defaults().config


def boot(lines: int) -> str:
    """Each line may be there or not: there are 2 to the power of them of what the file may be."""
    begun = f"#!/bin/bash\ncp /opt/base.toml {CONFIG}\n"
    return begun + "".join(f"[ -e /opt/part{n} ] && echo 'a{n} = 1' >> {CONFIG}\n" for n in range(lines))


def left(lines: int) -> list[ConfigFile]:
    timeline = timeline_of(unpack(boot(lines).encode(), Place(path="boot.sh")))
    return [*config_files(timeline, None), *added_lines(timeline, None)]


def test_steps_under_conditions_do_not_double_the_work_one_by_one() -> None:
    left(2)  # what is read once in a run
    assert calls(lambda: left(40)) < 6 * calls(lambda: left(20)) < 60 * calls(lambda: left(10))


@pytest.mark.parametrize("lines", [12, 40])
def test_each_line_is_told_once(lines: int) -> None:
    places = [(each.role, each.place.line) for each in left(lines)]
    assert len(places) == len(set(places)) > lines


def test_behind_more_steps_than_are_looked_behind_nothing_is_known() -> None:
    text = f"#!/bin/bash\n{f'echo x >> {CONFIG}{chr(10)}' * 2 * MOST_EDITS}"
    timeline = timeline_of(unpack(text.encode(), Place(path="boot.sh")))
    (root,) = config_files(timeline, None)
    assert root.reading.unknown.startswith("what echo x")
    assert root.place.line == 2 * MOST_EDITS + 1 - MOST_EDITS
