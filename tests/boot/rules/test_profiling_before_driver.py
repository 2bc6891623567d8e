"""Whether the option is there when the module is loaded, on boots told by hand."""

from __future__ import annotations

from nodeworthy.boot.conditions import Asks
from nodeworthy.boot.effects import Effect, Gap, Stage
from nodeworthy.boot.userdata import PartKind
from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import (
    OPTION,
    at,
    delete,
    gap,
    given,
    load,
    profiler,
    runs,
    verdict,
    write,
)
from tests.boot.rules.profiling import BIG, lines, said


def test_before_is_right() -> None:
    assert verdict(RULE, write(19, OPTION), load(23)) == "pass"


def test_too_late_shows_both_ends_and_the_move() -> None:
    found = said(load(23), write(59, OPTION))
    assert lines(found) == (59, [23])
    assert found.remedy == "move line 59 before line 23"
    assert found.should == "on disk before line 23"
    assert "the driver's package loads it" in found.related[0].says


def test_a_function_is_moved_where_it_is_called() -> None:
    found = said(load(5, via=(at(40),)), write(12, OPTION, via=(at(41),)))
    assert found.remedy == "move line 41 before line 40"
    inside = said(load(5, via=(at(40),)), write(12, OPTION, via=(at(40),)))
    assert inside.remedy == "move line 12 before line 5"


def test_missing_points_to_the_load() -> None:
    found = said(profiler(2), load(23))
    assert lines(found) == (23, [2])
    assert "nsight-compute" in found.related[0].says
    assert OPTION in (found.remedy or "")


def test_overwritten_before_the_load() -> None:
    found = said(write(10, OPTION), write(15, "options nvidia_drm modeset=1"), load(23))
    assert "overwritten" in found.message
    assert lines(found) == (15, [10, 23])
    assert ">>" in (found.remedy or "")


def test_deleted_before_the_load() -> None:
    assert lines(said(write(10, OPTION), delete(15), load(23))) == (15, [10, 23])
    assert lines(said(write(10, OPTION), delete(15, "/etc/modprobe.d/*.conf"), load(23))) == (15, [10, 23])
    assert lines(said(write(10, OPTION), delete(15, "/etc/modprobe.d"), load(23))) == (15, [10, 23])
    assert verdict(RULE, write(10, OPTION), delete(15, "/etc/modprobe.d.bak"), load(23)) == "pass"
    assert verdict(RULE, write(10, OPTION), delete(15), write(16, OPTION), load(23)) == "pass"
    assert verdict(RULE, write(10, OPTION), load(23), delete(30)) == "pass"


def test_under_a_condition_that_the_driver_is_not_under() -> None:
    found = said(write(19, OPTION, conditions=BIG), load(23))
    assert "only if `$GPU = h100`" in found.message
    assert lines(found) == (19, [23])
    assert verdict(RULE, write(19, OPTION, conditions=BIG), load(23, conditions=BIG)) == "pass"
    assert (
        verdict(
            RULE, write(19, OPTION, conditions=BIG), write(21, OPTION, conditions=given("$GPU = h100", "no")), load(23)
        )
        == "pass"
    )


def test_a_guard_against_doing_it_twice_is_no_condition() -> None:
    own = given("[ -f /etc/modprobe.d/nvprof.conf ]", "no", files=["/etc/modprobe.d/nvprof.conf"])
    other = given("[ -f /etc/nvidia.conf ]", "no", files=["/etc/nvidia.conf"])
    assert verdict(RULE, write(19, OPTION, conditions=own), load(23)) == "pass"
    assert verdict(RULE, write(19, OPTION, conditions=other), load(23)) == "fail"


def test_taken_away_under_a_condition() -> None:
    assert verdict(RULE, write(10, OPTION), delete(15, conditions=BIG), load(23)) == "fail"
    assert (
        verdict(RULE, write(10, OPTION), delete(15, conditions=BIG), write(16, OPTION, conditions=BIG), load(23))
        == "pass"
    )


def test_in_the_background_nobody_waits_for_it() -> None:
    assert "background" in said(write(19, OPTION, detached=True), load(23)).message


def test_only_when_something_fails() -> None:
    assert (
        verdict(RULE, write(19, OPTION, conditions=given("when the script fails", asks=Asks.TRAP)), load(23)) == "fail"
    )


def test_what_was_not_understood() -> None:
    assert verdict(RULE, gap(10, "cat <<EOF > /etc/modprobe.d/nvprof.conf"), load(23)) == "unknown"
    assert verdict(RULE, gap(10, "if [ foo"), load(23), profiler()) == "fail"
    assert verdict(RULE, load(23), gap(30, "modprobe.d"), write(40, OPTION)) == "fail"
    assert verdict(RULE, gap(10, "nvidia"), write(19, OPTION), load(23)) == "unknown"
    assert verdict(RULE, write(19, OPTION), gap(20, "nvidia"), load(23)) == "pass"
    assert (
        verdict(
            RULE,
            gap(10, "systemctl start $X (nvidia-persistenced)", command="systemctl start $X"),
            load(23),
            profiler(),
        )
        == "fail"
    )


def fetched(line: int, url: str) -> Effect:
    return gap(line, url, may_be="it may do anything: nvidia, kubelet, modprobe", kind=Gap.ANYTHING)


def test_a_script_that_was_fetched() -> None:
    assert verdict(RULE, fetched(10, "https://example.com/install-nvidia-driver.sh"), profiler()) == "unknown"
    assert verdict(RULE, write(9, OPTION), fetched(10, "https://example.com/install-nvidia-driver.sh")) == "pass"
    assert verdict(RULE, fetched(10, "https://example.com/agent.sh"), profiler()) == "skip"
    assert verdict(RULE, fetched(10, "https://example.com/agent.sh"), load(23), profiler()) == "fail"


def test_without_a_driver() -> None:
    assert verdict(RULE, runs(1, "echo")) == "skip"
    assert verdict(RULE, write(19, OPTION)) == "pass"
    assert verdict(RULE, write(19, OPTION.replace("=0", "=1"))) == "skip"
    assert verdict(RULE, write(19, OPTION.replace("=0", "=2"))) == "fail"
    assert verdict(RULE, write(19, OPTION), kind=PartKind.NODE_CONFIG) == "unknown"
    assert verdict(RULE, write(19, OPTION, stage=Stage.BOOTHOOK), kind=PartKind.NODE_CONFIG) == "pass"
