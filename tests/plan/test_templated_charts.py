"""Charts whose provider templates them (`helm.v3.Chart`): what the program gives them is judged as a release's values."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.plan.manifests import CHART
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.scene import scene_of
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.known.containerd import containerd_of
from tests.plan.programs import FLEET, PRELUDE, inputs, preview, project, verdicts

K3S = containerd_of("k3s")
CHARTS = (
    PRELUDE
    + f"""
from pulumi_kubernetes.helm.v3 import Chart, ChartOpts, FetchOpts, LocalChartOpts

NVIDIA = FetchOpts(repo="https://helm.ngc.nvidia.com/nvidia")
RIGHT = {{"CONTAINERD_CONFIG": {K3S.config!r}, "CONTAINERD_SOCKET": {K3S.socket!r}}}

def given(**env):
    return {{"toolkit": {{"env": [{{"name": name, "value": value}} for name, value in (RIGHT | env).items()]}}}}

def operator(values):
    Chart("gpu-operator", ChartOpts(chart="gpu-operator", version="v26.3.0", fetch_opts=NVIDIA, values=values))

late = Thing("late")
"""
)
WRONG = "given(CONTAINERD_SOCKET='/run/another.sock')"


def charted(folder: Path, program: str) -> Path:
    return project(folder, CHARTS + program, FLEET % "k3s", prelude=False)


def test_a_wrong_socket_is_stopped(tmp_path: Path) -> None:
    ran = preview(charted(tmp_path, f"operator({WRONG})\n"))
    assert ran.code == 1
    (found,) = ran.findings
    assert (found["rule"], found["is"], found["should"]) == ("containerd-paths", "/run/another.sock", K3S.socket)
    assert found["where"]["line"] == CHARTS.splitlines().index("def operator(values):") + 2
    assert found["where"]["urn"].endswith(f"::{CHART}::gpu-operator")


def test_right_paths_pass(tmp_path: Path) -> None:
    ran = preview(charted(tmp_path, "operator(given())\n"), "--show-passed")
    assert ran.code == 0, ran.findings
    assert verdicts(ran, "containerd-paths") == [("pass", False)]


def test_a_chart_that_lies_beside_the_program_is_named_by_its_folder(tmp_path: Path) -> None:
    ran = preview(charted(tmp_path, f"Chart('gpus', LocalChartOpts(path='charts/gpu-operator', values={WRONG}))\n"))
    assert verdicts(ran, "containerd-paths") == [("fail", False)]


def test_what_waits_for_an_output_is_judged_in_the_simulated_run(tmp_path: Path) -> None:
    ran = preview(charted(tmp_path, f"operator(late.id.apply(lambda _: {WRONG}))\n"))
    assert ran.code == 1
    assert [(each["rule"], each.get("simulated")) for each in ran.findings] == [("containerd-paths", True)]


def test_what_waits_for_an_output_was_else_not_looked_at(tmp_path: Path) -> None:
    ran = preview(charted(tmp_path, f"operator(late.id.apply(lambda _: {WRONG}))\n"), "--no-simulate")
    assert ran.code == 3
    assert verdicts(ran, "looked-at") == [("unknown", False)]


def test_nothing_is_asked_of_a_chart_that_no_rule_is_about(tmp_path: Path) -> None:
    web = "Chart('web', ChartOpts(chart='nginx', values={'host': late.id}))\n"
    ran = preview(charted(tmp_path, f"{web}operator(given())\n"))
    assert ran.code == 0, ran.findings


@pytest.mark.parametrize("form", ["json", "text", "html"])
def test_which_of_its_values_are_kept_secret_is_not_known_and_none_is_shown(tmp_path: Path, form: str) -> None:
    secret = "pulumi.Output.secret('hunter2hunter2')"
    ran = preview(
        charted(tmp_path, f"operator(given() | {{'registry': {{'password': {secret}}}}})\n"), "--format", form
    )
    assert ran.code == 3, ran.out
    assert "hunter2" not in ran.out + ran.err
    if form == "json":
        assert verdicts(ran, "no-secret-in-plain-sight") == [("unknown", False)]
        shown = inputs(ran)["gpu-operator"]
        assert isinstance(shown, dict)
        assert (shown["chart"], shown["values"]) == ("gpu-operator", "(secret)")


@pytest.mark.parametrize("chart", ["nginx", "gpu-operator"])
def test_a_password_that_the_program_may_not_keep_secret_never_passes(tmp_path: Path, chart: str) -> None:
    values = "given() | {'registry': {'password': 'Xk29fjQ0vLm3Zr'}}"
    ran = preview(charted(tmp_path, f"Chart('c', ChartOpts(chart={chart!r}, version='v26.3.0', values={values}))\n"))
    assert ran.code == 3
    assert ("no-secret-in-plain-sight", "unknown") in [(each["rule"], each["verdict"]) for each in ran.findings]
    assert "Xk29f" not in ran.out + ran.err


@pytest.mark.parametrize("templated", [True, False])
def test_one_that_was_templated_has_been_looked_at(templated: bool) -> None:
    urn = f"urn:pulumi:dev::toy::{CHART}::gpu-operator"
    chart = Resource(urn, CHART, "gpu-operator", None, {}, custom=False)
    made = Resource(f"{urn}$kubernetes:core/v1:Service::one", "kubernetes:core/v1:Service", "one", urn, {})
    scene = scene_of(
        PreviewedPlan("toy", "dev", (chart, made) if templated else (chart,), {}),
        folder=Path(),
        fleet=None,
        no_fleet="",
    )
    assert any(isinstance(fact, NotLookedAt) for fact in scene.facts) is not templated
