"""Whether one alone brings the driver, on boots told by hand and on the operator's values."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Effect, Fetches, Installs
from nodeworthy.boot.text import Text
from nodeworthy.documents.tree import absent
from nodeworthy.documents.yaml import read
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.fleet.gpu_pool import gpu_pools
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rules.one_driver import RULE
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Known, Located, Place
from tests.boot.rules.boots import common, gap, given, joins, judged, runs, script
from tests.boot.rules2.fleets import in_fleet
from tests.fleet.reading import fleet_of

USER_DATA = "instanceType: p5.48xlarge, driver: user-data"
AMI = "instanceType: p5.48xlarge, driver: ami"


def installs(line: int, *packages: str, manager: str = "dnf", **what: object) -> Installs:
    return Installs(manager=manager, packages=tuple(map(Text.of, packages)), **common(line, dict(what)))


RUNFILE = installs(5, "NVIDIA-Linux-x86_64-570.133.20.run", manager=".run")


def of(pool: str, *effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), pool, ""))


class TestTheScript:
    def test_the_pool_says_who(self) -> None:
        assert of(USER_DATA, installs(3, "nvidia-open-570")).verdict == "pass"
        assert of(AMI, joins(3)).verdict == "pass"
        (finding,) = of(AMI, installs(3, "nvidia-open-570")).findings
        assert finding.message == "the script installs a driver, and the image brings one already"
        assert of(AMI.replace("ami", "operator"), installs(3, "nvidia-open-570")).verdict == "fail"
        assert of("instanceType: c7i.4xlarge", joins(3)).verdict == "skip"

    def test_nobody_does(self) -> None:
        (finding,) = of(USER_DATA, joins(3)).findings
        assert finding.message.endswith("and the script installs none")

    @pytest.mark.parametrize(
        "step",
        [
            gap(3, "dnf install nvidia-driver <("),
            runs(3, "/opt/gpu/install-nvidia.sh"),
            Fetches(url=Text.of("https://example.com/nvidia-driver.sh"), runs=True, **common(3, {})),
        ],
    )
    def test_perhaps_somebody_does(self, step: Effect) -> None:
        assert of(USER_DATA, step).verdict == "unknown"

    def test_under_a_condition(self) -> None:
        asked = installs(3, "nvidia-open-570", conditions=given("lspci | grep -qi nvidia"))
        assert of(USER_DATA, asked, joins(9)).verdict == "pass"
        other = installs(3, "nvidia-open-570", conditions=given("$FAST"))
        assert of(USER_DATA, other, joins(9)).verdict == "fail"


class TestTwo:
    def test_an_installer_over_packages(self) -> None:
        assert judged(RULE, script(installs(3, "nvidia-driver-570"), RUNFILE)).verdict == "fail"
        assert judged(RULE, script(RUNFILE)).verdict == "pass"

    def test_two_branches(self) -> None:
        packages = installs(3, "nvidia-driver-550"), installs(4, "nvidia-dkms-570")
        assert judged(RULE, script(*packages)).verdict == "fail"
        assert judged(RULE, script(installs(3, "nvidia-driver-570", "nvidia-dkms-570"))).verdict == "pass"

    def test_one_or_the_other(self) -> None:
        one = installs(3, "nvidia-driver-570", conditions=given("$APT"))
        other = installs(
            5, *(package.shown() for package in RUNFILE.packages), manager=".run", conditions=given("$APT", "no")
        )
        assert judged(RULE, script(one, other)).verdict == "pass"

    def test_removed_first(self) -> None:
        gone = installs(4, "nvidia-*", removes=True)
        assert judged(RULE, script(installs(3, "nvidia-driver-570"), gone, RUNFILE)).verdict == "pass"


def operator(values: str, *pools: str, elsewhere: str | None = None) -> Judgement:
    here = Place("values.yaml", 1, 1)
    tree = read(values, here) or absent(here)
    made = OperatorValues(here, tree, "values", Located(Known(None), here, written=False), elsewhere)
    lines = "".join(f"  p{index}: {{{pool}}}\n" for index, pool in enumerate(pools))
    fleet = fleet_of(f"cluster: {{name: a}}\npools:\n{lines}")
    (judgement,) = judge([make_scene([made, *gpu_pools(fleet)])], [RULE], CRASHED)
    return judgement


class TestTheOperator:
    @pytest.mark.parametrize(
        ("values", "driver", "verdict"),
        [
            ("driver: {enabled: false}", "ami", "pass"),
            ("driver: {enabled: false}", "user-data", "pass"),
            ("driver: {enabled: false}", "operator", "fail"),
            ("driver: {enabled: true}", "ami", "fail"),
            ("driver: {enabled: true}", "operator", "pass"),
            ("toolkit: {}", "operator", "pass"),
            ("toolkit: {}", "ami", "fail"),
            ("driver: {enabled: 3}", "ami", "unknown"),
            ("driver: {enabled: true, nvidiaDriverCRD: {enabled: true}}", "ami", "skip"),
        ],
    )
    def test_one_pool(self, values: str, driver: str, verdict: str) -> None:
        assert operator(values, f"instanceType: p5.48xlarge, driver: {driver}").verdict == verdict

    def test_pools_that_differ(self) -> None:
        judgement = operator("driver: {enabled: true}", USER_DATA, AMI.replace("ami", "operator"))
        (finding,) = judgement.findings
        assert "nvidia.com/gpu.deploy.driver=false" in (finding.remedy or "")

    def test_values_from_elsewhere(self) -> None:
        assert operator("toolkit: {}", AMI, elsewhere="valuesFrom was not read").verdict == "unknown"
