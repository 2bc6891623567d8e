"""The group as AWS describes it, and the calls that change it: each as botocore's model of AWS takes it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, cast

import botocore.session
import pytest
from botocore.validate import ParamValidator

from nodeworthy.collect.cloud.answers import AwsRefusal
from nodeworthy.collect.cloud.calls import Call
from nodeworthy.collect.cloud.region import Version
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.rollout.acts import Outcome
from nodeworthy.rollout.cloud import WRITES, ScalingGroup, Writing

MODEL: Any = botocore.session.get_session().get_service_model("autoscaling")
SCRIPT, OLD = "#!/bin/bash\necho one\necho two\n", "#!/bin/bash\necho two\n"


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def described() -> dict[str, Any]:
    """What AWS says of a group of two, one of which is going."""
    template = {"LaunchTemplateId": "lt-1", "LaunchTemplateName": "t4", "Version": "3"}
    member = {"AvailabilityZone": "us-east-2a", "HealthStatus": "Healthy", "ProtectedFromScaleIn": False}
    return {
        "AutoScalingGroupName": "t4",
        "MinSize": 1,
        "MaxSize": 2,
        "DesiredCapacity": 2,
        "LaunchTemplate": {**template, "Version": "$Latest"},
        "SuspendedProcesses": [{"ProcessName": "AZRebalance", "SuspensionReason": "User suspended"}],
        "Instances": [
            {**member, "InstanceId": "i-1", "LifecycleState": "InService", "LaunchTemplate": template},
            {**member, "InstanceId": "i-2", "LifecycleState": "Terminating:Wait", "LaunchTemplate": template},
        ],
    }


class Account:
    """Answers as AWS does, and keeps what was to be changed."""

    region = "us-east-2"

    def __init__(self, **other: Any) -> None:
        self.said: dict[str, Any] = {
            "DescribeAutoScalingGroups": {"AutoScalingGroups": [described()]},
            "DescribeLaunchTemplateVersions": {
                "LaunchTemplateVersions": [{"VersionNumber": 4, "LaunchTemplateData": {"UserData": packed(SCRIPT)}}]
            },
            "DescribeScalingActivities": {
                "Activities": [
                    {"StatusCode": "Failed", "StartTime": "2025-10-14T11:00:00Z", "StatusMessage": "no capacity"},
                    {"StatusCode": "Successful", "StartTime": "2025-10-14T10:00:00Z"},
                ]
            },
            "DescribeInstanceRefreshes": {"InstanceRefreshes": [{"InstanceRefreshId": "r-1", "Status": "Successful"}]},
            "DescribeInstanceAttribute": {"UserData": {"Value": packed(SCRIPT)}},
            "DescribeLifecycleHooks": {
                "LifecycleHooks": [
                    {"LifecycleHookName": "drain", "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING"},
                    {"LifecycleHookName": "boot", "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING"},
                ]
            },
            **other,
        }
        self.changed: list[tuple[str, Mapping[str, Any]]] = []
        self.refuses = ""

    def pages(self, call: Call, _: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        said = self.said[call.operation]
        if isinstance(said, Exception):
            raise said
        return [said]

    def change(self, service: str, operation: str, arguments: Mapping[str, Any]) -> None:
        problems = ParamValidator().validate(dict(arguments), MODEL.operation_model(operation).input_shape)
        assert not problems.has_errors(), problems.generate_report()
        assert service == "autoscaling"
        if self.refuses:
            raise AwsRefusal(self.refuses, "not now")
        self.changed.append((operation, arguments))


def group(account: Account) -> ScalingGroup:
    return ScalingGroup(cast(Writing, account), "t4")


def test_a_group_is_read_as_aws_describes_it() -> None:
    seen, machines = group(Account()).look()
    assert (seen.named_version, seen.version, seen.desired, seen.largest) == ("$Latest", "4", 2, 2)
    assert (seen.suspended, seen.refresh) == (frozenset({"AZRebalance"}), "")
    assert seen.failed_launches == [("2025-10-14T11:00:00Z", "no capacity")]
    assert [(each.id, each.version, each.is_there) for each in machines] == [("i-1", "3", True), ("i-2", "3", False)]


def test_the_newest_version_is_a_number() -> None:
    assert group(Account()).newest() == "4"
    account = Account()
    account.said["DescribeAutoScalingGroups"] = {"AutoScalingGroups": [{**described(), "LaunchTemplate": {}}]}
    assert group(account).newest() == ""


def test_a_refresh_that_runs_and_a_group_that_is_not_there() -> None:
    going = {"InstanceRefreshes": [{"InstanceRefreshId": "r-2", "Status": "InProgress"}]}
    assert group(Account(DescribeInstanceRefreshes=going)).look()[0].refresh == "r-2"
    ending = {"InstanceRefreshId": "r-3", "Status": "Cancelling"}
    over = {"InstanceRefreshId": "r-1", "Status": "Failed", "StatusReason": "i-1 was protected for an hour"}
    seen = group(Account(DescribeInstanceRefreshes={"InstanceRefreshes": [ending, over]})).look()[0]
    assert (seen.refresh, seen.is_cancelling) == ("r-3", True)
    assert seen.ended_refreshes == {"r-1": "Failed: i-1 was protected for an hour"}
    with pytest.raises(InputError, match="there is no auto scaling group t4 in us-east-2"):
        group(Account(DescribeAutoScalingGroups={"AutoScalingGroups": []})).look()


def test_what_aws_refuses_to_say_is_not_known() -> None:
    with pytest.raises(CouldNotLook, match="autoscaling:DescribeInstanceRefreshes: AccessDenied"):
        group(Account(DescribeInstanceRefreshes=AwsRefusal("AccessDenied", "no"))).look()
    quiet = group(Account(DescribeScalingActivities=AwsRefusal("AccessDenied", "no"))).look()[0]
    assert quiet.failed_launches == ()


def test_a_fresh_machine_is_looked_into() -> None:
    named = Version("lt-1", "4")
    assert group(Account()).difference("i-1", named) == ""
    other = Account(DescribeInstanceAttribute={"UserData": {"Value": packed(OLD)}})
    assert group(other).difference("i-1", named).startswith("boot script: ")
    assert "echo one" in group(other).difference("i-1", named)


def test_every_call_that_changes_something_is_one_that_aws_takes() -> None:
    account = Account()
    made = group(account)
    done = [
        made.suspend("AZRebalance"),
        made.resume("AZRebalance"),
        made.resize(3, 3),
        made.bound(2),
        made.pin("3"),
        made.protect(["i-1"], is_on=True),
        made.start_refresh("4", 50, rolls_back=False),
        made.cancel_refresh(),
        made.terminate("i-1", shrinks=False),
        made.complete("i-2"),
    ]
    assert all(each.is_done for each in done)
    assert {operation for operation, _ in account.changed} == set(WRITES)
    [begun] = [each for operation, each in account.changed if operation == "StartInstanceRefresh"]
    assert begun["DesiredConfiguration"] == {"LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "4"}}
    assert begun["Preferences"] == {
        "MinHealthyPercentage": 50,
        "SkipMatching": True,
        "ScaleInProtectedInstances": "Wait",
        "StandbyInstances": "Wait",
        "AutoRollback": False,
    }
    pinned = next(each for operation, each in account.changed if "LaunchTemplate" in each)
    assert pinned["LaunchTemplate"] == {"LaunchTemplateId": "lt-1", "Version": "3"}
    [completed] = [each for operation, each in account.changed if operation == "CompleteLifecycleAction"]
    assert (completed["LifecycleHookName"], completed["InstanceId"]) == ("drain", "i-2")


def test_fifty_machines_are_protected_at_once() -> None:
    account = Account()
    assert group(account).protect([f"i-{each}" for each in range(51)], is_on=False).is_done
    assert [len(each["InstanceIds"]) for _, each in account.changed] == [50, 1]
    assert not any(each["ProtectedFromScaleIn"] for _, each in account.changed)
    account.refuses = "AccessDenied"
    assert not group(account).protect(["i-1"], is_on=True).is_done


def test_a_refresh_that_is_over_needs_no_cancelling() -> None:
    account = Account()
    account.refuses = "ActiveInstanceRefreshNotFound"
    assert group(account).cancel_refresh().is_done
    account.refuses = "AccessDenied"
    assert not group(account).cancel_refresh().is_done


@pytest.mark.parametrize("machine", ["i-2", "i-gone"])
def test_nobody_is_ended_twice(machine: str) -> None:
    account = Account()
    assert group(account).terminate(machine, shrinks=False).is_done
    assert account.changed == []


@pytest.mark.parametrize(("code", "later"), [("ThrottlingException", True), ("AccessDenied", False)])
def test_who_is_asked_too_often_is_asked_again_and_who_refuses_is_not(code: str, later: bool) -> None:
    account = Account()
    account.refuses = code
    said = group(account).suspend("AZRebalance")
    assert said == Outcome(is_done=False, why=f"AWS refuses autoscaling:SuspendProcesses: {code}: not now", later=later)
