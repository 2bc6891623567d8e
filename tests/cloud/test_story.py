"""The way from a red pull request to a green fleet, as docs/rollout.md tells it: what a preview and an audit say on it. That
a rollout replaces the nodes in between, and what an audit says behind it, is proven on AWS' stand-in in
tests/real/rollout/test_rollout_story.py."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest

from tests.case_files import whole
from tests.cloud.recordings import file_of, stock
from tests.run import Ran, run_json

OPTION = "NVreg_RestrictProfilingToAdminUsers=0"
STACK = """\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {name: gpu-dev}
    pools:
      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 2}
"""
PROGRAM = '''\
"""The T4 nodes of the dev cluster."""

import base64
from pathlib import Path

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "gpu-dev-t4",
    image_id="ami-0a10b20c30d40e50f",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=["sg-0c1d2e3f405162738"],
    user_data=base64.b64encode(Path("boot.txt").read_bytes()).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[
        {"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "volume_type": "gp3", "encrypted": "true"}}
    ],
)
aws.autoscaling.Group(
    "gpu-dev-t4",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["subnet-0f1e2d3c4b5a69788"],
    launch_template={"id": template.id, "version": "$Latest"},
    tags=[
        {"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagate_at_launch": True},
        {"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True},
    ],
)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: gpu-dev\nruntime: python\n", encoding="utf-8")
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK, encoding="utf-8")
    (tmp_path / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def mended(recording: Path) -> str:
    """What the template has now."""
    said = json.loads(file_of(recording, "ec2", "DescribeLaunchTemplateVersions").read_text(encoding="utf-8"))
    newest = said["calls"][0]["pages"][0]["LaunchTemplateVersions"][0]
    return base64.b64decode(newest["LaunchTemplateData"]["UserData"]).decode()


def of(ran: Ran, rule: str) -> list[str]:
    return [each["verdict"] for each in ran.findings if each["rule"] == rule]


def preview(project: Path) -> Ran:
    return run_json("preview", "--stack", "dev", "--rule", "profiling-before-driver", "--show-passed", cwd=project)


def audit(project: Path) -> Ran:
    return run_json("audit", "--stack", "dev", "--from", "aws", "--show-passed", cwd=project)


def test_from_a_red_pull_request_to_a_green_fleet(project: Path) -> None:
    right = mended(stock(project))
    wrong = "\n".join(line for line in right.splitlines() if OPTION not in line) + "\n"
    assert wrong != right

    (project / "boot.txt").write_text(wrong, encoding="utf-8")
    red = preview(project)
    assert (red.code, of(red, "profiling-before-driver")) == (1, ["fail"])

    (project / "boot.txt").write_text(right, encoding="utf-8")
    green = preview(project)
    assert (green.code, of(green, "profiling-before-driver")) == (0, ["pass"])

    # Deployed: the template is mended, and one node still runs what the old version made.
    shutil.rmtree(project / "aws")
    shutil.copytree(whole("nodes-current/bad-old-script") / "aws", project / "aws")
    stale = audit(project)
    [old] = [each for each in stale.findings if each["rule"] == "nodes-current"]
    assert (stale.code, old["verdict"], OPTION in old["is"]) == (1, "fail", True)
    assert old["remedy"].startswith("nodeworthy rollout --asg gpu-dev-t4 --dry-run")
    assert of(stale, "cloud-matches-plan") == ["pass", "pass"]

    # Rolled out: no machine is of the old one.
    shutil.rmtree(project / "aws")
    stock(project)
    clean = audit(project)
    assert clean.code == 0
    assert {each["verdict"] for each in clean.findings} <= {"pass", "skip"}
    assert of(clean, "nodes-current") == ["pass", "pass"] or of(clean, "nodes-current") == ["pass"]
