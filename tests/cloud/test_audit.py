"""`nodeworthy audit` on recorded answers: what it is told, what it makes of a refusal, and what it refuses itself."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.cloud import record
from nodeworthy.collect.cloud.answers import Page, RegionAnswers
from nodeworthy.collect.cloud.calls import EVERY, Call
from nodeworthy.collect.cloud.recording import Recorded
from nodeworthy.collect.cloud.region import Region
from nodeworthy.collect.cloud.scenes import Wanted, look
from tests.architecture.tree import ROOT
from tests.case_files import CASES
from tests.cloud.recordings import REGION, STOCK, change, edit, file_of, managed_by_eks, refuse, stock
from tests.run import run, run_json

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
# A right, and the rules that are unknown without it.
ROW = re.compile(r"^\| `(?P<action>\w+:\w+)` \| (?P<rules>.*) \|$", re.MULTILINE)
GROUP = {"AutoScalingGroupName": "gpu-dev-t4"}
# Of most rules a script or a template is all that they are about: they are not listed one by one.
OF_TEMPLATES = "what is about launch templates and boot scripts"


def rules_of(action: str) -> str:
    return {found["action"]: found["rules"] for found in ROW.finditer(PAGE)}[action]


def unknown(findings: list[dict[str, Any]]) -> set[str]:
    return {each["rule"] for each in findings if each["verdict"] == "unknown"}


def template(**more: Any) -> Callable[[Path], None]:
    """The launch template says this, too."""

    def said(recording: Path) -> None:
        path = file_of(recording, "ec2", "DescribeLaunchTemplateVersions")
        calls = json.loads(path.read_text(encoding="utf-8"))["calls"]
        for each in calls:
            each["pages"][0]["LaunchTemplateVersions"][0]["LaunchTemplateData"].update(more)
        change(recording, "ec2", "DescribeLaunchTemplateVersions", calls)

    return said


def renewed(recording: Path) -> None:
    """An instance refresh went well once."""
    done = {"InstanceRefreshId": "1", **GROUP, "Status": "Successful", "PercentageComplete": 100, "Preferences": {}}
    pages = [{"InstanceRefreshes": [done]}]
    change(recording, "autoscaling", "DescribeInstanceRefreshes", [{"arguments": GROUP, "pages": pages}])


def as_it_is(_: Path) -> None:
    """Nothing is said beside the stock account."""


RESERVED = {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}}
ENDING_BLOCK = (
    CASES / "capacity-lasts" / "bad-block-ends-today" / "aws" / REGION / "ec2.DescribeCapacityReservations.json"
)


def in_a_block(recording: Path) -> None:
    """It runs in a capacity block that ends today."""
    in_block = {"MarketType": "capacity-block"}
    template(CapacityReservationSpecification=RESERVED, InstanceMarketOptions=in_block)(recording)
    shutil.copy(ENDING_BLOCK, file_of(recording, "ec2", "DescribeCapacityReservations"))


BARE = [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 200}}]
# No machine has such a volume yet.
SECOND = [{"DeviceName": "/dev/xvdb", "Ebs": {"VolumeSize": 500}}]
# Where the stock account has nothing of which a call would tell.
WITH: Mapping[str, Callable[[Path], None]] = {
    "autoscaling:DescribeLifecycleHooks": renewed,
    "autoscaling:DescribeScheduledActions": in_a_block,
    "ec2:DescribeCapacityReservations": template(CapacityReservationSpecification=RESERVED),
    "ec2:DescribeVolumes": template(BlockDeviceMappings=BARE),
    "ec2:GetEbsEncryptionByDefault": template(BlockDeviceMappings=SECOND),
}
# They are asked only where others lead to them.
LED_TO = {
    "autoscaling:DescribeLaunchConfigurations",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeVpcs",
    "eks:DescribeNodegroup",
    "elasticfilesystem:DescribeFileSystems",
    "events:ListRules",
    "events:ListTargetsByRule",
    "sts:GetCallerIdentity",
}


def test_the_stock_account_is_well(tmp_path: Path) -> None:
    stock(tmp_path)
    ran = run_json("audit", "--from", "aws", "--strict", cwd=tmp_path)
    assert (ran.code, ran.findings) == (0, [])
    assert ran.report["moment"] == "cloud"
    assert ran.report["evaluated"] == {**ran.report["evaluated"], "groups": 1, "machines": 2}
    assert ran.report["summary"]["pass"] > 20


def test_the_page_names_every_right() -> None:
    assert {found["action"] for found in ROW.finditer(PAGE)} == {each.action for each in EVERY}


@pytest.mark.parametrize("call", EVERY, ids=lambda call: call.action)
def test_a_refused_call_makes_exactly_its_rules_unknown(call: Call, tmp_path: Path) -> None:
    recording = stock(tmp_path)
    WITH.get(call.action, as_it_is)(recording)
    if not refuse(recording, call.service, call.operation) or call.action in LED_TO:
        assert call.action in LED_TO
        return
    ran = run_json("audit", "--from", "aws", "--strict", cwd=tmp_path)
    found = unknown(ran.findings)
    assert ran.code == 3
    assert {each["verdict"] for each in ran.findings} == {"unknown"}
    expected = rules_of(call.action)
    if OF_TEMPLATES in expected:
        assert {"profiling-before-driver", "nodes-current", "instance-metadata-guarded"} <= found
    else:
        assert found == set(re.findall(r"`([\w-]+)`", expected))
    assert all(call.action in each["message"] for each in ran.findings)


def test_the_policy_allows_what_is_asked_and_nothing_that_changes() -> None:
    ran = run("audit", "--print-policy")
    [statement] = json.loads(ran.out)["Statement"]
    assert ran.code == 0
    assert statement["Action"] == sorted(each.action for each in EVERY)
    assert all(re.search(r":(Describe|Get|List)", each) for each in statement["Action"])


def test_every_call_is_one_of_aws(tmp_path: Path) -> None:
    """By the models of botocore: the operation, its arguments, and where its answer has what is asked for."""
    import botocore.session

    session: Any = botocore.session.get_session()
    for each in EVERY:
        model = session.get_service_model(each.service).operation_model(each.operation)
        assert each.key in model.output_shape.members, each.action
        assert set(each.fixed) <= set(model.input_shape.members if model.input_shape else ()), each.action


# What is refused before anybody is asked


def test_a_stack_of_another_account_ends_the_run(tmp_path: Path) -> None:
    stock(tmp_path)
    config = "config:\n  aws:allowedAccountIds: ['999988887777']\n  nodeworthy:fleet:\n"
    fleet = "    cluster: {name: gpu-dev}\n    pools:\n      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 2}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(config + fleet, encoding="utf-8")
    ran = run("audit", "--from", "aws", "--stack", "dev", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "account 111122223333" in ran.err
    assert "Pulumi.dev.yaml is for 999988887777" in ran.err


def test_the_fleet_of_a_stack_is_judged_by(tmp_path: Path) -> None:
    stock(tmp_path)
    config = "config:\n  aws:allowedAccountIds: '[\"111122223333\"]'\n  nodeworthy:fleet:\n"
    fleet = "    cluster: {name: gpu-dev}\n    pools:\n      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 3}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(config + fleet, encoding="utf-8")
    ran = run_json("audit", "--from", "aws", "--stack", "dev", "--rule", "pool-size-fixed", cwd=tmp_path)
    [found] = ran.findings
    assert (ran.code, found["is"], found["should"]) == (1, "2", "3")
    assert found["where"]["urn"].endswith(":autoScalingGroupName/gpu-dev-t4")
    assert found["related"][0]["path"] == "Pulumi.dev.yaml"


def test_nodes_of_other_clusters_are_left_out_and_said(tmp_path: Path) -> None:
    stock(tmp_path)
    fleet = "    cluster: {name: another}\n    pools:\n      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 3}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(f"config:\n  nodeworthy:fleet:\n{fleet}", encoding="utf-8")
    ran = run("audit", "--from", "aws", "--stack", "dev", cwd=tmp_path)
    assert ran.code == 3
    assert "0 groups of nodes" in ran.out
    assert "1 more is of another cluster" in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from", "nowhere"], "no such folder"),
        (["--from", "."], "it is no recording of `audit --record`"),
        (["--from", "aws", "--region", "us-east-1"], "--region is for an account; --from asks none"),
        (["--from", "aws", "--pool", "h100"], "--pool h100: no group of nodes is of that name; there is gpu-dev-t4"),
        (["--from", "aws", "--rule", "nodes-curent"], "did you mean nodes-current?"),
        (["--from", "aws", "--stack", "prod"], "there is no stack 'prod'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], says: str, tmp_path: Path) -> None:
    stock(tmp_path)
    ran = run("audit", *arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


@pytest.mark.parametrize("pool", [[], ["--pool", "t4"]], ids=["whole", "pool"])
def test_which_groups_there_are_is_not_known_and_nobody_says_that_there_are_none(
    pool: list[str], tmp_path: Path
) -> None:
    assert refuse(stock(tmp_path), "autoscaling", "DescribeAutoScalingGroups")
    ran = run("audit", "--from", "aws", *pool, cwd=tmp_path)
    assert ran.code == 3
    assert "0 groups of nodes, 0 machines; which there are is not known: AWS does not answer" in ran.out
    assert "nothing here starts nodes" not in ran.out


@pytest.mark.parametrize("text", ["{", "[]", '{"calls": 3'])
def test_a_recording_that_can_not_be_read_is_refused_with_its_file(text: str, tmp_path: Path) -> None:
    file_of(stock(tmp_path), "ec2", "DescribeInstances").write_text(text, encoding="utf-8")
    ran = run("audit", "--from", "aws", cwd=tmp_path)
    assert ran.code == 2
    assert f"aws/{REGION}/ec2.DescribeInstances.json" in ran.err


def test_a_file_that_nobody_asks_for_is_refused(tmp_path: Path) -> None:
    (stock(tmp_path) / REGION / "ec2.DescribeInstance.json").write_text("{}", encoding="utf-8")
    ran = run("audit", "--from", "aws", cwd=tmp_path)
    assert ran.code == 2
    assert "it is no call that an audit makes" in ran.err


def test_a_pool_is_looked_at_alone(tmp_path: Path) -> None:
    stock(tmp_path)
    ran = run_json("audit", "--from", "aws", "--pool", "t4", cwd=tmp_path)
    assert ran.code == 0
    assert ran.report["evaluated"]["groups"] == 1


def test_an_account_without_nodes_proves_nothing(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    change(
        recording,
        "autoscaling",
        "DescribeAutoScalingGroups",
        [{"arguments": {}, "pages": [{"AutoScalingGroups": []}]}],
    )
    change(recording, "eks", "ListClusters", [{"arguments": {}, "pages": [{"clusters": []}]}])
    ran = run("audit", "--from", "aws", cwd=tmp_path)
    assert ran.code == 3
    assert "nothing here starts nodes of a cluster" in ran.out


def test_the_stock_recording_is_there() -> None:
    assert (STOCK / REGION / "audit.json").exists()


def test_machines_in_no_group_are_said_not_to_be_looked_at(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    path = file_of(recording, "ec2", "DescribeInstances")
    calls = json.loads(path.read_text(encoding="utf-8"))["calls"]
    [first, _] = calls[0]["pages"][0]["Reservations"][0]["Instances"]
    tags = [
        {"Key": "eks:eks-cluster-name", "Value": "gpu-dev"},
        {"Key": "kubernetes.io/cluster/gpu-dev", "Value": "owned"},
    ]
    alone = {**first, "InstanceId": "i-0karpenter", "Tags": tags}
    calls[0]["pages"][0]["Reservations"].append({"ReservationId": "r-2", "Instances": [alone]})
    change(recording, "ec2", "DescribeInstances", calls)
    ran = run_json("audit", "--from", "aws", cwd=tmp_path)
    [found] = ran.findings
    assert (ran.code, found["rule"], found["verdict"]) == (3, "looked-at", "unknown")
    assert "i-0karpenter" in found["message"]


def test_what_cases_record_is_what_aws_prints() -> None:
    """By the models of botocore: each member of each answer is there, and is of its type."""
    import botocore.session

    session: Any = botocore.session.get_session()
    seen = 0
    for path in sorted(CASES.rglob(f"aws/{REGION}/*.json")):
        if path.name != "audit.json":
            service, operation, _ = path.name.split(".")
            model = session.get_service_model(service).operation_model(operation)
            for call in json.loads(path.read_text(encoding="utf-8"))["calls"]:
                assert set(call["arguments"]) <= set(model.input_shape.members), path
                for page in call.get("pages", ()):
                    seen += 1
                    assert list(strange(model.output_shape, page, operation)) == [], path
    assert seen > 80


def strange(shape: Any, said: Any, where: str) -> Iterator[str]:
    """What AWS would not print."""
    kinds: dict[str, type[Any]] = {
        "structure": dict,
        "list": list,
        "map": dict,
        "boolean": bool,
        "integer": int,
        "long": int,
        "string": str,
    }
    kinds |= {"timestamp": str, "double": float, "float": float}
    if not isinstance(said, kinds[shape.type_name]):
        yield f"{where} is no {shape.type_name}"
    elif shape.type_name == "list":
        for each in said:
            yield from strange(shape.member, each, where)
    elif shape.type_name == "structure":
        for name, each in said.items():
            if name not in shape.members:
                yield f"{where} has no {name}"
            else:
                yield from strange(shape.members[name], each, f"{where}.{name}")


class Counted:
    """How often a recording is asked."""

    def __init__(self, source: Recorded) -> None:
        self._source = source
        self.region, self.account, self.seen_at = source.region, source.account, source.seen_at
        self.calls = 0

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        self.calls += 1
        return self._source.pages(call, arguments)


def test_calls_do_not_grow_with_machines(tmp_path: Path) -> None:
    """But by the pages of what they mount: two hundred volumes a call."""
    asked: list[int] = []
    for machines in (50, 100):
        record(tmp_path / "aws", machines)
        counted = Counted(Recorded(tmp_path / "aws" / REGION))
        looked = look(Region(RegionAnswers(counted)), Wanted(None, "none was named"))
        assert looked.machines == machines
        asked.append(counted.calls)
    assert asked[0] == asked[1] > 20


BY_PARAMETER = "resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"


def test_an_image_by_its_parameter_is_the_one_that_stands_there_now(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    template(ImageId=BY_PARAMETER)(recording)
    ran = run_json("audit", "--from", "aws", "--rule", "nodes-current", "--strict", cwd=tmp_path)
    assert (ran.code, ran.findings) == (0, [])


def test_a_parameter_that_moved_on_is_a_warning(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    template(ImageId=BY_PARAMETER)(recording)
    path = file_of(recording, "ssm", "GetParameter")
    path.write_text(path.read_text(encoding="utf-8").replace("ami-0a10b20c30d40e50f", "ami-0f90e80d70c60b50a"))
    ran = run_json("audit", "--from", "aws", "--rule", "nodes-current", cwd=tmp_path)
    [found] = ran.findings
    assert (ran.code, found["severity"]) == (0, "warning")
    assert found["is"] == "image ami-0a10b20c30d40e50f"
    assert found["should"] == "image: ami-0f90e80d70c60b50a"


def test_a_parameter_that_nobody_may_read_leaves_the_image_unknown(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    template(ImageId=BY_PARAMETER)(recording)
    refuse(recording, "ssm", "GetParameter")
    ran = run_json("audit", "--from", "aws", "--rule", "nodes-current", cwd=tmp_path)
    [found] = ran.findings
    assert (ran.code, found["verdict"]) == (3, "unknown")
    assert found["message"] == "AWS does not answer ssm:GetParameter: AccessDenied"


def test_a_secret_that_was_taken_out_of_a_recording_is_found_all_the_same(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    script = "#!/bin/bash\nexport HF_TOKEN=(secret)\n"
    template(UserData=base64.b64encode(script.encode()).decode())(recording)
    ran = run_json("audit", "--from", "aws", "--rule", "no-secret-in-plain-sight", cwd=tmp_path)
    [found] = ran.findings
    assert (ran.code, found["verdict"]) == (1, "fail")
    assert found["where"]["urn"].endswith(" version 3")


# What AWS prints of fleets that others made


def reserved(kind: str = "default") -> list[dict[str, Any]]:
    said = json.loads(ENDING_BLOCK.read_text(encoding="utf-8"))
    said["calls"][0]["pages"][0]["CapacityReservations"][0]["ReservationType"] = kind
    calls: list[dict[str, Any]] = said["calls"]
    return calls


def in_a_reservation_by_its_machines(recording: Path) -> None:
    """Whatever is open takes machines that ask for none."""

    def said(page: dict[str, Any]) -> None:
        page["Reservations"][0]["Instances"][0]["CapacityReservationId"] = "cr-0123456789abcdef0"

    edit(recording, "ec2", "DescribeInstances", said)
    change(recording, "ec2", "DescribeCapacityReservations", reserved())


def in_a_reservation_by_the_groups_word(recording: Path) -> None:
    def said(page: dict[str, Any]) -> None:
        target = {"CapacityReservationIds": ["cr-0123456789abcdef0"]}
        page["AutoScalingGroups"][0]["CapacityReservationSpecification"] = {"CapacityReservationTarget": target}

    edit(recording, "autoscaling", "DescribeAutoScalingGroups", said)
    change(recording, "ec2", "DescribeCapacityReservations", reserved())


@pytest.mark.parametrize("there", [in_a_reservation_by_its_machines, in_a_reservation_by_the_groups_word])
def test_a_reservation_that_no_template_names(there: Callable[[Path], None], tmp_path: Path) -> None:
    there(stock(tmp_path))
    [found] = run_json("audit", "--from", "aws", "--rule", "capacity-lasts", "--strict", cwd=tmp_path).findings
    assert found["message"] == "the reservation cr-0123456789abcdef0 of Group 'gpu-dev-t4' ends in 11 hours"


def test_a_managed_group_is_judged_by_what_eks_made_for_it(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    managed_by_eks(recording)
    template(BlockDeviceMappings=BARE)(recording)
    ran = run_json("audit", "--from", "aws", "--strict", "--show-passed", cwd=tmp_path)
    told = {each["rule"] for each in ran.findings if each["verdict"] == "pass"}
    assert (ran.code, {"disks-encrypted", "profiling-before-driver", "instance-metadata-guarded"} - told) == (0, set())
