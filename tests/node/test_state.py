"""A node's state: what was not read never passes, and what old recordings lack is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.engine import Judgement, judge
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.own_rules.cases import Case
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict
from tests.by_day import some
from tests.case_files import every_case, whole

from .recordings import MENDED, but, part, without

BAD = [each for each in every_case() if each.name.startswith("bad-node-") and "node.json" in each.typed]
GOOD = load(whole("kubelet-survives-reboot/good-node-nodeadm-starts-it") / "node.json")


def judged(recording: Recording, folder: Path | None = None) -> dict[str, Judgement]:
    fleets = list(folder.glob("Pulumi.*.yaml")) if folder is not None else []
    declared = Declared(read_fleet_file(fleets[0], fleets[0].name) if fleets else None)
    found = judge([scene(AskedHost(recording.host, recording), declared)], catalogue(), rule("rule-crashed"))
    return {each.rule.id: each for each in found}


@pytest.mark.parametrize("case", some(BAD, 15, lambda case: case.id))
def test_a_fault_that_was_not_read_whole_never_passes(case: Case) -> None:
    folder = whole(case.id)
    fault = load(folder / "node.json")

    # Few at a time, and others in every run.
    @settings(max_examples=6, deadline=None)
    @given(st.sets(st.sampled_from([each.name for each in fault.parts]), max_size=6))
    def silenced(lost: set[str]) -> None:
        parts = tuple(replace(each, code=124, stdout="") if each.name in lost else each for each in fault.parts)
        found = judged(replace(fault, parts=parts), folder)
        assert "rule-crashed" not in found
        assert found[case.rule].verdict is not Verdict.PASS

    silenced()


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([each.name for each in GOOD.parts]), st.text(max_size=200))
def test_whatever_a_part_says_no_rule_crashes(name: str, said: str) -> None:
    assert "rule-crashed" not in judged(but(GOOD, part(name, said)))


def test_an_older_recording_is_skipped_with_why() -> None:
    found = judged(load(MENDED))["kubelet-survives-reboot"]
    assert found.verdict is Verdict.SKIP
    assert found.why == "this recording was made before which units start kubelet was read: record the node anew"


def test_a_good_node_is_well_in_every_respect() -> None:
    assert {each.verdict for each in judged(GOOD).values()} <= {Verdict.PASS, Verdict.SKIP}


def test_kubelet_that_was_started_by_hand_has_no_unit() -> None:
    by_hand = part("cgroup 3011", "0::/user.slice/user-1000.slice/session-3.scope")
    nothing = part("starts", "Id=kubelet.service\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n")
    found = judged(but(GOOD, by_hand, nothing))["kubelet-survives-reboot"].findings
    assert [each.message for each in found] == ["kubelet runs, but no unit of systemd has started it"]


def test_a_unit_that_is_enabled_until_the_next_boot_is_not_enabled() -> None:
    unit = "Id={}\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState={}\nWantedBy=\n"
    starts = f"{unit.format('kubelet.service', 'enabled-runtime')}\n{unit.format('nodeadm-run.service', 'disabled')}"
    assert judged(but(GOOD, part("starts", starts)))["kubelet-survives-reboot"].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("version", "is_read"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024", True),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build", True),
        ("NVRM version: something else", False),
    ],
)
def test_the_drivers_version_is_read_from_both_modules(version: str, is_read: bool) -> None:
    found = judged(but(GOOD, part("driver", version)))["fabric-manager-runs"]
    assert found.verdict is (Verdict.FAIL if is_read else Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("lost", "case"),
    [
        ("driven", "gpu-count-complete/good-node-eight-of-eight"),
        ("rdma", "efa-complete/good-node-thirty-two"),
        ("fabric version", "fabric-manager-runs/good-node-same-version"),
        ("iptables", "pod-egress-forwarded/good-node-four-rules"),
    ],
)
@pytest.mark.parametrize("how", ["not asked", "too late"])
def test_what_was_not_read_is_neither_well_nor_a_fault(lost: str, case: str, how: str) -> None:
    good, about = load(whole(case) / "node.json"), case.partition("/")[0]
    assert judged(good, whole(case))[about].verdict is Verdict.PASS
    bad = without(good, lost) if how == "not asked" else but(good, part(lost, code=124))
    assert judged(bad, whole(case))[about].verdict is Verdict.UNKNOWN


def test_a_system_that_is_not_well_and_does_not_say_why() -> None:
    degraded = but(without(GOOD, "failed"), part("system", "degraded", code=1))
    assert judged(degraded)["boot-finished"].verdict is Verdict.UNKNOWN


def test_fabric_manager_of_the_operators_container_is_no_unit() -> None:
    none = part("fabric", "Id=nvidia-fabricmanager.service\nLoadState=not-found\nActiveState=inactive\n")
    there = part("fabric elsewhere", "/kubepods.slice/kubepods-besteffort.slice/cri-containerd-ab.scope")
    by_operator = but(load(whole("fabric-manager-runs/good-node-same-version") / "node.json"), none)
    assert judged(by_operator)["fabric-manager-runs"].verdict is Verdict.FAIL
    assert judged(but(by_operator, there))["fabric-manager-runs"].verdict is Verdict.SKIP


def test_a_type_whose_switches_are_the_racks_runs_no_fabric_manager() -> None:
    none = part("fabric", "Id=nvidia-fabricmanager.service\nLoadState=not-found\nActiveState=inactive\n")
    node = but(load(whole("fabric-manager-runs/good-node-same-version") / "node.json"), none)
    assert judged(but(node, part("product", "p6e-gb200.36xlarge")))["fabric-manager-runs"].verdict is Verdict.SKIP
    assert judged(but(node, part("product", "p6-b200.48xlarge")))["fabric-manager-runs"].verdict is Verdict.FAIL


@pytest.mark.parametrize(("system", "verdict"), [("maintenance", Verdict.FAIL), ("stopping", Verdict.UNKNOWN)])
def test_a_system_that_has_not_come_up(system: str, verdict: Verdict) -> None:
    assert judged(but(GOOD, part("system", system, code=1)))["boot-finished"].verdict is verdict


def test_an_option_of_the_kernels_command_line_is_not_said_to_be_a_file() -> None:
    line = "/proc/cmdline:nvidia.NVreg_RestrictProfilingToAdminUsers=0"
    denied = but(GOOD, part("params", "RmProfilingAdminOnly: 1\n"), part("options", line))
    (found,) = judged(denied)["profiling-before-driver"].findings
    assert found.message == (
        "the profiling option is on the kernel's command line, and the loaded module does not have it"
    )


def test_a_right_value_that_the_next_boot_forgets() -> None:
    line = "/etc/modprobe.d/nvprof.conf:options nvidia NVreg_RestrictProfilingToAdminUsers=1"
    forgotten = but(GOOD, part("params", "RmProfilingAdminOnly: 0\n"), part("options", line))
    (found,) = judged(forgotten)["profiling-before-driver"].findings
    assert found.message == "the loaded module has the profiling option, and will not after the next boot"
    assert found.is_ == line.replace("conf:", "conf: ")
    on_the_command_line = "/proc/cmdline:nvidia.NVreg_RestrictProfilingToAdminUsers=0"
    kept = but(forgotten, part("options", f"{line}\n{on_the_command_line}"))
    assert judged(kept)["profiling-before-driver"].verdict is Verdict.PASS


@pytest.mark.parametrize("bad", [without(GOOD, "options"), but(GOOD, part("options", code=124))], ids=["none", "cut"])
def test_what_the_next_boot_does_is_unknown_where_the_files_were_not_read(bad: Recording) -> None:
    loaded = but(bad, part("params", "RmProfilingAdminOnly: 0\n"))
    assert judged(loaded)["profiling-before-driver"].verdict is Verdict.UNKNOWN


def test_what_the_operators_container_loads_is_in_no_file_of_the_host(tmp_path: Path) -> None:
    line = "/etc/modprobe.d/nvprof.conf:options nvidia NVreg_RestrictProfilingToAdminUsers=1"
    loaded = but(GOOD, part("params", "RmProfilingAdminOnly: 0\n"), part("options", line))
    fleet = "config:\n  nodeworthy:fleet:\n    cluster: {name: c}\n    pools:\n      h100: {gpu: h100, instanceType: p5.48xlarge"
    verdicts = []
    for driver in ("operator", "ami"):
        (tmp_path / "Pulumi.dev.yaml").write_text(f"{fleet}, driver: {driver}}}\n")
        verdicts.append(judged(loaded, tmp_path)["profiling-before-driver"].verdict)
    assert verdicts == [Verdict.PASS, Verdict.FAIL]
