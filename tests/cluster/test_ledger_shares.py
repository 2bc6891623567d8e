"""The ledger of GPUs that HAMi shares: how often each was handed out, how much of its memory and of its cores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.facts.hami.shares import sharing_pod
from tests.cluster.test_ledger import node, pod, told
from tests.run import run

REGISTERED = [
    {"id": "GPU-a", "count": 10, "devmem": 24000, "devcore": 100, "type": "NVIDIA L4", "health": True},
    {"id": "GPU-b", "count": 10, "devmem": 24000, "devcore": 100, "type": "NVIDIA L4", "health": False},
]


def shared_node() -> dict[str, Any]:
    made = node("n", 20)
    made["metadata"]["annotations"] = {"hami.io/node-nvidia-register": json.dumps(REGISTERED)}
    return made


def sharing(name: str, written: str, phase: str = "Running") -> dict[str, Any]:
    return pod(name, "n", 1, phase, annotations={"hami.io/vgpu-devices-allocated": written})


def test_each_gpu_has_three_dimensions(tmp_path: Path) -> None:
    pods = [
        sharing("one", "GPU-a,NVIDIA,4000,30:;"),
        sharing("two", "GPU-a,NVIDIA,8000,0:GPU-b,NVIDIA,1000,10:;GPU-a,NVIDIA,500,20:;"),
        sharing("over", "GPU-a,NVIDIA,4000,30:;", phase="Succeeded"),
    ]
    a, b = told(tmp_path, [shared_node()], pods)["devices"]
    assert (a["id"], a["healthy"], a["held_by"]) == ("GPU-a", True, ["ml/one", "ml/two"])
    assert a["slots"] == {"capacity": 10, "held": 3, "free": 7}
    assert a["memory_mb"] == {"capacity": 24000, "held": 12500, "free": 11500}
    assert a["cores_percent"] == {"capacity": 100, "held": 50, "free": 50}
    assert (b["healthy"], b["memory_mb"]["held"]) == (False, 1000)


def test_a_gpu_that_its_node_no_longer_registers_is_told(tmp_path: Path) -> None:
    *_, gone = told(tmp_path, [shared_node()], [sharing("one", "GPU-c[0-1],NVIDIA,4000,30:;")])["devices"]
    assert (gone["id"], gone["healthy"]) == ("GPU-c", False)
    assert gone["memory_mb"] == {"capacity": 0, "held": 4000, "free": 0}


@pytest.mark.parametrize("written", ["", ";", "GPU-a", "GPU-a,NVIDIA,much,30:;", "GPU-a,NVIDIA,-1,3:;", "\u0000,,,:"])
def test_what_is_no_share_is_none(written: str) -> None:
    assert sharing_pod(sharing("one", written)) is None


def test_people_read_it_as_a_table(tmp_path: Path) -> None:
    told(tmp_path, [shared_node()], [sharing("one", "GPU-a,NVIDIA,4000,30:;")])
    out = run("diagnose", "--from", ".", "--ledger", cwd=tmp_path).out
    line = next(each for each in out.splitlines() if "GPU-a" in each)
    assert line.split() == "n GPU-a 10 1 9 24000 4000 20000 100 30 70 ml/one".split()
    assert "GPU-b (not healthy)" in out
