"""Whether fabric manager runs where it is needed, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, Installs
from nodeworthy.boot.text import Text
from nodeworthy.engine import Judgement
from nodeworthy.rules.fabric_manager_runs import RULE
from tests.boot.rules.boots import common, gap, given, hole, joins, judged, reboot, script, text, unit, write
from tests.boot.rules2.fleets import in_fleet

H100 = "instanceType: p5.48xlarge, driver: user-data"
FM = "nvidia-fabricmanager"
RUNS = unit(9, FM, Act.ENABLE, Act.START)


def installs(line: int, *packages: str | Text, manager: str = "dnf", **what: object) -> Installs:
    named = tuple(each if isinstance(each, Text) else Text.of(each) for each in packages)
    return Installs(manager=manager, packages=named, **common(line, dict(what)))


def of(*effects: Effect | list[Effect], pool: str = H100) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), pool, ""))


class TestVersions:
    @pytest.mark.parametrize(
        ("driver", "manager", "verdict"),
        [
            ("nvidia-driver-570", "nvidia-fabricmanager-570", "pass"),
            ("nvidia-driver", "nvidia-fabric-manager", "pass"),
            ("nvidia-driver-570-server=570.133.20-0ubuntu1", "nvidia-fabricmanager-570=570.133.20-1", "pass"),
            ("nvidia-driver-570", "nvidia-fabricmanager-550", "fail"),
            ("nvidia-open-570.133.20", "nvidia-fabric-manager-570.148.08-1", "fail"),
            ("nvidia-driver-570.133.20", "nvidia-fabricmanager-570", "unknown"),
            ("nvidia-driver", "nvidia-fabricmanager-570", "unknown"),
        ],
    )
    def test_as_they_are_said(self, driver: str, manager: str, verdict: str) -> None:
        assert of(installs(3, driver), installs(4, manager), RUNS).verdict == verdict
        assert judged(RULE, script(installs(3, driver), installs(4, manager), RUNS)).verdict == verdict

    def test_a_runfile(self) -> None:
        driver = installs(3, "NVIDIA-Linux-x86_64-570.133.20.run", manager=".run")
        assert of(driver, installs(4, "nvidia-fabric-manager-570.133.20-1"), RUNS).verdict == "pass"
        assert of(driver, installs(4, "nvidia-fabric-manager-550.90.07-1"), RUNS).verdict == "fail"

    def test_apt_binds_ubuntus_to_its_server_driver(self) -> None:
        driver = text("linux-modules-nvidia-580-server-open-", hole("uname -r"))
        for branch, verdict in (("580", "pass"), ("570", "unknown")):
            manager = installs(4, f"nvidia-fabricmanager-{branch}", manager="apt-get")
            assert of(installs(3, driver, manager="apt-get"), manager, RUNS).verdict == verdict

    def test_one_variable_for_both(self) -> None:
        driver, other = text("nvidia-driver-", hole("V")), text("nvidia-fabricmanager-", hole("V"))
        assert of(installs(3, driver, other), RUNS).verdict == "pass"
        assert of(installs(3, driver, text("nvidia-fabricmanager-", hole("FM"))), RUNS).verdict == "unknown"


class TestItRuns:
    BOTH = (installs(3, "nvidia-driver-570"), installs(4, "nvidia-fabricmanager-570"))

    @pytest.mark.parametrize(
        ("acts", "verdict"),
        [
            ((), "fail"),
            ((Act.ENABLE,), "fail"),
            ((Act.START,), "fail"),
            ((Act.ENABLE, Act.START), "pass"),
            ((Act.ENABLE, Act.START, Act.DISABLE), "fail"),
        ],
    )
    def test_enabled_and_started(self, acts: tuple[Act, ...], verdict: str) -> None:
        assert of(*self.BOTH, unit(9, FM, *acts)).verdict == verdict

    def test_a_reboot_starts_it(self) -> None:
        assert of(*self.BOTH, unit(9, FM, Act.ENABLE), reboot(12)).verdict == "pass"

    def test_before_the_driver(self) -> None:
        assert of(unit(1, FM, Act.ENABLE, Act.START), *self.BOTH).verdict == "fail"

    def test_under_a_condition(self) -> None:
        driver = installs(3, "nvidia-driver-570")
        manager = installs(4, "nvidia-fabricmanager-570", conditions=given("$EXTRAS"))
        assert of(driver, manager, RUNS).verdict == "fail"
        asked = installs(4, "nvidia-fabricmanager-570", conditions=given("lspci | grep -qi nvswitch"))
        assert of(driver, asked, RUNS).verdict == "pass"


class TestWhereItIsNeeded:
    def test_none_is_installed(self) -> None:
        (finding,) = of(installs(3, "nvidia-driver-570"), joins(9)).findings
        assert finding.message == "nvidia-driver-570 is installed and no fabric manager"
        assert (
            of(installs(3, "nvidia-driver-570"), pool="instanceType: g5.12xlarge, driver: user-data").verdict == "skip"
        )
        assert (
            of(installs(3, "nvidia-driver-570"), pool="instanceType: p6e-gb200.36xlarge, driver: user-data").verdict
            == "skip"
        )

    def test_others_bring_it(self) -> None:
        assert of(joins(3), pool="instanceType: p5.48xlarge, driver: operator").verdict == "skip"
        image = "instanceType: p5.48xlarge, driver: ami"
        assert of(joins(3), pool=image).verdict == "pass"
        assert of(unit(3, FM, Act.DISABLE), pool=image).verdict == "fail"
        ubuntu = f"{image}, os: ubuntu-22.04"
        assert of(joins(3), pool=ubuntu).verdict == "unknown"
        assert of(RUNS, pool=ubuntu).verdict == "pass"

    def test_what_is_not_known(self) -> None:
        assert of(installs(3, "nvidia-driver-570"), gap(4, "install fabricmanager")).verdict == "unknown"
        onprem = "gpu: h200, distribution: kubeadm, driver: user-data"
        assert of(installs(3, "nvidia-driver-570"), pool=onprem).verdict == "unknown"
        assert of(installs(3, "nvidia-driver-570"), pool=onprem.replace("h200", "t4")).verdict == "skip"


def test_without_a_fleet() -> None:
    assert judged(RULE, script(installs(3, "nvidia-driver-570"))).verdict == "skip"
    assert judged(RULE, script(installs(3, "nvidia-fabricmanager-570"))).verdict == "fail"


class TestStarts:
    BOTH = installs(4, "nvidia-driver-570", "nvidia-fabricmanager-570")

    def test_a_unit_that_does_not_exist(self) -> None:
        wrong = unit(9, "nvidia-fabric-manager", Act.ENABLE, Act.START)
        (found,) = of(self.BOTH, wrong).findings
        assert found.message.startswith("there is no unit nvidia-fabric-manager.service")
        own = write(8, "[Service]", path="/etc/systemd/system/nvidia-fabric-manager.service")
        assert "there is no unit" not in of(self.BOTH, own, wrong).findings[0].message
        assert of(self.BOTH, wrong, RUNS).verdict == "pass"

    @pytest.mark.parametrize(
        ("asked", "verdict"),
        [('[ "$(nproc)" -gt 8 ]', "unknown"), ("[ -e /dev/nvidia-nvswitch0 ]", "pass"), ("lspci | grep -q x", "pass")],
    )
    def test_only_under_a_condition(self, asked: str, verdict: str) -> None:
        acts = unit(9, FM, Act.ENABLE, Act.START, conditions=given(asked))
        assert of(self.BOTH, acts).verdict == verdict
        both = installs(4, "nvidia-driver-570", "nvidia-fabricmanager-570", conditions=given(asked))
        assert of(both, acts).verdict == "pass"
