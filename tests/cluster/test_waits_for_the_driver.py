"""A toolkit that waits for its driver: the driver is the cause, however right the toolkit's paths are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import incident
from tests.cluster.objects import Object, crash_looping, creating, daemonset, node, pod
from tests.run import Ran, run_json

DRIVER = "nvidia-driver-daemonset"


def waiting(since: str) -> Object:
    started = {"type": "PodReadyToStartContainers", "status": "True", "lastTransitionTime": since}
    return {
        "conditions": [started, {"type": "Ready", "status": "False", "lastTransitionTime": since}],
        "initContainerStatuses": [
            {"name": "driver-validation", "ready": False, "restartCount": 0, "state": {"running": {"startedAt": since}}}
        ],
        "containerStatuses": [
            {
                "name": "nvidia-container-toolkit-ctr",
                "ready": False,
                "restartCount": 0,
                "state": {"waiting": {"reason": "PodInitializing"}},
            }
        ],
        "phase": "Pending",
    }


def diagnose(folder: Path, pods: list[Object], since: str, *, events: bool = True) -> Ran:
    kinds = incident.incident()
    kinds["daemonsets"] = [daemonset(incident.BASE_DIR)]
    kinds["nodes"] = [node()]
    textgen = pod("gpu-textgen", "default", runtimeClassName="nvidia", status=creating("textgen"))
    kinds["pods"] = [incident.toolkit_pod(status=waiting(since)), textgen, *pods]
    kinds["events"] = kinds["events"] if events else []
    incident.write(folder / "dump", kinds, incident.FLEET)
    return run_json("diagnose", "--from", "dump", "--fleet", "Pulumi.onprem.yaml", cwd=folder)


@pytest.mark.parametrize("events", [True, False])
def test_the_driver_crashes(tmp_path: Path, *, events: bool) -> None:
    driver = pod(f"{DRIVER}-q8z4t", daemonset=DRIVER, status=crash_looping("nvidia-driver-ctr", 41))
    driver["status"]["containerStatuses"][0]["lastState"]["terminated"]["message"] = (
        "Could not resolve Linux kernel version"
    )
    (found,) = diagnose(tmp_path, [driver], "2025-09-28T01:10:00Z", events=events).findings
    assert (found["rule"], found["message"].split(" on ")[0]) == (
        "toolkit-reaches-containerd",
        "the toolkit waits for the driver",
    )
    assert f"{DRIVER}-q8z4t is in CrashLoopBackOff after 41 restarts" in found["cause"]
    assert "Could not resolve Linux kernel version" in found["cause"]
    assert "driver.repoConfig" in found["remedy"]
    assert "CONTAINERD_SOCKET" not in found["remedy"]
    assert "Pod/default/gpu-textgen" in found["victims"]


def test_nobody_brings_one(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, [], "2025-09-28T01:10:00Z").findings
    assert "no pod of a driver runs there" in found["cause"]
    assert found["remedy"].endswith("-c driver-validation")


def test_a_driver_may_take_its_time(tmp_path: Path) -> None:
    driver = pod(f"{DRIVER}-q8z4t", daemonset=DRIVER, status=creating("nvidia-driver-ctr"))
    found = diagnose(tmp_path, [driver], "2025-09-28T04:35:00Z", events=False).findings
    assert [(each["rule"], each["verdict"]) for each in found] == [("toolkit-reaches-containerd", "unknown")]
