"""The auto scaling group of a rollout: what AWS says of it, and the few calls that change it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from nodeworthy.boot.unpack.packed_text import unpack_text
from nodeworthy.collect.cloud import calls
from nodeworthy.collect.cloud.answers import AwsRefusal
from nodeworthy.collect.cloud.live import Live
from nodeworthy.collect.cloud.region import Version, members, version_of
from nodeworthy.documents.plain import at, mappings_at, number_at, text_at
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.aws.script_changes import first_change
from nodeworthy.rollout.acts import DONE, Outcome
from nodeworthy.rollout.world import GroupState, Machine

# What a rollout may change, and nothing else.
WRITES: Final = (
    "CancelInstanceRefresh",
    "CompleteLifecycleAction",
    "SetInstanceProtection",
    "StartInstanceRefresh",
    "SuspendProcesses",
    "ResumeProcesses",
    "TerminateInstanceInAutoScalingGroup",
    "UpdateAutoScalingGroup",
)
_PROTECTED_AT_ONCE = 50
_GOING_ON = frozenset("Pending InProgress Cancelling RollbackInProgress Baking".split())
# What AWS says where it has too much to do, and what botocore says where an answer did not come whole.
_LATER = frozenset(
    "Throttling ThrottlingException TooManyRequestsException RequestLimitExceeded ScalingActivityInProgress "
    "ResourceContention InternalFailure InternalError ServiceUnavailable Unavailable RequestTimeout ReadTimeoutError "
    "HTTPClientError ProxyConnectionError ResponseParserError SSLError".split()
)
Data = Mapping[str, Any]


class Writing(Live):
    """An account in which something may be changed."""

    def change(self, service: str, operation: str, arguments: Mapping[str, Any]) -> None:
        """Raises AwsRefusal, or CouldNotLook where nobody knows whether it was done."""
        name = importlib.import_module("botocore").xform_name(operation)
        self.answer(service, operation, lambda client: getattr(client, name)(**arguments))


class ScalingGroup:
    """One group, asked and changed."""

    def __init__(self, live: Writing, name: str) -> None:
        self._live = live
        self.name = name
        self._differs: dict[str, str] = {}

    # Looking

    def look(self) -> tuple[GroupState, Sequence[Machine]]:
        data = self.data()
        named = version_of(data)
        version = self._version(named) if named is not None else {}
        number = str(at(version, "VersionNumber") or "")
        group = GroupState(
            self.name,
            number_at(data, "DesiredCapacity") or 0,
            number_at(data, "MinSize") or 0,
            number_at(data, "MaxSize") or 0,
            named.named if named is not None else "",
            number,
            named.template if named is not None else "",
            frozenset(text_at(each, "ProcessName") for each in mappings_at(data, "SuspendedProcesses")),
            self._failed_launches(),
            *self._refreshes(),
        )
        return group, [_machine(identifier, each) for identifier, each in members(data)]

    def data(self) -> Data:
        found = self._all(calls.SCALING_GROUPS, AutoScalingGroupNames=[self.name])
        if not found:
            raise InputError(f"there is no auto scaling group {self.name} in {self._live.region}")
        return found[0]

    def newest(self) -> str:
        """The number of the newest version of its template; empty where it has none."""
        named = version_of(self.data())
        version = self._version(replace(named, named="$Latest")) if named is not None else {}
        return str(at(version, "VersionNumber") or "")

    def difference(self, machine: str, named: Version) -> str:
        """Why a machine is not what its group would start now, looked at once; empty where it is."""
        if machine not in self._differs:
            self._differs[machine] = self._difference(machine, named)
        return self._differs[machine]

    def _difference(self, machine: str, named: Version) -> str:
        own = next(iter(self._pages(calls.USER_DATA, InstanceId=machine)), {})
        is_ = unpack_text(text_at(own, "UserData", "Value")) or ""
        should = unpack_text(text_at(self._version(named), "LaunchTemplateData", "UserData")) or ""
        return "" if is_ == should else f"boot script: {first_change(is_, should).is_}"

    def _version(self, named: Version) -> Data:
        found = self._all(calls.TEMPLATE_VERSIONS, LaunchTemplateId=named.template, Versions=[named.named])
        return found[0] if found else {}

    def _failed_launches(self) -> Sequence[tuple[str, str]]:
        try:
            found = self._all(calls.ACTIVITIES, AutoScalingGroupName=self.name)
        except AwsRefusal:
            return ()  # it says why a launch failed, and decides nothing
        failed = (each for each in found if text_at(each, "StatusCode") == "Failed")
        return [(text_at(each, "StartTime"), text_at(each, "StatusMessage")) for each in failed][:5]

    def _refreshes(self) -> tuple[str, bool, Mapping[str, str]]:
        """The one that is under way, whether it is being cancelled, and how the others ended."""
        found = self._all(calls.REFRESHES, AutoScalingGroupName=self.name)
        states = {text_at(each, "InstanceRefreshId"): each for each in found}
        under_way = next((name for name, each in states.items() if text_at(each, "Status") in _GOING_ON), "")
        is_cancelling = text_at(states.get(under_way), "Status") == "Cancelling"
        return under_way, is_cancelling, {name: _ended(each) for name, each in states.items() if name != under_way}

    def _all(self, call: calls.Call, **arguments: Any) -> Sequence[Data]:
        return [one for page in self._pages(call, **arguments) for one in mappings_at(page, call.key)]

    def _pages(self, call: calls.Call, **arguments: Any) -> Sequence[Data]:
        try:
            return self._live.pages(call, arguments)
        except AwsRefusal as refused:
            if call is calls.ACTIVITIES:
                raise
            raise CouldNotLook(f"AWS does not answer {call.action}: {refused.code}: {refused.message}") from None

    # Acting

    def suspend(self, process: str) -> Outcome:
        return self._done("SuspendProcesses", ScalingProcesses=[process])

    def resume(self, process: str) -> Outcome:
        return self._done("ResumeProcesses", ScalingProcesses=[process])

    def resize(self, desired: int, largest: int) -> Outcome:
        return self._done("UpdateAutoScalingGroup", DesiredCapacity=desired, MaxSize=largest)

    def bound(self, largest: int) -> Outcome:
        return self._done("UpdateAutoScalingGroup", MaxSize=largest)

    def protect(self, machines: Sequence[str], *, is_on: bool) -> Outcome:
        for first in range(0, len(machines), _PROTECTED_AT_ONCE):
            part = list(machines[first : first + _PROTECTED_AT_ONCE])
            outcome = self._done("SetInstanceProtection", InstanceIds=part, ProtectedFromScaleIn=is_on)
            if not outcome.is_done:
                return outcome
        return DONE

    def start_refresh(self, version: str, least_healthy: int, *, rolls_back: bool) -> Outcome:
        named = version_of(self.data())
        if named is None:
            return Outcome(is_done=False, why=f"{self.name} has no launch template")
        preferences = {
            "MinHealthyPercentage": least_healthy,
            "SkipMatching": True,
            "ScaleInProtectedInstances": "Wait",
            "StandbyInstances": "Wait",
            "AutoRollback": rolls_back,
        }
        template = {"LaunchTemplateId": named.template, "Version": version}
        return self._done(
            "StartInstanceRefresh",
            Strategy="Rolling",
            DesiredConfiguration={"LaunchTemplate": template},
            Preferences=preferences,
        )

    def cancel_refresh(self) -> Outcome:
        """Cancels the instance refresh. It is no fault if none is active any more."""
        outcome = self._done("CancelInstanceRefresh")
        return DONE if "ActiveInstanceRefreshNotFound" in outcome.why else outcome

    def pin(self, version: str) -> Outcome:
        named = version_of(self.data())
        if named is None:
            return Outcome(is_done=False, why=f"{self.name} has no launch template")
        template = {"LaunchTemplateId": named.template, "Version": version}
        return self._done("UpdateAutoScalingGroup", LaunchTemplate=template)

    def terminate(self, machine: str, *, shrinks: bool) -> Outcome:
        """Ends a machine that is still there: nobody is ended twice."""
        there = {identifier for identifier, each in members(self.data()) if _machine(identifier, each).is_there}
        if machine not in there:
            return DONE
        arguments = {"InstanceId": machine, "ShouldDecrementDesiredCapacity": shrinks}
        return self._answered("TerminateInstanceInAutoScalingGroup", arguments)

    def complete(self, machine: str) -> Outcome:
        """Every hook of the end: the machine waits at one of them, and AWS does not say at which."""
        hooks = self._all(calls.HOOKS, AutoScalingGroupName=self.name)
        outcome = DONE
        for each in hooks:
            if text_at(each, "LifecycleTransition") != "autoscaling:EC2_INSTANCE_TERMINATING":
                continue
            hook = text_at(each, "LifecycleHookName")
            arguments = {"LifecycleHookName": hook, "InstanceId": machine, "LifecycleActionResult": "CONTINUE"}
            outcome = self._done("CompleteLifecycleAction", **arguments)
        return outcome

    def _done(self, operation: str, **arguments: Any) -> Outcome:
        return self._answered(operation, {"AutoScalingGroupName": self.name, **arguments})

    def _answered(self, operation: str, arguments: Mapping[str, Any]) -> Outcome:
        assert operation in WRITES
        try:
            self._live.change("autoscaling", operation, arguments)
        except AwsRefusal as refused:
            why = f"AWS refuses autoscaling:{operation}: {refused.code}: {refused.message}"
            return Outcome(is_done=False, why=why, later=refused.code in _LATER)
        return DONE


def _ended(refresh: Data) -> str:
    reason = text_at(refresh, "StatusReason")
    return f"{text_at(refresh, 'Status')}{f': {reason}' if reason else ''}"


def _machine(identifier: str, data: Data) -> Machine:
    return Machine(
        identifier,
        text_at(data, "LifecycleState"),
        text_at(data, "LaunchTemplate", "Version"),
        data.get("ProtectedFromScaleIn") is True,
        text_at(data, "HealthStatus") in ("", "Healthy", "HEALTHY"),
        text_at(data, "AvailabilityZone"),
    )
