"""The program of this repository, previewed: the incident's values are blocked, at the line to edit."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import yaml

from nodeworthy.collect.plan.preview import PreviewRequest, prepare
from nodeworthy.known.containerd import containerd_of
from tests.plan.programs import preview
from tests.run import run

ROOT = Path(__file__).parents[2]
BASE = "/var/lib/k8s-containerd/k8s-containerd"
INCIDENT = """\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {{name: onprem}}
    operator:
      values:
        toolkit:
          env: {env}
    pools:
      onprem:
        gpu: h200
        distribution: k8s-snap
{base}        provision: false
"""
WITH_BASE = f"        containerdBaseDir: {BASE}\n"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for name in ("infra", "userdata", "Pulumi.yaml", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_the_incidents_values_are_blocked_at_their_line(house: Path) -> None:
    (house / "Pulumi.onprem.yaml").write_text(INCIDENT.format(env="[]", base=WITH_BASE))
    ran = preview(house, "--stack", "onprem")
    assert ran.code == 1
    assert {each["rule"] for each in ran.findings} == {"containerd-paths"}
    right = containerd_of("k8s-snap", BASE)
    assert {each["should"] for each in ran.findings} == {right.socket, right.config}
    for each in ran.findings:
        assert (each["where"]["path"], each["where"]["line"]) == ("Pulumi.onprem.yaml", 8)
        assert each["where"]["urn"].endswith("kubernetes:helm.sh/v3:Release::gpu-operator")
        assert each["related"][0]["line"] == 13


def test_the_fixed_ones_and_a_plain_snap_are_clean(house: Path) -> None:
    right = containerd_of("k8s-snap", BASE)
    env = yaml.safe_dump(
        [{"name": "CONTAINERD_CONFIG", "value": right.config}, {"name": "CONTAINERD_SOCKET", "value": right.socket}],
        default_flow_style=True,
    ).strip()
    (house / "Pulumi.fixed.yaml").write_text(INCIDENT.format(env=env, base=WITH_BASE))
    (house / "Pulumi.plain.yaml").write_text(INCIDENT.format(env="[]", base=""))
    for stack in ("fixed", "plain"):
        ran = preview(house, "--stack", stack, "--show-passed", "--no-simulate")
        assert ran.code == 0, ran.findings
        assert "containerd-paths" in {each["rule"] for each in ran.findings if each["verdict"] == "pass"}


def test_the_ci_stack_is_shown_layer_by_layer() -> None:
    ran = run("preview", "--stack", "ci", cwd=ROOT)
    assert ran.code == 0, ran.err
    layers = [line for line in ran.out.splitlines() if line.startswith("infra/")]
    named = (
        "network cluster security storage addons pools rollout registry job_queue monitoring gpu_operator efa_plugin"
    )
    assert layers == [f"infra/{name}.py" for name in named.split()]
    assert "gpu-ci-h100  aws ec2 LaunchTemplate  instanceType p5.48xlarge" in ran.out
    assert "simulated:" in ran.out
    assert " 0 fail, 0 unknown" in ran.out.rstrip().splitlines()[-1]


def test_every_pool_gets_its_nodes_and_a_boot_script_that_joins_them() -> None:
    seen = prepare(PreviewRequest(ROOT, "ci"), frozenset()).run(None, lambda text: None)
    assert seen.ran.simulated is not None
    plan = seen.ran.simulated.plan
    groups = {each.name: each.inputs for each in plan.resources if each.type.endswith(":Group")}
    assert {name: (each["minSize"], each["maxSize"]) for name, each in groups.items()} == {
        "gpu-ci-h100": (1, 1),
        "gpu-ci-h100-profiling": (1, 1),
        "gpu-ci-a10g": (1, 1),
        "gpu-ci-cpu": (1, 4),
    }
    [h100] = [each.inputs for each in plan.resources if each.name == "gpu-ci-h100" and "userData" in each.inputs]
    assert h100["instanceMarketOptions"] == {"marketType": "capacity-block"}
    script = base64.b64decode(h100["userData"]).decode()
    assert "name: gpu-ci\n" in script
    assert "resolve registry-ghcr.gpu-controlplane.svc.cluster.local 172.20.0.11" in script
    assert ".amazonaws.com:/\nSTORAGE_MOUNT=/shared" in script


def test_a_pool_without_a_boot_script_is_refused_in_a_sentence(house: Path) -> None:
    fleet = (ROOT / "Pulumi.ci.yaml").read_text()
    (house / "Pulumi.ci.yaml").write_text(fleet.replace("c7i.4xlarge,", "c7i.4xlarge, firewall: ufw,"))
    ran = run("preview", "--stack", "ci", cwd=house)
    assert ran.code == 2
    assert "pool 'cpu': ufw is Ubuntu's firewall, and the pool's os is al2023" in ran.err + ran.out
    assert "Traceback" not in ran.err + ran.out
