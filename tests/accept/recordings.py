"""Recordings of runs of `accept`, written as its programs and the tool write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

NONCE = "5f0c9a7e41d28b63"
H100 = "NVIDIA H100 80GB HBM3"


def gpu(number: int, name: str = H100) -> dict[str, str]:
    return {"uuid": f"GPU-{number:04x}", "name": name, "pci": f"0000:{0x10 + number:02x}:00.0"}


def line(test: str, name: str, value: Any, unit: str = "", *, rank: int = 0, world: int = 1, **more: Any) -> str:
    host = more.pop("host", "gpu-1")
    data = {"v": 1, "nonce": NONCE, "test": test, "host": host, "rank": rank, "world": world}
    return json.dumps({**data, "name": name, "value": value, "unit": unit, "at": {}, "throttle": [], **more})


def end(
    test: str, *, rank: int = 0, world: int = 1, host: str = "gpu-1", error: Mapping[str, str] | None = None
) -> str:
    data = {"v": 1, "nonce": NONCE, "test": test, "host": host, "rank": rank, "world": world, "end": True}
    return json.dumps({**data, "ok": error is None, **({"error": error} if error else {})})


def between_marks(lines: Iterable[str], nonce: str = NONCE) -> str:
    return "\n".join([f"==== nodeworthy {nonce} begins ====", *lines, f"==== nodeworthy {nonce} ends ====", ""])


def job(*tests: str, nodes: Iterable[str] = ("gpu-1",), state: str = "ran", why: str = "") -> dict[str, Any]:
    names = list(nodes)
    logs = [f"{each}.log" for each in names]
    return {
        "name": "j",
        "nodes": names,
        "tests": tests,
        "state": state,
        "why": why,
        "held": 60,
        "gpus": 8,
        "logs": logs,
    }


def write(folder: Path, jobs: Iterable[Mapping[str, Any]], logs: Mapping[str, str], **more: Any) -> Path:
    every = list(jobs)
    nodes = dict.fromkeys(name for each in every for name in each["nodes"])
    plan = {
        "schema": "nodeworthy/accept/v1",
        "moment": "workload",
        "nonce": NONCE,
        "level": "full",
        "on": "kubernetes",
        "image": "registry.example.com/torch:2.9.0",
        "began": "2026-11-20T09:30:41Z",
        "nodes": [{"name": each, "gpu": "H100", "count": 8, "instance": "p5.48xlarge"} for each in nodes],
        "jobs": every,
        "not_run": [],
        **more,
    }
    (folder / "run.json").write_text(json.dumps(plan), encoding="utf-8")
    for name, text in logs.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
