"""Of two files of one name modprobe reads the one whose folder comes first."""

from __future__ import annotations

import pytest

from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import OPTION, delete, judged, load, script, verdict, write

OTHERWISE = OPTION.replace("=0", "=1")
FIRST, SECOND = "/etc/modprobe.d/x.conf", "/run/modprobe.d/x.conf"


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_hidden_file_contradicts_nothing(order: tuple[int, int]) -> None:
    other, hiding = write(order[0], OTHERWISE, path=SECOND), write(order[1], "# nothing", path=FIRST)
    right = write(3, OPTION, path="/etc/modprobe.d/a.conf")
    effects = sorted([other, hiding], key=lambda each: each.place.line or 0)
    assert verdict(RULE, *effects, right, load(4)) == "pass"
    assert verdict(RULE, *effects, delete(3, FIRST), right, load(4)) == "fail"


def test_a_hidden_option_is_told() -> None:
    judgement = judged(RULE, script(write(1, OPTION, path=SECOND), write(2, "# nothing", path=FIRST), load(3)))
    (found,) = judgement.findings
    assert found.message == f"modprobe never reads {SECOND}: {FIRST} has the same name, and its folder comes first"
    assert [each.place.line for each in found.related] == [2, 3]
