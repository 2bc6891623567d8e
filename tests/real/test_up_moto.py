"""`ci` is brought up into moto and taken down again by the real CLI: the program's order and references work.

What this proves: the engine takes the program's resources in an order in which each finds what it refers to; the
network, security groups, IAM, launch templates, auto scaling groups, queues, keys, logs and file systems are accepted
by botocore's models and by moto; a second preview is empty; what was made can be ended.

What it does not prove: nothing here is the AWS provider, nor AWS. Made up are the cluster, its access entry, add-ons and
pod identities (endpoint and certificate too), placement groups, and every object and release of Kubernetes: no chart is
rendered, no pod runs. moto starts what it is told to: it knows no capacity, no quota, no instance refresh, no EFA.
"""

from __future__ import annotations

import base64
import email
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from . import projects
from .agreement import PACK
from .moto_server import MotoServer
from .pulumi_cli import Preview, PulumiCli
from .stand_ins.aws_calls import Aws
from .stand_ins.providers import MADE_UP
from .tools import Tools

STACK = "ci"
# Made by moto for whoever asks first, and by nobody in here.
ITS_OWN = "default"


@dataclass(frozen=True)
class Up:
    cli: PulumiCli
    ran: Preview
    aws: Aws

    def described(self, service: str, operation: str, key: str, **filters: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = getattr(self.aws.client(service), operation)(**filters)[key]
        return found

    @property
    def groups(self) -> list[dict[str, Any]]:
        return self.described("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")

    def user_data(self, group: dict[str, Any]) -> str:
        template = group["LaunchTemplate"]
        [version] = self.described(
            "ec2",
            "describe_launch_template_versions",
            "LaunchTemplateVersions",
            LaunchTemplateId=template["LaunchTemplateId"],
            Versions=[template["Version"]],
        )
        return base64.b64decode(version["LaunchTemplateData"]["UserData"], validate=True).decode()

    @property
    def security_groups(self) -> dict[str, dict[str, Any]]:
        found = self.described("ec2", "describe_security_groups", "SecurityGroups")
        return {each["GroupId"]: each for each in found if each["GroupName"] != ITS_OWN}


@pytest.fixture(scope="module")
def up(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    program, scratch = tools.path("pulumi"), tmp_path_factory.mktemp("up")
    with MotoServer("us-east-2") as moto:
        cli = PulumiCli(program, projects.ours(scratch / "made"), scratch / "cli", aws=moto.aws)
        yield Up(cli, cli.up(STACK, PACK), moto.aws)


def test_everything_is_made_and_the_pack_has_nothing_to_say(up: Up) -> None:
    assert up.ran.exit_code == 0, up.ran.output
    assert up.ran.violations == []


def test_auto_scaling_groups_start_from_the_version_that_is_newest(up: Up) -> None:
    templates = up.described("ec2", "describe_launch_templates", "LaunchTemplates")
    newest = {each["LaunchTemplateId"]: str(each["LatestVersionNumber"]) for each in templates}
    used = {each["LaunchTemplate"]["LaunchTemplateId"]: each["LaunchTemplate"]["Version"] for each in up.groups}
    assert used == newest
    sizes = {_pool(each): (each["MinSize"], each["DesiredCapacity"], each["MaxSize"]) for each in up.groups}
    assert sizes == {"a10g": (1, 1, 1), "cpu": (1, 2, 4), "h100": (1, 1, 1), "h100-profiling": (1, 1, 1)}
    assert all(len(each["Instances"]) == each["DesiredCapacity"] for each in up.groups)


def _pool(group: dict[str, Any]) -> str:
    [name] = [each["Value"] for each in group["Tags"] if each["Key"] == "Name"]
    return str(name).removeprefix("gpu-ci-")


def test_what_nodes_boot_with_can_be_read_and_names_what_was_made(up: Up) -> None:
    [files] = up.described("efs", "describe_file_systems", "FileSystems")
    cluster = MADE_UP["aws:eks/cluster:Cluster"]
    for group in up.groups:
        text = up.user_data(group)
        parts = [part.get_content_type() for part in email.message_from_string(text).walk()]
        assert parts[:2] == ["multipart/mixed", "application/node.eks.aws"]
        assert cluster["endpoint"] in text
        assert cluster["certificateAuthority"]["data"] in text
        assert f"{files['FileSystemId']}.efs.us-east-2.amazonaws.com" in text


def test_security_groups_name_groups_that_are_there(up: Up) -> None:
    groups = up.security_groups
    directions = [each[way] for each in groups.values() for way in ("IpPermissions", "IpPermissionsEgress")]
    named = {pair["GroupId"] for rules in directions for rule in rules for pair in rule["UserIdGroupPairs"]}
    assert len(named) >= 3
    assert named <= set(groups)


def test_the_fabric_is_open_to_itself_both_ways(up: Up) -> None:
    [fabric] = [each for each in up.security_groups.values() if each["GroupName"].startswith("gpu-ci-fabric")]
    for way in ("IpPermissions", "IpPermissionsEgress"):
        [rule] = fabric[way]
        assert rule["IpProtocol"] == "-1"
        assert [pair["GroupId"] for pair in rule["UserIdGroupPairs"]] == [fabric["GroupId"]]
        assert not rule.get("IpRanges")


def test_templates_name_groups_and_a_role_that_are_there(up: Up) -> None:
    [profile] = up.described("iam", "list_instance_profiles", "InstanceProfiles")
    assert [each["RoleName"] for each in profile["Roles"]]
    for each in up.described("ec2", "describe_launch_templates", "LaunchTemplates"):
        [version] = up.described(
            "ec2",
            "describe_launch_template_versions",
            "LaunchTemplateVersions",
            LaunchTemplateId=each["LaunchTemplateId"],
        )
        data = version["LaunchTemplateData"]
        groups = [group for interface in data.get("NetworkInterfaces", []) for group in interface["Groups"]]
        assert set(groups or data["SecurityGroupIds"]) <= set(up.security_groups)
        assert data["IamInstanceProfile"]["Arn"] == profile["Arn"]


def test_every_group_waits_until_its_nodes_are_drained(up: Up) -> None:
    for group in up.groups:
        [hook] = up.described(
            "autoscaling",
            "describe_lifecycle_hooks",
            "LifecycleHooks",
            AutoScalingGroupName=group["AutoScalingGroupName"],
        )
        assert hook["LifecycleTransition"] == "autoscaling:EC2_INSTANCE_TERMINATING"


def test_a_second_preview_is_empty(up: Up) -> None:
    ran = up.cli.preview(STACK, PACK)
    assert ran.exit_code == 0, ran.output
    assert set(ran.changes) == {"same"}
    assert ran.violations == []


def test_a_changed_boot_script_is_a_new_version_that_its_group_starts_from(up: Up, tmp_path: Path) -> None:
    changed = projects.ours(tmp_path / "changed")
    file = changed / f"Pulumi.{STACK}.yaml"
    file.write_text(file.read_text().replace("mount: /shared", "mount: /everyone"))
    ran = up.cli.of(changed).up(STACK, PACK)
    assert ran.exit_code == 0, ran.output
    assert ran.changes.get("update") == 2 * len(up.groups)
    assert {each["LaunchTemplate"]["Version"] for each in up.groups} == {"2"}
    assert all("STORAGE_MOUNT=/everyone" in up.user_data(each) for each in up.groups)


def test_no_secret_is_in_what_was_said_or_kept(up: Up) -> None:
    secrets = [up.cli.secret(STACK, f"nodeworthy:{key}") for key in projects.SECRETS]
    kept = [each for each in up.cli.kept.rglob("*") if each.is_file()]
    assert any(b"gpu-ci" in each.read_bytes() for each in kept)
    for secret in secrets:
        assert secret not in up.ran.output + str(up.ran.events)
        assert not [each for each in kept if secret.encode() in each.read_bytes()]


def test_destroy_leaves_nothing(up: Up) -> None:
    """Last in here: there is nothing any more for others to look at."""
    ran = up.cli.destroy(STACK)
    assert ran.exit_code == 0, ran.output
    assert up.groups == []
    assert up.security_groups == {}
    ec2 = {
        "describe_launch_templates": "LaunchTemplates",
        "describe_internet_gateways": "InternetGateways",
        "describe_addresses": "Addresses",
    }
    left = {name: up.described("ec2", name, key) for name, key in ec2.items()}
    assert left == {key: [] for key in ec2}
    assert [each for each in up.described("ec2", "describe_vpcs", "Vpcs") if not each["IsDefault"]] == []
    others = {("iam", "list_roles"): "Roles", ("iam", "list_instance_profiles"): "InstanceProfiles"}
    others |= {("efs", "describe_file_systems"): "FileSystems", ("logs", "describe_log_groups"): "logGroups"}
    assert [each for (service, name), key in others.items() for each in up.described(service, name, key)] == []
    keys = [each["KeyId"] for each in up.described("kms", "list_keys", "Keys")]
    told = [up.aws.client("kms").describe_key(KeyId=each)["KeyMetadata"] for each in keys]
    assert {each["KeyState"] for each in told if "gpu-ci" in each["Description"]} == {"PendingDeletion"}
