"""What kubelets say of pods that they do not admit, in their own words, and what is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster import incident
from tests.cluster.objects import NODE, Object, node, pod
from tests.run import run_json

ALLOCATE = "Pod was rejected: Allocate failed due to {}, which is unexpected"
LOST = "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = nvml: GPU is lost"
GONE = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: '
    'dial unix /var/lib/kubelet/device-plugins/nvidia-gpu.sock: connect: connection refused"'
)
CHANGED = (
    "rpc error: code = Unknown desc = invalid allocation request for 'nvidia.com/gpu': unknown device: GPU-8dcd427f"
)
BUSY = "rpc error: code = Internal desc = GPU-3 is in use by another process"
OTHERS = "requested number of devices unavailable for rdma/ib. Requested: 1, Available: 0"
UNHEALTHY = "no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu"
OUT_OF = "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 4, used: 8, capacity: 8"
FAR = "Pod was rejected: Resources cannot be allocated with Topology locality"


def refused(message: str, reason: str = "UnexpectedAdmissionError") -> Object:
    status = {"message": message, "phase": "Failed", "reason": reason, "startTime": "2025-09-28T04:00:00Z"}
    made = pod("train-0", "research", status=status)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "4"}}
    return made


def told(folder: Path, one: Object, allocatable: str = "8") -> dict[str, Any]:
    of = node()
    of["status"]["allocatable"]["nvidia.com/gpu"] = allocatable
    incident.write(folder / "dump", {"nodes": [of], "pods": [one], "events": [], "daemonsets": []})
    (finding,) = run_json("diagnose", "--from", "dump", cwd=folder).findings
    assert (finding["verdict"], finding["victims"]) == ("fail", ["Pod/research/train-0"])
    return finding


@pytest.mark.parametrize(
    ("message", "reason", "says"),
    [
        (ALLOCATE.format(LOST), "UnexpectedAdmissionError", f"a GPU of node '{NODE}' is lost"),
        (
            ALLOCATE.format(GONE),
            "UnexpectedAdmissionError",
            f"the device plugin on node '{NODE}' did not answer kubelet",
        ),
        (ALLOCATE.format(CHANGED), "UnexpectedAdmissionError", "does not know the device that kubelet gave out"),
        (ALLOCATE.format(BUSY), "UnexpectedAdmissionError", f"the device plugin on node '{NODE}' gave out no device"),
        (ALLOCATE.format(OTHERS), "UnexpectedAdmissionError", f"the rdma/ib of node '{NODE}' are given away"),
        (OUT_OF, "OutOfnvidia.com/gpu", f"pods are pinned by nodeName to node '{NODE}'"),
        (FAR, "TopologyAffinityError", "finds no GPUs and CPUs that are close to each other"),
    ],
)
def test_its_words_name_the_cause(tmp_path: Path, message: str, reason: str, says: str) -> None:
    finding = told(tmp_path, refused(message, reason))
    assert finding["rule"] == "admission-explained"
    assert says in finding["message"]


def test_what_the_device_plugin_answers_may_be_known(tmp_path: Path) -> None:
    asked = "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = "
    hangs = ALLOCATE.format(f"{asked}error creating nvml.Device 0: nvml: Unknown Error")
    finding = told(tmp_path, refused(hangs))
    assert "GSP firmware" in finding["cause"]
    assert "NVreg_EnableGpuFirmware=0" in finding["remedy"]


def test_devices_that_the_node_counts_as_unhealthy_are_told_with_it(tmp_path: Path) -> None:
    assert told(tmp_path, refused(ALLOCATE.format(UNHEALTHY)), allocatable="5")["rule"] == "gpu-count-complete"


def test_a_pod_without_gpus_that_topology_keeps_is_none_of_ours(tmp_path: Path) -> None:
    one = refused(FAR, "TopologyAffinityError")
    del one["spec"]["containers"][0]["resources"]
    incident.write(tmp_path / "dump", {"nodes": [node()], "pods": [one], "events": [], "daemonsets": []})
    assert run_json("diagnose", "--from", "dump", cwd=tmp_path).findings == []
