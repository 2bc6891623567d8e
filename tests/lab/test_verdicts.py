"""What the rules say of a script is what became of the node that ran it: no fault passes, and nothing right fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.engine import judge
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.lab.images import IMAGES
from nodeworthy.rules import rule
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Place, Verdict

from .expects import expects
from .test_scripts import SCRIPTS

# Without a fleet nobody knows of an image that loads the module by itself.
JUDGED = [each for each in SCRIPTS if expects(each).profiling and not IMAGES[expects(each).image].loads_module]
# Those whose loaded value comes of a second boot.
TWICE = {"two-boots"}


@pytest.mark.parametrize("folder", [each for each in JUDGED if each.name not in TWICE], ids=lambda each: each.name)
def test_profiling_is_judged_as_it_was_loaded(folder: Path) -> None:
    place = Place(path="user-data")
    script = BootScript(place, unpack((folder / "user-data").read_bytes(), place))
    [judgement] = judge([make_scene([script])], [rule("profiling-before-driver")], rule("rule-crashed"))
    expected = Verdict.PASS if expects(folder).profiling == "0" else Verdict.FAIL
    assert judgement.verdict is expected, [finding.message for finding in judgement.findings]
