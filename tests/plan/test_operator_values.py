"""The operator's settings in a plan are the same fact as in a file, with another place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nodeworthy.known.containerd import containerd_of
from tests.plan.programs import FLEET, KUBEADM, preview, project, verdicts
from tests.run import run_json

K3S = containerd_of("k3s").socket
KUBEADM_SOCKET = containerd_of("kubeadm").socket
WRONG = {"toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": K3S}]}}


def judged(findings: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What is said, without where."""
    return sorted(
        (each["rule"], each["verdict"], each["message"], each["is"], each["should"], each["remedy"], each["cause"])
        for each in findings
    )


CONTENTS: list[dict[str, Any]] = [
    WRONG,
    {"toolkit": {"env": []}},
    {"toolkit": {"enabled": False, "env": [{"name": "CONTAINERD_SOCKET", "value": K3S}]}},
    {"toolkit": {"env": [{"name": "RUNTIME_SOCKET", "value": "unix:///x.sock"}, {"name": "A", "value": True}]}},
    {"toolkit": {"env": "none"}},
    {"cdi": {"nriPluginEnabled": True}, "toolkit": {"enabled": True}},
]


@pytest.mark.parametrize("values", CONTENTS, ids=range(len(CONTENTS)))
def test_a_planned_release_is_judged_as_its_values_file(tmp_path: Path, values: dict[str, Any]) -> None:
    project(tmp_path, f"release({values!r})\n", FLEET % "k3s")
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    planned = preview(tmp_path, "--no-simulate")
    written = run_json("check", "values.yaml", cwd=tmp_path)
    assert judged(planned.findings) == judged(written.findings)
    assert planned.code == written.code


def test_values_files_are_read_and_give_their_own_lines(tmp_path: Path) -> None:
    program = """
files = [pulumi.FileAsset("first.yaml"), pulumi.FileAsset("second.yaml")]
text = pulumi.StringAsset("driver: {enabled: false}")
release({"dcgm": {"enabled": True}}, valueYamlFiles=[*files, text])
"""
    project(tmp_path, program)
    (tmp_path / "first.yaml").write_text("toolkit:\n  env: []\n")
    (tmp_path / "second.yaml").write_text(f"toolkit:\n  env:\n    - name: CONTAINERD_SOCKET\n      value: {K3S}\n")
    ran = preview(tmp_path, "--no-simulate")
    assert ran.code == 1
    [found] = ran.findings
    assert (found["rule"], found["is"], found["should"]) == ("containerd-paths", K3S, KUBEADM_SOCKET)
    assert (found["where"]["path"], found["where"]["line"]) == ("second.yaml", 4)
    assert found["where"]["urn"].endswith("Release::gpu-operator")


def test_a_values_file_that_is_not_there_leaves_it_unknown(tmp_path: Path) -> None:
    program = "release({}, valueYamlFiles=[pulumi.RemoteAsset('https://example.com/values.yaml')])\n"
    ran = preview(project(tmp_path, program), "--no-simulate")
    assert ran.code == 3
    assert set(verdicts(ran, "containerd-paths")) == {("unknown", False)}


def test_a_cluster_policy_and_an_argo_application_are_read_too(tmp_path: Path) -> None:
    values = yaml.safe_dump(WRONG)
    program = f"""
Raw("kubernetes:nvidia.com/v1:ClusterPolicy", "policy", {{"spec": {WRONG!r}}})
source = {{"chart": "gpu-operator", "targetRevision": "v26.3.0", "helm": {{"values": {values!r}}}}}
Raw("kubernetes:argoproj.io/v1alpha1:Application", "app", {{"spec": {{"source": source}}}})
"""
    ran = preview(project(tmp_path, program), "--no-simulate")
    assert ran.code == 1
    found = {each["where"]["urn"].rsplit("::", 1)[-1] for each in ran.findings if each["rule"] == "containerd-paths"}
    assert found == {"policy", "app"}


def test_another_chart_is_no_operator_and_a_parent_chart_holds_one(tmp_path: Path) -> None:
    program = f"""
release({{"env": []}}, name="other", chart="nginx")
release({{"gpu-operator": {WRONG!r}}}, name="platform", chart="./charts/platform")
"""
    ran = preview(project(tmp_path, program), "--no-simulate")
    assert {each["where"]["urn"].rsplit("::", 1)[-1] for each in ran.findings} == {"platform"}


def test_an_unknown_chart_is_named(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "a = Thing('a')\nrelease({}, chart=a.id)\n"), "--no-simulate")
    assert ran.code == 3
    assert "which chart gpu-operator installs is not known" in ran.findings[0]["message"]


def test_a_secret_value_is_judged_and_never_shown(tmp_path: Path) -> None:
    program = f"release(pulumi.Output.secret({WRONG!r}))\n"
    ran = preview(project(tmp_path, program))
    assert ran.code == 1
    assert [each["is"] for each in ran.findings] == ["(secret)"]
    assert str(K3S) not in ran.out + ran.err


def test_a_suppression_in_the_stack_file_holds_for_the_plan(tmp_path: Path) -> None:
    ours = Path(__file__).parents[2]
    for name in ("infra", "userdata", "Pulumi.yaml", ".venv"):
        (tmp_path / name).symlink_to(ours / name)
    config = KUBEADM.replace(
        "    pools:",
        "    operator:\n      values:\n        toolkit:\n          env:\n"
        "            - name: CONTAINERD_SOCKET\n"
        f"              value: {K3S}  # nodeworthy: ignore containerd-paths the k3s nodes come next week\n    pools:",
    )
    (tmp_path / "Pulumi.dev.yaml").write_text(config)
    ran = preview(tmp_path, "--no-simulate")
    assert ran.report["summary"]["suppressed"] == 1
    line = config.splitlines().index(next(each for each in config.splitlines() if "ignore" in each)) + 1
    own = [each for each in ran.findings if each["suppressed"]]
    assert [(each["where"]["path"], each["where"]["line"]) for each in own] == [("Pulumi.dev.yaml", line)]


def test_a_fleet_that_can_not_exist_ends_before_the_program_runs(tmp_path: Path) -> None:
    config = KUBEADM.replace("distribution: kubeadm", "instanceType: g5.12xlarge")
    ran = preview(project(tmp_path, "raise SystemError('it ran')\n", config))
    assert ran.code == 1, ran.err
    assert {each["rule"] for each in ran.findings} == {"gpu-exists"}
    assert "it ran" not in ran.err
