"""The story of docs/rollout.md, whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.real.rollout.stage import DEDICATED, IMAGE, LIVE, MERGE, OPTION, PROFILING, REGION, SCRIPT, Stage
from tests.real.stand_in_kubelet import NODES
from tests.run import Ran, run, run_json

STACK = """\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {name: gpu-dev}
    pools:
      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 2, profilingDedicated: 1}
"""
PROGRAM = """\
import base64
from pathlib import Path

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "t4",
    name="t4",
    image_id="IMAGE",
    instance_type="g4dn.12xlarge",
    user_data=base64.b64encode(Path("boot.txt").read_bytes()).decode(),
)
aws.autoscaling.Group(
    "t4",
    name="t4",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["SUBNET"],
    launch_template={"id": template.id, "version": "$Latest"},
    tags=[
        {"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagate_at_launch": True},
        {"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True},
    ],
)
"""


def write_project(stage: Stage, folder: Path) -> None:
    folder.mkdir()
    program = PROGRAM.replace("IMAGE", IMAGE).replace("SUBNET", stage.group()["VPCZoneIdentifier"])
    (folder / "Pulumi.yaml").write_text("name: gpu-dev\nruntime: python\n", encoding="utf-8")
    (folder / "Pulumi.dev.yaml").write_text(STACK, encoding="utf-8")
    (folder / "__main__.py").write_text(program, encoding="utf-8")
    (folder / "boot.txt").write_text(SCRIPT.format(option=""), encoding="utf-8")


def preview(project: Path) -> list[tuple[str, int]]:
    ran = run_json("preview", "--stack", "dev", "--rule", "profiling-before-driver", "--show-passed", cwd=project)
    return [(each["verdict"], ran.code) for each in ran.findings]


def audit(stage: Stage, project: Path) -> Ran:
    rules = ("nodes-current", "machines-are-nodes", "cloud-matches-plan", "profiling-before-driver")
    asked = [word for each in rules for word in ("--rule", each)]
    there = ("--stack", "dev", "--endpoint-url", stage.url, "--kubernetes", "real")
    return run_json("audit", *there, *asked, cwd=project)


def failing(ran: Ran) -> dict[str, dict[str, Any]]:
    return {each["rule"]: each for each in ran.findings if each["verdict"] == "fail"}


def all_are_stale(stage: Stage, told: dict[str, dict[str, Any]]) -> None:
    """By the line that their script lacks, and by the rule that this script breaks."""
    assert set(told) == {"nodes-current", "profiling-before-driver"}
    assert PROFILING in told["nodes-current"]["is"]
    assert len(told["nodes-current"]["victims"]) == 2
    assert {each["object"] for each in told["nodes-current"]["related"] if "object" in each} == {
        f"Node/{each['metadata']['name']}" for each in stage.nodes()
    }


def all_are_proven(stage: Stage) -> None:
    """And one is for profiling, as a person had labelled its forerunner."""
    nodes = stage.nodes()
    assert [each["metadata"]["labels"].get(DEDICATED) for each in nodes].count("true") == 1
    assert all(not each["spec"].get("taints") and not each["spec"].get("unschedulable") for each in nodes)
    assert all("nodeworthy/verified" in each["metadata"]["labels"] for each in nodes)
    assert stage.group()["SuspendedProcesses"] == []


@pytest.mark.usefixtures("programs_start_warm")
def test_from_a_red_pull_request_to_a_green_fleet(stage: Stage, tmp_path: Path) -> None:
    """The deployment is by hand; and what fresh nodes say is another machine's word,
    so that the suite is not told of this fleet."""
    project = tmp_path / "project"
    write_project(stage, project)
    assert preview(project) == [("fail", 1)]
    (project / "boot.txt").write_text(SCRIPT.format(option=OPTION), encoding="utf-8")
    assert preview(project) == [("pass", 0)]
    assert "cloud-matches-plan" in failing(audit(stage, project))
    stage.mend()
    all_are_stale(stage, failing(audit(stage, project)))
    by_hand = stage.nodes()[0]["metadata"]["name"]
    labelled = f"{NODES}/{by_hand}?fieldManager=kubectl-label"
    stage.client.expect("PATCH", labelled, {"metadata": {"labels": {DEDICATED: "true"}}}, content_type=MERGE)
    of_pool = ("rollout", "--pool", "t4", "--region", REGION, "--endpoint-url", stage.url)
    plan = run(*of_pool, "--dry-run", "--format", "json")
    assert plan.code == 1
    told = json.loads(plan.out)
    assert "--yes-may-lose-capacity" in told["refusals"][0]
    assert (len(told["order"]), told["former"], told["target"]) == (2, "1", "2")
    assert stage.versions() == ["1", "1"]
    ran = run(*of_pool, *LIVE)
    assert ran.code == 0, ran.err + ran.out
    assert stage.versions() == ["2", "2"]
    assert stage.bridge.most_away == 1
    all_are_proven(stage)
    again = run(*of_pool, "--dry-run")
    assert again.code == 0
    assert "nothing to do" in again.out
    clean = audit(stage, project)
    assert (clean.code, clean.findings) == (0, [])
