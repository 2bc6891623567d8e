"""What `pulumi preview --json` prints of a program in any language: what it makes is judged, and what it leaves out is
not passed over."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.collect.source.files import LIMIT
from nodeworthy.known.containerd import containerd_of
from tests.run import Ran, run

_URN = "urn:pulumi:dev::training::"
_STACK = f"{_URN}pulumi:pulumi:Stack::training-dev"
_K3S = [{"name": "CONTAINERD_SOCKET", "value": str(containerd_of("k3s").socket)}]


def step(kind: str, name: str, inputs: dict[str, Any], at: str = "", op: str = "create") -> dict[str, Any]:
    urn = f"{_URN}{kind}::{name}"
    state = {"urn": urn, "custom": True, "type": kind, "inputs": {"__defaults": [], **inputs}, "parent": _STACK}
    where = {"sourcePosition": f"project:///{at}"} if at else {}
    return {"op": op, "urn": urn, "oldState" if op == "delete" else "newState": {**state, **where}}


def group(name: str, op: str = "create") -> dict[str, Any]:
    inputs = {
        "amiType": "AL2023_x86_64_NVIDIA",
        "clusterName": "training",
        "instanceTypes": ["g6e.12xlarge"],
        "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
        "scalingConfig": {"__defaults": [], "desiredSize": 2, "maxSize": 2, "minSize": 2},
        "subnetIds": ["subnet-0a1b2c3d"],
    }
    return step("aws:eks/nodeGroup:NodeGroup", name, inputs, op=op)


def operator(env: list[dict[str, str]]) -> dict[str, Any]:
    values = {"driver": {"enabled": False}, "toolkit": {"env": env}}
    given = {"chart": "gpu-operator", "version": "v25.3.4", "values": values}
    return step("kubernetes:helm.sh/v3:Release", "gpu-operator", given, "index.ts#14,21")


def boots_with(user_data: str) -> dict[str, Any]:
    return step("aws:ec2/launchTemplate:LaunchTemplate", "gpu", {"instanceType": "g6e.12xlarge", "userData": user_data})


def check(folder: Path, steps: list[dict[str, Any]], *words: str, **more: Any) -> Ran:
    stack = {"op": "create", "urn": _STACK, "newState": {"urn": _STACK, "type": "pulumi:pulumi:Stack"}}
    said = {"config": {"aws:region": "us-east-2"}, "steps": [stack, *steps], **more}
    (folder / "preview.json").write_text(json.dumps(said, indent=4), encoding="utf-8")
    return run("check", "preview.json", *words, "--format", "json", "--no-cache", cwd=folder)


def told(ran: Ran, rule: str) -> list[tuple[str, int | None]]:
    return [(each["where"]["path"], each["where"].get("line")) for each in ran.findings if each["rule"] == rule]


def test_what_it_makes_is_judged_at_the_programs_line(tmp_path: Path) -> None:
    (tmp_path / "index.ts").write_text("// the program\n", encoding="utf-8")
    ran = check(tmp_path, [group("gpu"), operator(_K3S)], "--rule", "containerd-paths")
    assert (ran.code, told(ran, "containerd-paths")) == (1, [("index.ts", 14)])


def test_and_in_the_preview_where_the_program_is_not_beside_it(tmp_path: Path) -> None:
    ran = check(tmp_path, [group("gpu"), operator(_K3S)], "--rule", "containerd-paths")
    assert (ran.code, told(ran, "containerd-paths")) == (1, [("preview.json", None)])


def test_what_is_right_passes(tmp_path: Path) -> None:
    ran = check(tmp_path, [group("gpu"), operator([])], "--rule", "containerd-paths", "--rule", "looked-at")
    assert (ran.code, ran.findings) == (0, [])


def test_of_what_is_taken_away_nothing_is_told(tmp_path: Path) -> None:
    ran = check(tmp_path, [group("gpu", op="delete"), operator(_K3S)], "--rule", "containerd-paths")
    assert told(ran, "containerd-paths") == []


@pytest.mark.parametrize(
    "more",
    [
        {"changeSummary": {"create": 2, "same": 7}},
        {"diagnostics": [{"message": "error: no such config", "severity": "error"}]},
    ],
)
def test_what_it_leaves_out_is_unknown(tmp_path: Path, more: dict[str, Any]) -> None:
    ran = check(tmp_path, [group("gpu"), operator([])], "--rule", "looked-at", "--rule", "containerd-paths", **more)
    assert (ran.code, told(ran, "looked-at")) == (3, [("preview.json", None)])


def test_a_whole_one_says_what_stays_as_it_is(tmp_path: Path) -> None:
    summary = {"create": 1, "same": 1}
    ran = check(tmp_path, [group("gpu", op="same"), operator(_K3S)], "--rule", "looked-at", changeSummary=summary)
    assert told(ran, "looked-at") == []


def test_a_script_that_is_not_known_yet_is_unknown(tmp_path: Path) -> None:
    ran = check(tmp_path, [boots_with(UNKNOWN)], "--rule", "shell-parses")
    assert (ran.code, [each["verdict"] for each in ran.findings]) == (3, ["unknown"])


def test_a_secret_in_user_data_is_one_though_it_is_hidden(tmp_path: Path) -> None:
    ran = check(tmp_path, [boots_with("[secret]")], "--rule", "no-secret-in-plain-sight")
    assert (ran.code, {each["verdict"] for each in ran.findings}) == (1, {"fail"})


def test_half_a_preview_is_refused(tmp_path: Path) -> None:
    (tmp_path / "preview.json").write_text(json.dumps({"steps": [group("gpu")]})[:-2], encoding="utf-8")
    ran = run("check", "preview.json", "--no-cache", cwd=tmp_path)
    assert ran.code == 2
    assert "this preview of Pulumi is no JSON" in ran.err


def started_by(template: dict[str, Any], **given: Any) -> dict[str, Any]:
    inputs = {"launchTemplate": {"id": UNKNOWN, "version": "1"}, "minSize": 2, "maxSize": 2, **given}
    made = step("aws:autoscaling/group:Group", "gpu", inputs)
    made["newState"]["propertyDependencies"] = {"launchTemplate": [template["urn"]]}
    return made


@pytest.mark.parametrize(
    ("kind", "package", "code"),
    [
        ("p3.16xlarge", "nvidia-driver-570-server-open", 1),
        ("p3.16xlarge", "nvidia-driver-570-server", 0),
        ("g6e.12xlarge", "nvidia-driver-570-server-open", 0),
        ("p6-b200.48xlarge", "nvidia-driver-570-server", 1),
        (UNKNOWN, "nvidia-driver-570-server-open", 3),
    ],
)
def test_the_group_says_which_gpu_a_script_installs_a_driver_for(
    tmp_path: Path, kind: str, package: str, code: int
) -> None:
    script = f"#!/bin/bash\nset -euo pipefail\napt-get update\napt-get install -y {package}\n"
    template = boots_with(base64.b64encode(script.encode()).decode())
    template["newState"]["inputs"]["instanceType"] = kind
    ran = check(tmp_path, [template, started_by(template)], "--rule", "driver-fits")
    assert ran.code == code
    assert [each["where"]["path"] for each in ran.findings] == (["preview.json"] if code == 1 else [])


def test_a_group_of_several_gpus_leaves_it_open(tmp_path: Path) -> None:
    script = "#!/bin/bash\nset -euo pipefail\napt-get install -y nvidia-driver-570-server-open\n"
    template = boots_with(base64.b64encode(script.encode()).decode())
    kinds = [{"instanceType": each} for each in ("p3.16xlarge", "g6e.12xlarge")]
    mixed = {"launchTemplate": {"overrides": kinds, "launchTemplateSpecification": {"launchTemplateId": UNKNOWN}}}
    ran = check(tmp_path, [template, started_by(template, mixedInstancesPolicy=mixed)], "--rule", "driver-fits")
    assert ran.findings == []


def test_a_long_one_is_read_and_another_long_file_is_not(tmp_path: Path) -> None:
    padding = step("random:index/randomId:RandomId", "long", {"byteLength": 8, "prefix": "x" * LIMIT})
    ran = check(tmp_path, [group("gpu"), operator(_K3S), padding], "--rule", "containerd-paths")
    assert (ran.code, len(ran.findings)) == (1, 1)
    (tmp_path / "model.json").write_text(json.dumps({"config": {}, "weights": "x" * LIMIT}), encoding="utf-8")
    assert run("check", "model.json", "--no-cache", cwd=tmp_path).code == 2
