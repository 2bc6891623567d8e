"""Instance refreshes of AWS in moto: at each look one machine that is not protected, and not of the wanted version, is ended
and replaced; when none is left, it is over, and the group names that version."""

from __future__ import annotations

from typing import Any

from nodeworthy.documents.plain import at, text_at

WAYS_TO_WAIT = ("ScaleInProtectedInstances", "StandbyInstances")


class Refreshes:
    """Those of one account, the newest first, as AWS describes them."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []

    def start(self, response: Any) -> dict[str, Any]:
        wanted = at(response._get_param("DesiredConfiguration"), "LaunchTemplate")
        preferences = response._get_param("Preferences")
        assert all(text_at(preferences, each) == "Wait" for each in WAYS_TO_WAIT)
        made = {
            "InstanceRefreshId": f"08b9{len(self.said)}",
            "AutoScalingGroupName": response._get_param("AutoScalingGroupName"),
            "Status": "InProgress",
            "PercentageComplete": 0,
            "StartTime": "2026-11-28T12:00:00Z",
            "DesiredConfiguration": {"LaunchTemplate": wanted},
        }
        self.said.insert(0, made)
        return {"InstanceRefreshId": made["InstanceRefreshId"]}

    def cancel(self, response: Any) -> dict[str, Any]:
        name = response._get_param("AutoScalingGroupName")
        [going] = [each for each in self.said if self._is_of(each, name)]
        going["Status"] = "Cancelled"
        return {"InstanceRefreshId": going["InstanceRefreshId"]}

    def described(self, response: Any) -> dict[str, Any]:
        name = response._get_param("AutoScalingGroupName")
        for each in self.said:
            if self._is_of(each, name):
                self._go_on(each, response.autoscaling_backend)
        return {"InstanceRefreshes": [each for each in self.said if each["AutoScalingGroupName"] == name]}

    def _is_of(self, refresh: dict[str, Any], group: str) -> bool:
        return bool(refresh["AutoScalingGroupName"] == group and refresh["Status"] == "InProgress")

    def _go_on(self, refresh: dict[str, Any], backend: Any) -> None:
        group = backend.autoscaling_groups[refresh["AutoScalingGroupName"]]
        version = str(refresh["DesiredConfiguration"]["LaunchTemplate"]["Version"])
        old = [each for each in group.instance_states if str(each.started_from) != version]
        bare = next((each for each in old if not each.protected_from_scale_in), None)
        if bare is not None:
            backend.terminate_instance(bare.instance_id, False)
        elif not old:
            refresh["Status"] = "Successful"
            group.launch_template_version = group.provided_launch_template_version = version
