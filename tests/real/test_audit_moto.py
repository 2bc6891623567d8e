"""`nodeworthy audit` against moto: asked by boto3 over HTTP, as it asks AWS.

What this proves: the calls are ones that boto3 makes and moto answers, in pages; each is in the policy that is printed;
what is recorded says the same again, and holds no secret. What moto does not have (refreshes, activities, reservations,
placement groups) stands in `stand_ins/moto_actions.py`; of quotas and of EKS' versions it has nothing, and audit says so.
"""

from __future__ import annotations

import base64
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import botocore.client
import botocore.session
import pytest

from nodeworthy.collect.cloud.calls import EVERY
from tests.run import Ran, run_json

from .moto_server import MotoServer
from .stand_ins.moto_actions import SERVICES, Said, added_to_moto

REGION = "us-east-2"
IMAGE = "ami-12c6146b"  # one of hundreds that moto has, of which a list takes it seconds
TOKEN = "hf_" + "abcdefghijklmnopqrstuvwxyz12345678"
GOOD = "#!/bin/bash\nset -euo pipefail\nmkdir -p /etc/modprobe.d\n{option}dnf install -y nvidia-open-580.105.08\nmodprobe nvidia\n"
OPTION = 'echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf\n'


@dataclass
class Account:
    moto: MotoServer
    said: Said
    template: str = ""

    def client(self, service: str) -> Any:
        return self.moto.aws.client(service)

    @property
    def url(self) -> str:
        return str(self.moto.aws.client("sts").meta.endpoint_url)

    def audit(self, *arguments: str) -> Ran:
        return run_json("audit", "--endpoint-url", self.url, "--region", REGION, *arguments)

    def version(self, script: str) -> dict[str, Any]:
        ec2 = self.client("ec2")
        [group] = [each for each in ec2.describe_security_groups()["SecurityGroups"] if each["GroupName"] == "nodes"]
        disk = {"DeviceName": "/dev/xvda", "Ebs": {"Encrypted": True, "VolumeSize": 100}}
        return {
            "ImageId": IMAGE,
            "InstanceType": "g4dn.12xlarge",
            "UserData": base64.b64encode(script.encode()).decode(),
            "SecurityGroupIds": [group["GroupId"]],
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
            "BlockDeviceMappings": [disk],
        }

    def make(self, script: str) -> None:
        """A group of two nodes."""
        ec2 = self.client("ec2")
        [network] = ec2.describe_vpcs()["Vpcs"]
        ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=network["VpcId"])
        made = ec2.create_launch_template(LaunchTemplateName="t4", LaunchTemplateData=self.version(script))
        self.template = made["LaunchTemplate"]["LaunchTemplateId"]
        self.client("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName="t4",
            MinSize=2,
            MaxSize=2,
            DesiredCapacity=2,
            LaunchTemplate={"LaunchTemplateId": self.template, "Version": "$Latest"},
            VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
            Tags=[{"Key": "kubernetes.io/cluster/gpu-dev", "Value": "owned", "PropagateAtLaunch": True}],
        )

    def change(self, script: str) -> None:
        """Its template has a newer version."""
        self.client("ec2").create_launch_template_version(
            LaunchTemplateId=self.template, LaunchTemplateData=self.version(script)
        )


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    said = Said()
    with added_to_moto(said), MotoServer(REGION) as moto:
        yield Account(moto, said)


def rules(ran: Ran, verdict: str) -> set[str]:
    return {each["rule"] for each in ran.findings if each["verdict"] == verdict}


def test_an_untouched_group_has_nothing_to_say_but_what_moto_lacks(account: Account) -> None:
    account.make(GOOD.format(option=OPTION))
    ran = account.audit()
    assert rules(ran, "fail") == set(), [each["is"] for each in ran.findings]
    assert {each["message"].rpartition(":")[0] for each in ran.findings} == {
        "AWS does not answer servicequotas:ListServiceQuotas"
    }


def test_a_mended_template_leaves_its_nodes_what_they_were(account: Account) -> None:
    account.make(GOOD.format(option=""))
    account.change(GOOD.format(option=OPTION))
    ran = account.audit("--rule", "nodes-current", "--rule", "profiling-before-driver")
    [found] = [each for each in ran.findings if each["rule"] == "nodes-current"]
    assert ran.code == 1
    assert found["message"].startswith(
        "2 of 2 nodes of Group 't4' are not what their group would start now: boot script"
    )
    assert "line 4 is missing" in found["is"]
    assert "NVreg_RestrictProfilingToAdminUsers=0" in found["is"]
    assert len(found["victims"]) == 2


def test_what_auto_scaling_tells_is_judged(account: Account) -> None:
    account.make(GOOD.format(option=OPTION))
    account.said.refreshes = [
        {"InstanceRefreshId": "1", "AutoScalingGroupName": "t4", "Status": "Failed", "StatusReason": "a hook waits"}
    ]
    ran = account.audit("--rule", "refresh-settled")
    assert (ran.code, rules(ran, "fail")) == (1, {"refresh-settled"})


def test_only_what_the_policy_allows_is_asked(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    account.make(GOOD.format(option=OPTION))
    asked: set[str] = set()
    base: Any = botocore.client.BaseClient
    really = base._make_api_call

    def noted(client: Any, operation: str, arguments: Any) -> Any:
        asked.add(f"{client.meta.service_model.service_name}:{operation}")
        return really(client, operation, arguments)

    monkeypatch.setattr(base, "_make_api_call", noted)
    account.audit()
    assert len(asked) > 20
    assert asked <= {f"{each.service}:{each.operation}" for each in EVERY}
    assert all(each.partition(":")[2].startswith(("Describe", "Get", "List")) for each in asked)


def test_a_recording_says_the_same_and_holds_no_secret(account: Account, tmp_path: Path) -> None:
    account.make(GOOD.format(option=OPTION))
    account.change(f"#!/bin/bash\nexport HF_TOKEN={TOKEN}\n{GOOD.format(option=OPTION)}")
    live = account.audit("--record", str(tmp_path / "kept"))
    replayed = run_json("audit", "--from", str(tmp_path / "kept"))
    kept = [each for each in (tmp_path / "kept").rglob("*") if each.is_file()]
    packed = base64.b64encode(f"export HF_TOKEN={TOKEN}".encode())[:24].decode()
    assert "no-secret-in-plain-sight" in rules(live, "fail")
    assert replayed.code == live.code
    assert verdicts(replayed) == verdicts(live)
    assert not [each for each in kept if TOKEN in each.read_text() or packed in each.read_text()]
    assert {stat.S_IMODE(each.stat().st_mode) for each in kept} == {0o600}


def verdicts(ran: Ran) -> list[tuple[str, str, str]]:
    return sorted((each["rule"], each["verdict"], each["where"]["urn"]) for each in ran.findings)


def test_stand_ins_answer_as_aws_does() -> None:
    answers = Said([{"Status": "Failed"}], [{"StatusCode": "Failed"}], [{"State": "active"}]).answers()
    session: Any = botocore.session.get_session()
    for service, operations in SERVICES.items():
        model = session.get_service_model(service)
        for each in operations:
            output = model.operation_model(each).output_shape
            assert set(answers[each]) <= set(output.members)
            for name, said in answers[each].items():
                assert all(set(one) <= set(output.members[name].member.members) for one in said)
