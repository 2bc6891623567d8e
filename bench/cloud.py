"""An account with as many machines as one likes, as an audit records it: pages of a thousand."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

from bench.measure import nodeworthy_cpu_ms

STOCK = Path(__file__).resolve().parents[1] / "tests" / "cases" / "_base" / "cloud-gpu-dev" / "aws"
REGION = "us-east-2"
MACHINES = 5_000
IN_A_GROUP, ON_A_PAGE, VOLUMES_AT_ONCE = 100, 1000, 200
NAME = "gpu-dev-t4"
OF_EACH_GROUP = ("DescribeScalingActivities", "DescribeInstanceRefreshes", "DescribeLifecycleHooks")


def audit_ms(folder: Path, machines: int) -> float:
    """What it computes itself: how fast AWS turns its pages is not ours."""
    record(folder / "aws", machines)
    return nodeworthy_cpu_ms("audit", "--from", "aws", "--quiet", cwd=folder, exits=(0,), times=1)


def record(into: Path, machines: int) -> None:
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(STOCK, into)
    account = _Account(into / REGION)
    numbers = [range(first, min(first + IN_A_GROUP, machines)) for first in range(0, machines, IN_A_GROUP)]
    account.write("autoscaling.DescribeAutoScalingGroups", "AutoScalingGroups", map(account.group, numbers), 100)
    every = list(range(machines))
    account.write("ec2.DescribeInstances", "Reservations", map(account.reservation, every), ON_A_PAGE)
    account.write("ec2.DescribeInstanceStatus", "InstanceStatuses", map(account.status, every), ON_A_PAGE)
    account.write_volumes(machines)
    account.write_each_group(numbers)


class _Account:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._group = self._first("autoscaling.DescribeAutoScalingGroups", "AutoScalingGroups")
        self._machine = self._first("ec2.DescribeInstances", "Reservations")["Instances"][0]
        self._status = self._first("ec2.DescribeInstanceStatus", "InstanceStatuses")
        self._volume = self._first("ec2.DescribeVolumes", "Volumes")

    def _calls(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((self._folder / f"{name}.json").read_text(encoding="utf-8"))["calls"]
        return found

    def _first(self, name: str, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self._calls(name)[0]["pages"][0][key][0]
        return found

    def _keep(self, name: str, calls: list[dict[str, Any]]) -> None:
        (self._folder / f"{name}.json").write_text(json.dumps({"calls": calls}), encoding="utf-8")

    def write(self, name: str, key: str, items: Any, on_a_page: int) -> None:
        every = list(items)
        pages = [{key: every[at : at + on_a_page]} for at in range(0, len(every), on_a_page)]
        self._keep(name, [{"arguments": {}, "pages": pages}])

    def group(self, numbers: range) -> dict[str, Any]:
        made, name = deepcopy(self._group), _name(numbers)
        made["AutoScalingGroupName"], made["AutoScalingGroupARN"] = name, f"{made['AutoScalingGroupARN']}-{name}"
        made["Instances"] = [{**made["Instances"][0], "InstanceId": _machine(number)} for number in numbers]
        return {**made, **dict.fromkeys(("MinSize", "MaxSize", "DesiredCapacity"), len(numbers))}

    def reservation(self, number: int) -> dict[str, Any]:
        made = deepcopy(self._machine)
        made["InstanceId"] = _machine(number)
        made["BlockDeviceMappings"][0]["Ebs"]["VolumeId"] = _volume(number)
        return {"ReservationId": f"r-{number:017x}", "Instances": [made]}

    def status(self, number: int) -> dict[str, Any]:
        return {**self._status, "InstanceId": _machine(number)}

    def write_volumes(self, machines: int) -> None:
        names = sorted(map(_volume, range(machines)))
        parts = [names[at : at + VOLUMES_AT_ONCE] for at in range(0, machines, VOLUMES_AT_ONCE)]
        calls = [
            {
                "arguments": {"Filters": [{"Name": "volume-id", "Values": part}]},
                "pages": [{"Volumes": [{**self._volume, "VolumeId": each} for each in part]}],
            }
            for part in parts
        ]
        self._keep("ec2.DescribeVolumes", calls)

    def write_each_group(self, numbers: list[range]) -> None:
        for each in OF_EACH_GROUP:
            [call] = self._calls(f"autoscaling.{each}")
            calls = [{**call, "arguments": {"AutoScalingGroupName": _name(some)}} for some in numbers]
            self._keep(f"autoscaling.{each}", calls)
        [data] = self._calls("ec2.DescribeInstanceAttribute")
        first = [{**data, "arguments": {"InstanceId": _machine(some[0])}} for some in numbers]
        self._keep("ec2.DescribeInstanceAttribute", first)
        quota = self._calls("service-quotas.ListServiceQuotas")
        quota[0]["pages"][0]["Quotas"][0]["Value"] = 1e9
        self._keep("service-quotas.ListServiceQuotas", quota)


def _name(numbers: range) -> str:
    return f"{NAME}-{numbers[0]}"


def _machine(number: int) -> str:
    return f"i-{number:017x}"


def _volume(number: int) -> str:
    return f"vol-{number:017x}"
