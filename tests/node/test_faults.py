"""The lab's faults, as far as nobody has to boot a node: each is of a rule about nodes, and each of these has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.collected import moments_of
from nodeworthy.errors import InputError
from nodeworthy.fleet.model import Fleet
from nodeworthy.lab.faults import fault, injecting
from nodeworthy.lab.faults.fault import LabFault, When, choose_faults, faults, healthy
from nodeworthy.lab.faults.injecting import Outcome
from nodeworthy.rule import Moment
from nodeworthy.rules import catalogue
from nodeworthy.verdict import Verdict

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "lab-faults.md"


def about_nodes() -> set[str]:
    return {each.id for each in catalogue() if not each.about_ourselves and Moment.NODE in moments_of(each)}


@pytest.mark.parametrize("each", faults(), ids=lambda each: each.name)
def test_a_fault_names_rules_about_nodes(each: LabFault) -> None:
    assert {each.rule or "clock-right", *each.unknown} <= about_nodes()
    assert each.script.startswith("#!/bin/sh\n")
    assert each.pool in {pool.name for pool in _fleet().pools}


def test_every_rule_about_nodes_has_a_fault() -> None:
    without = about_nodes() - {each.rule for each in faults()}
    assert without == set(fault.NOT_INJECTED)
    assert all(fault.NOT_INJECTED.values())


def test_one_that_is_none_is_refused_by_the_name_that_was_meant() -> None:
    with pytest.raises(InputError, match="no fault 'kubelet-stoped'; did you mean kubelet-stopped"):
        choose_faults(["kubelet-stoped"])
    assert [each.name for each in choose_faults(["xid-79", "disk-full"])] == ["disk-full", "xid-79"]


def test_a_fault_of_the_boot_script_comes_before_the_healthy_one() -> None:
    [early] = choose_faults(["option-too-late"])
    assert early.when is When.BOOT
    sent = injecting.user_data(early).decode()
    assert sent.index("modprobe nvidia\n") < sent.index("nvprof.conf")
    assert [injecting.user_data(healthy()).decode()] == fault.healthy_scripts(healthy().pool)


def outcome(
    red: dict[str, Verdict], *, unknown: str = "", rule: str | None = "disk-has-room", why: str = ""
) -> Outcome:
    one = LabFault("one", "it is wrong", rule, frozenset(filter(None, [unknown])), When.RUNNING, "h100", "")
    return Outcome(one, red, dict.fromkeys(red, "says so"), why)


def test_exactly_its_rule_is_red() -> None:
    passes, fails, doubt = Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN
    assert outcome({"disk-has-room": fails, "clock-right": passes}).as_expected
    assert outcome({"disk-has-room": fails, "clock-right": doubt}, unknown="clock-right").as_expected
    assert outcome({"disk-has-room": fails}, unknown="clock-right").as_expected
    assert outcome({"clock-right": passes}, rule=None).as_expected
    for wrong in (
        outcome({"disk-has-room": passes}),
        outcome({}),
        outcome({"disk-has-room": doubt}),
        outcome({"disk-has-room": fails, "clock-right": fails}),
        outcome({"disk-has-room": fails, "clock-right": Verdict.ERROR}),
        outcome({"disk-has-room": fails, "clock-right": doubt}),
        outcome({"clock-right": fails}, rule=None),
        outcome({}, rule=None, why="it did not boot"),
    ):
        assert not wrong.as_expected


def test_a_healthy_node_is_looked_at_by_every_rule_that_a_fault_is_of() -> None:
    well = healthy("h100-ufw")
    assert well.passes == {"firewall-no-wider", "pod-egress-forwarded"}
    assert Outcome(well, dict.fromkeys(well.passes, Verdict.PASS), {}).as_expected
    assert not Outcome(well, {"firewall-no-wider": Verdict.PASS}, {}).as_expected


def test_the_table_tells_what_is_wrong() -> None:
    said = injecting.text([outcome({"disk-has-room": Verdict.PASS, "clock-right": Verdict.FAIL})])
    assert "NOT OK  one    disk-has-room  clock-right" in said
    assert "  clock-right: fail: says so" in said
    assert said.endswith("1 nodes, 1 rules: 0 as they must be, 1 not\n")


def test_the_page_has_every_fault() -> None:
    """`make lab-faults` writes it, where nodes can be booted."""
    page = PAGE.read_text()
    assert all(f"[{name}](rules/{name}.md): {why}" in page for name, why in fault.NOT_INJECTED.items())
    assert page.startswith(injecting.MARK)
    for each in faults():
        red = f"[{each.rule}](rules/{each.rule}.md)" if each.rule else injecting.NONE
        unknown = ", ".join(sorted(each.unknown)) or injecting.NONE
        assert f"| `{each.name}` | {each.says} | {red} | {unknown} |" in page


def _fleet() -> Fleet:
    read = injecting.fleet()
    assert read is not None
    return read
