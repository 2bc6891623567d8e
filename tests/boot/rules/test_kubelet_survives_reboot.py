"""Whether kubelet will be started after a reboot, on boots told by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodeworthy.boot.effects import Act, Effect, How, Installs, Stage, Unit
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.userdata import PartKind
from nodeworthy.rules.kubelet_survives_reboot import RULE
from nodeworthy.verdict import Finding
from tests.boot.rules.boots import (
    common,
    gap,
    given,
    hole,
    in_pool,
    joins,
    judged,
    reboot,
    runs,
    script,
    text,
    unit,
    verdict,
    write,
)
from tests.boot.rules.userdata import read, shell, told

OFF = unit(10, "nodeadm-run", Act.DISABLE, Act.STOP)
NODE_CONFIG = PartKind.NODE_CONFIG
EVERY = Hole("*", "every service of this snap")
BIG = given("$GPU = t4")


def said(*effects: Effect | list[Effect]) -> Finding:
    judgement = judged(RULE, script(*effects))
    assert judgement.verdict == "fail", judgement.findings
    (found,) = judgement.findings
    return found


def lines(found: Finding) -> tuple[int | None, list[int | None]]:
    return found.where.line, [each.place.line for each in found.related]


def installed(line: int, manager: str, *packages: str) -> Installs:
    return Installs(manager=manager, packages=tuple(map(Text.of, packages)), **common(line, {}))


def test_nodeadm_by_hand_and_kubelet_never_enabled() -> None:
    found = said(OFF, joins(20), reboot(30))
    assert lines(found) == (20, [10, 30])
    assert found.remedy == "behind line 20: systemctl enable kubelet"
    assert "nodeadm-run.service is switched off" in (found.is_ or "")


def test_nodeadm_by_hand_finds_no_config_at_the_next_boot() -> None:
    assert "finds no NodeConfig" in (said(joins(20)).is_ or "")
    assert verdict(RULE, joins(20), kind=NODE_CONFIG) == "pass"
    assert verdict(RULE, write(5, "x", path="/etc/eks/nodeadm.d/a.yaml"), joins(20), kind=NODE_CONFIG) == "pass"


@pytest.mark.parametrize("line", [5, 25])
def test_enabled_before_or_after(line: int) -> None:
    steps: list[Effect] = [*OFF, joins(20), *unit(line, "kubelet", Act.ENABLE)]
    assert verdict(RULE, *sorted(steps, key=lambda each: each.place.line or 0)) == "pass"


def test_node_config_alone_is_nodeadms_business() -> None:
    assert verdict(RULE, joins(3, tells=True), kind=NODE_CONFIG) == "pass"
    (found,) = judged(RULE, script(joins(3, tells=True), OFF, kind=NODE_CONFIG)).findings
    assert lines(found) == (10, [3])
    assert "is switched off, and kubelet is not enabled" in found.message


def test_only_started() -> None:
    assert lines(said(unit(12, "kubelet", Act.START))) == (12, [])
    assert lines(said(unit(12, "kubelet", Act.START), reboot(40))) == (12, [40])


def test_enabled_now_is_both() -> None:
    assert verdict(RULE, unit(12, "kubelet", Act.ENABLE, Act.START)) == "pass"


def test_enabled_by_a_link() -> None:
    link = write(21, path="/etc/systemd/system/multi-user.target.wants/kubelet.service", how=How.LINK)
    assert verdict(RULE, OFF, joins(20), link) == "pass"


def test_disabled_afterwards() -> None:
    found = said(unit(12, "kubelet", Act.ENABLE, Act.START), unit(30, "kubelet", Act.DISABLE))
    assert lines(found) == (30, [12])
    assert verdict(RULE, unit(9, "kubelet", Act.DISABLE), unit(12, "kubelet", Act.ENABLE, Act.START)) == "pass"


def test_masked_whenever() -> None:
    assert lines(said(unit(9, "kubelet", Act.MASK), unit(12, "kubelet", Act.ENABLE, Act.START))) == (9, [12])
    unmasked = [
        unit(9, "kubelet", Act.MASK),
        unit(11, "kubelet", Act.UNMASK),
        unit(12, "kubelet", Act.ENABLE, Act.START),
    ]
    assert verdict(RULE, *unmasked) == "pass"


def test_enabled_under_a_condition_that_the_start_is_not_under() -> None:
    found = said(OFF, joins(20), unit(25, "kubelet", Act.ENABLE, conditions=BIG))
    assert lines(found) == (25, [20])
    assert "only if `$GPU = t4`" in found.message
    assert verdict(RULE, OFF, joins(20, conditions=BIG), unit(25, "kubelet", Act.ENABLE, conditions=BIG)) == "pass"


def test_nodeadm_switched_off_under_a_condition() -> None:
    off = unit(10, "nodeadm-run", Act.DISABLE, conditions=BIG)
    assert verdict(RULE, joins(3, tells=True), off, kind=NODE_CONFIG) == "fail"
    enabled = unit(11, "kubelet", Act.ENABLE, conditions=BIG)
    assert verdict(RULE, joins(3, tells=True), off, enabled, kind=NODE_CONFIG) == "pass"


def test_nodeadm_switched_off_and_on_again() -> None:
    assert verdict(RULE, OFF, joins(20), unit(30, "nodeadm-run", Act.ENABLE)) == "pass"


@pytest.mark.parametrize("how", ["bootstrap.sh", "bottlerocket"])
def test_ways_to_join_that_enable(how: str) -> None:
    assert verdict(RULE, joins(20, how)) == "pass"


def test_rke2_is_enabled_by_whoever_installs_it() -> None:
    assert verdict(RULE, joins(20, "rke2"), unit(21, "rke2-agent", Act.START)) == "fail"
    assert verdict(RULE, joins(20, "rke2"), unit(21, "rke2-agent", Act.ENABLE, Act.START)) == "pass"


def test_k3s_is_enabled_by_its_installer_unless_it_is_told_not_to() -> None:
    assert verdict(RULE, joins(20, "k3s"), unit(20, "k3s-agent", Act.ENABLE, Act.START)) == "pass"
    found = said(unit(21, "k3s", Act.START))
    assert found.remedy == "behind line 21: systemctl enable k3s"


def test_a_guard_that_asks_whether_it_is_enabled_is_no_condition() -> None:
    asked = given("systemctl is-enabled kubelet", "no")
    assert verdict(RULE, OFF, joins(20), unit(21, "kubelet", Act.ENABLE, conditions=asked)) == "pass"


def test_kubeadm() -> None:
    assert verdict(RULE, installed(5, "apt", "kubelet=1.33.1-1.1", "kubeadm"), joins(20, "kubeadm")) == "pass"
    assert verdict(RULE, unit(6, "kubelet", Act.ENABLE), joins(20, "kubeadm")) == "pass"
    assert verdict(RULE, joins(20, "kubeadm")) == "pass"
    own_unit = write(5, "[Unit]", path="/etc/systemd/system/kubelet.service")
    assert verdict(RULE, own_unit, joins(20, "kubeadm")) == "fail"


def test_nodeadm_of_hybrid_nodes_enables_it() -> None:
    assert verdict(RULE, runs(5, "nodeadm", "install", "1.33"), joins(20)) == "pass"


def test_restarted_after_an_edit() -> None:
    assert verdict(RULE, unit(12, "kubelet", Act.RESTART)) == "unknown"
    assert verdict(RULE, joins(5, "bootstrap.sh"), unit(12, "kubelet", Act.RESTART)) == "pass"
    assert verdict(RULE, unit(12, "kubelet", Act.RESTART), kind=NODE_CONFIG) == "pass"


def test_what_was_not_read_is_not_needed_where_its_package_enables_it() -> None:
    joins_and_goes_on = shell("set -e", "kubeadm join 10.0.0.9:6443 --token $T", "$POST_SCRIPT")
    assert told(RULE, read(joins_and_goes_on)) == ["pass"]


def test_scripts_that_run_at_every_boot() -> None:
    assert verdict(RULE, unit(12, "kubelet", Act.START, stage=Stage.BOOTHOOK)) == "pass"
    always = "#cloud-config\ncloud_final_modules:\n- [scripts-user, always]\n"
    assert verdict(RULE, unit(12, "kubelet", Act.START), kind=PartKind.CLOUD_CONFIG, raw=always) == "pass"
    per_boot = write(8, "systemctl start kubelet", path="/var/lib/cloud/scripts/per-boot/kubelet.sh")
    assert verdict(RULE, unit(12, "kubelet", Act.START), per_boot) == "pass"
    commented = write(8, "# systemctl start kubelet", path="/etc/rc.local")
    assert verdict(RULE, unit(12, "kubelet", Act.START), commented) == "fail"


def test_units_that_are_not_known() -> None:
    some = Unit(unit=Text.of(hole("SERVICE")), act=Act.ENABLE, **common(21, {}))
    assert verdict(RULE, OFF, joins(20), some) == "unknown"
    assert verdict(RULE, OFF, joins(20), unit(21, "kubelet", Act.ENABLE), some) == "pass"


def test_what_was_not_understood() -> None:
    assert verdict(RULE, OFF, joins(20), gap(25, "systemctl enable kubelet <<")) == "unknown"
    assert verdict(RULE, OFF, joins(20), gap(25, "echo <<")) == "fail"


def test_nothing_to_do_with_kubelet() -> None:
    assert verdict(RULE, runs(1, "echo")) == "skip"
    assert verdict(RULE, unit(1, "kubelet", Act.STOP)) == "skip"


def test_the_pool_says_which_image_it_is() -> None:
    al2 = in_pool("instanceType: m7i.xlarge\nos: al2", script(unit(12, "kubelet", Act.START)))
    assert judged(RULE, al2).verdict == "fail"
    al2023 = in_pool("instanceType: m7i.xlarge", script(unit(12, "kubelet", Act.START)))
    assert judged(RULE, al2023).verdict == "pass"
    (found,) = judged(RULE, in_pool("instanceType: m7i.xlarge", script(OFF, unit(12, "kubelet", Act.START)))).findings
    assert found.on == ("pool 'a'",)


@pytest.mark.parametrize(
    "name", [text("snap.kubelet-eks.daemon.service"), text("snap.kubelet-eks.", EVERY, ".service")]
)
def test_bootstrap_sh_enables_the_snap_where_kubelet_is_one(name: Text) -> None:
    disabled, join = Unit(unit=name, act=Act.DISABLE, **common(21, {})), joins(20, "bootstrap.sh")
    assert verdict(RULE, join, disabled) == "fail"
    assert verdict(RULE, disabled, join) == "pass"
    assert verdict(RULE, join, disabled, replace(disabled, act=Act.ENABLE)) == "pass"


def test_a_unit_of_which_only_the_node_knows_the_name_is_not_kubelet() -> None:
    disabled = Unit(unit=text(hole("UNIT")), act=Act.DISABLE, **common(21, {}))
    assert verdict(RULE, joins(20, "bootstrap.sh"), disabled) == "pass"


READY = "modprobe br_netfilter\nsysctl -w net.ipv4.ip_forward=1\nswapoff -a\n"


@pytest.mark.parametrize(("name", "found"), [("node.sh", 1), ("kubelet-pre-start.sh", 0), ("prekubelet.sh", 0)])
def test_what_runs_whenever_kubelet_starts_takes_swap_off_each_time(name: str, found: int) -> None:
    """By its name it is what the unit runs first (ExecStartPre)."""
    drafts = judged(RULE, read(shell(READY), name)).findings
    assert len([each for each in drafts if "swap is switched off" in each.message]) == found
