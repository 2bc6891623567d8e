"""`cloud-matches-plan` against a live stack: `ci` is brought up into moto by the real CLI, and then somebody's hand is in it.

What this proves: an untouched stack has no difference, though AWS says much that the program leaves out; each single
change by hand is one finding, with both values and the line of the program, and taking it back ends it; a state says by
id what no name says.

What it does not prove: that AWS prints what moto prints. The cluster is made up, so that of it nothing is known here.
"""

from __future__ import annotations

import base64
import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cloud.answers import RegionAnswers
from nodeworthy.collect.cloud.live import Live, Reach
from nodeworthy.collect.cloud.program import Program, State, read_state, run_declaring
from nodeworthy.collect.cloud.region import Region
from nodeworthy.collect.cloud.scenes import Wanted, look
from nodeworthy.engine import judge
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Verdict
from tests.run import run_json

from . import projects
from .daemon import PATIENCE
from .moto_server import MotoServer
from .pulumi_cli import PulumiCli
from .stand_ins.aws_calls import Aws
from .stand_ins.moto_actions import Said, added_to_moto
from .tools import Tools

STACK, REGION = "ci", "us-east-2"
RULE = "cloud-matches-plan"


@dataclass
class Account:
    """A stack that was brought up, and what its program declares."""

    cli: PulumiCli
    aws: Aws
    project: Path
    program: Program
    state: Path
    taken_back: list[Callable[[], object]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return str(self.aws.client("sts").meta.endpoint_url)

    def findings(self, program: Program | None = None) -> Sequence[Finding]:
        live = Live(Reach(None, self.url), REGION)
        looked = look(Region(RegionAnswers(live)), Wanted(None, "no fleet"), program or self.program)
        judged = judge(looked.scenes, [rule(RULE)], rule("rule-crashed"), rule("suppression-unused"), frozenset({RULE}))
        return [one for each in judged for one in each.findings]

    def drifts(self) -> list[Finding]:
        return [each for each in self.findings() if each.verdict is not Verdict.UNKNOWN]

    # What is there

    def group(self, pool: str) -> dict[str, Any]:
        every = self.aws.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
        [found] = [each for each in every if f"gpu-ci-{pool}" in [tag["Value"] for tag in each["Tags"]]]
        return dict(found)

    def security_group(self, name: str) -> dict[str, Any]:
        every = self.aws.client("ec2").describe_security_groups()["SecurityGroups"]
        [found] = [each for each in every if each["GroupName"].startswith(f"gpu-ci-{name}-")]
        return dict(found)

    def subnet(self, name: str) -> str:
        named = [{"Name": "tag:Name", "Values": [f"gpu-ci-{name}"]}]
        [found] = self.aws.client("ec2").describe_subnets(Filters=named)["Subnets"]
        return str(found["SubnetId"])

    # What hands do

    def resize(self, pool: str, **sizes: Any) -> None:
        group, scaling = self.group(pool), self.aws.client("autoscaling")
        name, old = group["AutoScalingGroupName"], {each: group[each] for each in sizes}
        scaling.update_auto_scaling_group(AutoScalingGroupName=name, **sizes)
        self.taken_back.append(lambda: scaling.update_auto_scaling_group(AutoScalingGroupName=name, **old))

    def retag(self, pool: str, key: str, value: str) -> None:
        scaling, name = self.aws.client("autoscaling"), self.group(pool)["AutoScalingGroupName"]
        old = next(each for each in self.group(pool)["Tags"] if each["Key"] == key)
        tag = {**old, "ResourceId": name, "ResourceType": "auto-scaling-group"}
        scaling.create_or_update_tags(Tags=[{**tag, "Value": value}])
        self.taken_back.append(lambda: scaling.create_or_update_tags(Tags=[tag]))

    def suspend(self, pool: str, process: str) -> None:
        scaling, name = self.aws.client("autoscaling"), self.group(pool)["AutoScalingGroupName"]
        scaling.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=[process])
        self.taken_back.append(lambda: scaling.resume_processes(AutoScalingGroupName=name))

    def rewrite(self, pool: str, change: Callable[[dict[str, Any]], object]) -> None:
        """A new version of its launch template, from which the group starts."""
        ec2, group = self.aws.client("ec2"), self.group(pool)
        template, version = group["LaunchTemplate"]["LaunchTemplateId"], group["LaunchTemplate"]["Version"]
        [said] = ec2.describe_launch_template_versions(LaunchTemplateId=template, Versions=[version])[
            "LaunchTemplateVersions"
        ]
        old = said["LaunchTemplateData"]
        data = copy.deepcopy(old)
        change(data)
        self._start_from(group, template, data)
        self.taken_back.append(lambda: self._start_from(group, template, old))

    def _start_from(self, group: dict[str, Any], template: str, data: dict[str, Any]) -> None:
        made = self.aws.client("ec2").create_launch_template_version(LaunchTemplateId=template, LaunchTemplateData=data)
        named = {"LaunchTemplateId": template, "Version": str(made["LaunchTemplateVersion"]["VersionNumber"])}
        self.aws.client("autoscaling").update_auto_scaling_group(
            AutoScalingGroupName=group["AutoScalingGroupName"], LaunchTemplate=named
        )

    def open(self, name: str, port: int, source: str) -> None:
        ec2, group = self.aws.client("ec2"), self.security_group(name)["GroupId"]
        door = [_door(port, {"IpRanges": [{"CidrIp": source}]})]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=door)
        self.taken_back.append(lambda: ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=door))

    def shut(self, name: str, port: int, way: str = "ingress") -> None:
        ec2, group = self.aws.client("ec2"), self.security_group(name)
        key = "IpPermissions" if way == "ingress" else "IpPermissionsEgress"
        [rule_] = [each for each in group[key] if each.get("FromPort") == port]
        getattr(ec2, f"revoke_security_group_{way}")(GroupId=group["GroupId"], IpPermissions=[rule_])
        again = getattr(ec2, f"authorize_security_group_{way}")
        self.taken_back.append(lambda: again(GroupId=group["GroupId"], IpPermissions=[rule_]))

    def move(self, name: str, port: int, to: int) -> None:
        """The rule says another port."""
        group = self.security_group(name)
        [old] = [each for each in group["IpPermissions"] if each.get("FromPort") == port]
        new = {**old, "FromPort": to, "ToPort": to}
        self._replace(group["GroupId"], old, new)
        self.taken_back.append(lambda: self._replace(group["GroupId"], new, old))

    def _replace(self, group: str, old: Any, new: Any) -> None:
        ec2 = self.aws.client("ec2")
        ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[old])
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[new])

    def label(self, identifier: str, key: str, value: str) -> None:
        ec2 = self.aws.client("ec2")
        old = ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [identifier]}])["Tags"]
        before = next(each["Value"] for each in old if each["Key"] == key)
        ec2.create_tags(Resources=[identifier], Tags=[{"Key": key, "Value": value}])
        again = [{"Key": key, "Value": before}]
        self.taken_back.append(lambda: ec2.create_tags(Resources=[identifier], Tags=again))

    def hook(self, pool: str, **changed: Any) -> None:
        scaling, name = self.aws.client("autoscaling"), self.group(pool)["AutoScalingGroupName"]
        [old] = scaling.describe_lifecycle_hooks(AutoScalingGroupName=name)["LifecycleHooks"]
        kept = {each: old[each] for each in ("LifecycleHookName", "LifecycleTransition", "HeartbeatTimeout")}
        kept |= {"AutoScalingGroupName": name, "DefaultResult": old["DefaultResult"]}
        scaling.put_lifecycle_hook(**{**kept, **changed})
        self.taken_back.append(lambda: scaling.put_lifecycle_hook(**kept))


def _door(port: int, source: Mapping[str, Any]) -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **source}


@pytest.fixture(scope="module")
def account(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    pulumi, scratch = tools.path("pulumi"), tmp_path_factory.mktemp("drift")
    with pytest.MonkeyPatch.context() as patched, added_to_moto(Said()), MotoServer(REGION) as moto:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patched.setenv(name, "made-up")
        project = projects.ours(scratch / "made")
        cli = PulumiCli(pulumi, project, scratch / "cli", aws=moto.aws)
        ran = cli.up(STACK, None)
        assert ran.exit_code == 0, ran.output
        state = scratch / "state.json"
        state.write_text(cli.exported(STACK), encoding="utf-8")
        with contextlib.chdir(project):
            program = run_declaring(STACK, None, State(), PATIENCE, lambda text: None)
        yield Account(cli, moto.aws, project, program, state)


@pytest.fixture
def touched(account: Account) -> Iterator[Account]:
    yield account
    while account.taken_back:
        account.taken_back.pop()()
    assert account.drifts() == []


def _data(**said: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data.update(said)


def _guard(data: dict[str, Any], of: str) -> None:
    data["NetworkInterfaces"][0]["Groups"] = [of]


def _disk(**said: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["BlockDeviceMappings"][0]["Ebs"].update(said)


def _imds(**said: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["MetadataOptions"].update(said)


# What somebody does by hand, and of which input of which resource the one finding is.
HANDS: Mapping[str, tuple[Callable[[Account], object], str, str]] = {
    "a size": (lambda it: it.resize("cpu", MaxSize=7), "maxSize", "gpu-ci-cpu"),
    "the least size": (lambda it: it.resize("h100", MinSize=0), "minSize", "gpu-ci-h100"),
    "how many now": (lambda it: it.resize("cpu", DesiredCapacity=3), "desiredCapacity", "gpu-ci-cpu"),
    "another subnet": (
        lambda it: it.resize("a10g", VPCZoneIdentifier=it.subnet("beside")),
        "vpcZoneIdentifiers",
        "gpu-ci-a10g",
    ),
    "a tag of a group": (
        lambda it: it.retag("a10g", "nodeworthy/pool", "t4"),
        "tags[nodeworthy/pool].value",
        "gpu-ci-a10g",
    ),
    "a cluster's tag": (
        lambda it: it.retag("h100", "kubernetes.io/cluster/gpu-ci", "shared"),
        "tags[kubernetes.io/cluster/gpu-ci].value",
        "gpu-ci-h100",
    ),
    "a type": (lambda it: it.rewrite("a10g", _data(InstanceType="g5.xlarge")), "instanceType", "gpu-ci-a10g"),
    "an image": (lambda it: it.rewrite("cpu", _data(ImageId="ami-0123456789abcdef0")), "imageId", "gpu-ci-cpu"),
    "metadata without a token": (
        lambda it: it.rewrite("cpu", _imds(HttpTokens="optional")),
        "metadataOptions.httpTokens",
        "gpu-ci-cpu",
    ),
    "a hop more": (
        lambda it: it.rewrite("h100", _imds(HttpPutResponseHopLimit=3)),
        "metadataOptions.httpPutResponseHopLimit",
        "gpu-ci-h100",
    ),
    "a bare disk": (
        lambda it: it.rewrite("a10g", _disk(Encrypted=False)),
        "blockDeviceMappings[/dev/xvda].ebs.encrypted",
        "gpu-ci-a10g",
    ),
    "a smaller disk": (
        lambda it: it.rewrite("cpu", _disk(VolumeSize=50)),
        "blockDeviceMappings[/dev/xvda].ebs.volumeSize",
        "gpu-ci-cpu",
    ),
    "another kind of disk": (
        lambda it: it.rewrite("h100-profiling", _disk(VolumeType="gp2")),
        "blockDeviceMappings[/dev/xvda].ebs.volumeType",
        "gpu-ci-h100-profiling",
    ),
    "another guard": (
        lambda it: it.rewrite("cpu", _data(SecurityGroupIds=[it.security_group("storage")["GroupId"]])),
        "vpcSecurityGroupIds",
        "gpu-ci-cpu",
    ),
    "one guard less": (
        lambda it: it.rewrite("a10g", lambda data: _guard(data, it.security_group("nodes")["GroupId"])),
        "networkInterfaces[0 0].securityGroups",
        "gpu-ci-a10g",
    ),
    "a door to the world": (lambda it: it.open("nodes", 22, "0.0.0.0/0"), "ingress", "gpu-ci-nodes"),
    "a door that is shut": (lambda it: it.shut("nodes", 10250), "ingress", "gpu-ci-nodes"),
    "a door out that is shut": (lambda it: it.shut("control-plane", 8443, "egress"), "egress", "gpu-ci-control-plane"),
    "another port": (lambda it: it.move("storage", 2049, 2050), "ingress", "gpu-ci-storage"),
    "a tag of a subnet": (
        lambda it: it.label(it.subnet("nodes"), "kubernetes.io/role/internal-elb", "0"),
        "tags.kubernetes.io/role/internal-elb",
        "gpu-ci-nodes",
    ),
    "a tag of a security group": (
        lambda it: it.label(it.security_group("fabric")["GroupId"], "Name", "fabric"),
        "tags.Name",
        "gpu-ci-fabric",
    ),
    "a shorter wait": (lambda it: it.hook("cpu", HeartbeatTimeout=60), "heartbeatTimeout", "gpu-ci-cpu-drain"),
    "another end of the wait": (
        lambda it: it.hook("h100", DefaultResult="ABANDON"),
        "defaultResult",
        "gpu-ci-h100-drain",
    ),
}


# Each takes seconds: every third of them by day, all of them at night.
SOME = [pytest.param(hand, marks=pytest.mark.night if at % 3 else ()) for at, hand in enumerate(HANDS)]


@pytest.mark.parametrize("hand", SOME)
def test_one_change_by_hand_is_one_finding(hand: str, touched: Account) -> None:
    change, path, name = HANDS[hand]
    change(touched)
    [found] = touched.drifts()
    assert found.verdict is Verdict.FAIL
    assert found.message.startswith(f"{path} of ")
    assert f"'{name}'" in found.message
    assert found.is_ != found.should
    assert found.where.path is not None
    assert found.where.line is not None


def test_an_untouched_stack_has_no_difference(account: Account) -> None:
    findings = account.findings()
    assert [each for each in findings if each.verdict is not Verdict.UNKNOWN] == []
    # The cluster and the placement group are made up: there are none in this account.
    assert {each.message.partition("'")[2].partition("'")[0] for each in findings} == {"gpu-ci", "gpu-ci-a10g"}


def test_a_state_says_by_id_what_is_gone_and_what_machines_boot_with(touched: Account) -> None:
    with contextlib.chdir(touched.project):
        program = run_declaring(STACK, None, read_state(str(touched.state)), PATIENCE, lambda text: None)
    before = [each for each in touched.findings(program) if each.is_ != "it is not there"]
    touched.rewrite("cpu", _data(UserData=base64.b64encode(b"#!/bin/bash\nreboot\n").decode()))
    [found] = [each for each in touched.findings(program) if each.is_ != "it is not there"]
    assert before == []
    assert found.message.startswith("userData of LaunchTemplate 'gpu-ci-cpu'")


def test_the_command_runs_the_program_and_tells_its_line(touched: Account) -> None:
    touched.open("nodes", 22, "0.0.0.0/0")
    asked = ("--stack", STACK, "--rule", RULE, "--state", str(touched.state))
    ran = run_json("audit", "--endpoint-url", touched.url, *asked, cwd=touched.project)
    [found] = [each for each in ran.findings if each["is"] == "tcp 22 from 0.0.0.0/0"]
    assert ran.code == 1
    assert found["should"] == "no such rule"
    assert found["where"]["path"].startswith("infra/")


def test_a_program_that_breaks_is_unknown(account: Account, tmp_path: Path) -> None:
    broken = projects.copied(account.project, tmp_path / "broken")
    (broken / "infra" / "__main__.py").write_text("raise RuntimeError('no such fleet')\n", encoding="utf-8")
    ran = run_json("audit", "--endpoint-url", account.url, "--stack", STACK, "--rule", RULE, cwd=broken)
    assert (ran.code, [each["verdict"] for each in ran.findings]) == (3, ["unknown"])
    assert "no such fleet" in ran.err
