"""`nodeworthy audit --terraform`: what a plan declares, laid beside the stock account."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cloud.recordings import REGION, change, file_of, stock
from tests.run import Ran, run, run_json
from tests.source.terraform_plans import block, refers

TEMPLATE, GROUP = "lt-0a1b2c3d4e5f60718", "gpu-dev-t4"
ARN = f"arn:aws:ec2:{REGION}:111122223333"


def written(value: object) -> dict[str, object]:
    return {"constant_value": value}


def resource(address: str, after: dict[str, Any], before: dict[str, Any] | None = None) -> dict[str, Any]:
    kind, name = address.split(".")
    said = {"actions": ["no-op"], "before": after if before is None else before, "after": after, "after_unknown": {}}
    return {"address": address, "mode": "managed", "type": kind, "name": name, "change": said}


def boots_with(recording: Path) -> str:
    said = json.loads(file_of(recording, "ec2", "DescribeLaunchTemplateVersions").read_text(encoding="utf-8"))
    data = said["calls"][0]["pages"][0]["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return str(data["UserData"])


def a_plan(recording: Path, *more: dict[str, Any], **over: Any) -> dict[str, Any]:
    """As Terraform plans it where nothing is to be done: with all that its provider worked out."""
    template = {
        "id": TEMPLATE,
        "arn": f"{ARN}:launch-template/{TEMPLATE}",
        "image_id": "ami-0a10b20c30d40e50f",
        "instance_type": "g4dn.12xlarge",
        "user_data": boots_with(recording),
        "ebs_optimized": "",
        "block_device_mappings": [
            {"device_name": "/dev/xvda", "ebs": [{"encrypted": "true", "volume_size": 200, "iops": 3000}]}
        ],
        "metadata_options": [{"http_tokens": "required", "http_put_response_hop_limit": 2, "http_endpoint": ""}],
    }
    group = {
        "id": GROUP,
        "name": GROUP,
        "min_size": 2,
        "max_size": 2,
        "desired_capacity": 2,
        "default_cooldown": 60,
        "vpc_zone_identifier": ["subnet-0f1e2d3c4b5a69788"],
        "launch_template": [{"id": TEMPLATE, "name": GROUP, "version": "$Latest"}],
        "tag": [{"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True}],
    }
    return {
        "format_version": "1.2",
        "terraform_version": "1.9.5",
        "resource_changes": [
            resource("aws_launch_template.t4", template),
            resource("aws_autoscaling_group.t4", group),
            *more,
        ],
        "configuration": _configuration(),
        **over,
    }


def _configuration() -> dict[str, Any]:
    mapping = {
        "device_name": written("/dev/xvda"),
        "ebs": [{"encrypted": written(True), "volume_size": written(200)}],
    }
    template = block(
        "aws_launch_template.t4",
        image_id=refers("var.image"),
        instance_type=written("g4dn.12xlarge"),
        user_data=refers("local.boot"),
        block_device_mappings=[mapping],
        metadata_options=[{"http_tokens": written("required"), "http_put_response_hop_limit": written(2)}],
    )
    group = block(
        "aws_autoscaling_group.t4",
        min_size=written(2),
        max_size=written(2),
        desired_capacity=written(2),
        vpc_zone_identifier=refers("var.subnets"),
        launch_template=[{"id": refers("aws_launch_template.t4.id", "aws_launch_template.t4")}],
        tag=[{"key": written("nodeworthy/pool"), "value": written("t4")}],
    )
    region = {"expressions": {"region": written(REGION)}}
    return {"provider_config": {"aws": region}, "root_module": {"resources": [template, group]}}


def audit(folder: Path, plan: dict[str, Any]) -> Ran:
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    asked = ("--terraform", "plan.json", "--rule", "cloud-matches-plan")
    return run_json("audit", "--from", "aws", *asked, cwd=folder)


def test_what_runs_as_planned(tmp_path: Path) -> None:
    """What the provider worked out by itself (a cooldown of 60, 3000 operations) is nobody's word."""
    ran = audit(tmp_path, a_plan(stock(tmp_path)))
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


def test_a_size_that_somebody_set_by_hand(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    plan = a_plan(recording)
    path = file_of(recording, "autoscaling", "DescribeAutoScalingGroups")
    said = json.loads(path.read_text(encoding="utf-8"))
    said["calls"][0]["pages"][0]["AutoScalingGroups"][0]["MaxSize"] = 4
    change(recording, "autoscaling", "DescribeAutoScalingGroups", said["calls"])
    [found] = audit(tmp_path, plan).findings
    assert (found["verdict"], found["is"], found["should"]) == ("fail", "4", "2")
    assert found["message"] == "maxSize of Group 'aws_autoscaling_group.t4' is not what the program says"
    assert (found["where"]["path"], found["where"]["urn"]) == ("plan.json", "aws_autoscaling_group.t4")
    assert found["cause"].startswith("the next `terraform apply` takes it back")
    assert "terraform plan -refresh-only" in found["remedy"]


def test_a_boot_script_that_was_not_applied_yet(tmp_path: Path) -> None:
    plan = a_plan(stock(tmp_path))
    template = plan["resource_changes"][0]["change"]
    template["before"] = template["after"]
    template["after"] = {**template["after"], "user_data": base64.b64encode(b"#!/bin/bash\ntrue\n").decode()}
    [found] = audit(tmp_path, plan).findings
    assert found["message"] == "userData of LaunchTemplate 'aws_launch_template.t4' is not what the program says"


def test_what_is_there_no_more_and_what_is_still_to_be_made(tmp_path: Path) -> None:
    gone = resource("aws_placement_group.near", {"id": "near", "name": "near", "strategy": "cluster"})
    new = resource("aws_placement_group.other", {"name": "other", "strategy": "cluster"}, before={})
    plan = a_plan(stock(tmp_path), gone, new)
    strategy = {"name": refers("var.name"), "strategy": written("cluster")}
    plan["configuration"]["root_module"]["resources"] += [block(each["address"], **strategy) for each in (gone, new)]
    told = audit(tmp_path, plan).findings
    assert [each["verdict"] for each in told] == ["fail", "unknown"]
    assert told[0]["message"] == "PlacementGroup 'aws_placement_group.near' is declared, and AWS has no such thing"
    assert told[1]["message"].endswith("the plan has no id of it: is it of the state that was applied here?")


def test_a_plan_of_another_region_declares_nothing_here(tmp_path: Path) -> None:
    plan = a_plan(stock(tmp_path))
    text = json.dumps(plan).replace(REGION, "eu-central-1")
    ran = audit(tmp_path, json.loads(text))
    assert (ran.code, ran.findings) == (3, [])


def test_a_plan_that_ended_with_an_error_is_not_known(tmp_path: Path) -> None:
    [found] = audit(tmp_path, a_plan(stock(tmp_path), errored=True)).findings
    assert (found["verdict"], "ended this plan with an error" in found["message"]) == ("unknown", True)


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        ('{"values": {"root_module": {}}}', (), "plan.json is a state, which says what was made"),
        ("[]", (), "plan.json is no plan of Terraform"),
        ("resource {}", (), "no plan of Terraform in JSON"),
        ("{}", ("--stack", "dev"), "--terraform and --stack name two programs"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    stock(tmp_path)
    (tmp_path / "plan.json").write_text(text, encoding="utf-8")
    ran = run("audit", "--from", "aws", "--terraform", "plan.json", *arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_what_is_only_looked_up_is_not_declared(tmp_path: Path) -> None:
    looked_up = resource("aws_subnet.others", {"id": "subnet-gone", "cidr_block": "10.9.0.0/16"})
    ran = audit(tmp_path, a_plan(stock(tmp_path), {**looked_up, "mode": "data"}))
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


def test_the_provider_says_the_region_where_nothing_else_does(tmp_path: Path) -> None:
    plan = a_plan(stock(tmp_path))
    for each in plan["resource_changes"]:
        each["change"]["after"].pop("arn", None)
    ran = audit(tmp_path, plan)
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


def test_what_a_plan_calls_sensitive_is_not_told(tmp_path: Path) -> None:
    """Nor where it stands in another argument, of which nobody said so."""
    plan = a_plan(stock(tmp_path))
    change = plan["resource_changes"][0]["change"]
    script = base64.b64encode(b"#!/bin/bash\njoin --with Zq81vtR5pLw0\n").decode()
    change["after"] = {**change["after"], "user_data": script, "tags": {"join": "Zq81vtR5pLw0"}}
    change["after_sensitive"] = {"tags": {"join": True}}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    ran = run("audit", "--from", "aws", "--terraform", "plan.json", "--rule", "cloud-matches-plan", cwd=tmp_path)
    assert (ran.code, "boot script" in ran.out) == (1, True)
    assert "Zq81vtR5pLw0" not in ran.out + ran.err


def test_a_resource_says_its_region_where_the_provider_has_it_from_a_variable(tmp_path: Path) -> None:
    plan = a_plan(stock(tmp_path))
    plan["configuration"]["provider_config"]["aws"]["expressions"]["region"] = {"references": ["var.region"]}
    ran = audit(tmp_path, plan)
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


def test_one_that_is_replaced_is_known_by_what_it_was(tmp_path: Path) -> None:
    plan = a_plan(stock(tmp_path))
    change = plan["resource_changes"][0]["change"]
    change["actions"] = ["delete", "create"]
    change["before"] = change["after"]
    change["after"] = {name: value for name, value in change["after"].items() if name not in ("id", "arn")}
    change["after_unknown"] = {"id": True, "arn": True}
    ran = audit(tmp_path, plan)
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


def test_what_stands_in_no_configuration_is_nobodys_word(tmp_path: Path) -> None:
    """Which of its arguments somebody wrote is not known, and the others are the provider's."""
    plan = a_plan(stock(tmp_path))
    written_ones = plan["configuration"]["root_module"]["resources"]
    group = written_ones.pop()
    ran = audit(tmp_path, plan)
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 1)
    written_ones[:] = [group]
    assert audit(tmp_path, plan).report["summary"]["pass"] == 1
    written_ones.clear()
    assert audit(tmp_path, plan).code == 3
