"""Floors: each below what physics allows, each flips exactly its rule, and each has its turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.acceptance import Provenance, TableFloor, table_floors
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import exists
from tests.accept.recordings import between_marks, end, gpu, job, line, write
from tests.run import run_json

GIB = 1 << 30
FLOORS = list(table_floors().values())
MEASURED: dict[str, tuple[str, dict[str, Any]]] = {
    "copy": ("copy_gbps", {}),
    "h2d": ("h2d_gbps", {}),
    "d2h": ("d2h_gbps", {}),
    "nvlink": ("nvlink_gbps", {}),
    "gemm-bf16": ("gemm_tflops", {"dtype": "bf16"}),
    "all_reduce-8": ("busbw_gbps", {"op": "all_reduce", "bytes": GIB, "ranks": 8, "nodes": 1}),
    "all_reduce-2x8": ("busbw_gbps", {"op": "all_reduce", "bytes": GIB, "ranks": 16, "nodes": 2}),
}


def named(floor: TableFloor) -> str:
    return f"{floor.key} of {floor.of}"


@pytest.mark.parametrize("floor", FLOORS, ids=named)
def test_it_is_below_what_physics_allows(floor: TableFloor) -> None:
    assert 0 < floor.value < floor.limit
    assert floor.source
    assert gpu_named(floor.of) is not None or exists(floor.of)


def test_none_claims_to_be_measured_that_no_machine_of_ours_has_seen() -> None:
    assert [each for each in FLOORS if each.kind is Provenance.MEASURED] == []


@pytest.mark.parametrize("floor", FLOORS, ids=named)
@pytest.mark.parametrize(("share", "is_short"), [(1.01, False), (0.99, True)])
def test_one_percent_flips_exactly_its_rule(floor: TableFloor, share: float, is_short: bool, tmp_path: Path) -> None:
    name, at = MEASURED[floor.key]
    is_gpu = gpu_named(floor.of) is not None
    names = [f"gpu-{each}" for each in range(1, int(at.get("nodes", 1)) + 1)]
    test = ("multi-node" if len(names) > 1 else "moe") if name == "busbw_gbps" else "gpu-sanity"
    device: dict[str, Any] = {"gpu": gpu(1, f"NVIDIA {floor.of}" if is_gpu else "NVIDIA H100 80GB HBM3")}
    said = [line(test, name, floor.value * share, floor.unit, at={**at, "round": each}, **device) for each in (1, 2)]
    instance = "x" if is_gpu else floor.of
    nodes = [{"name": each, "gpu": "H100", "count": 8, "instance": instance} for each in names]
    made = {**job(test, nodes=names), "logs": ["gpu-1.log"]}
    folder = write(tmp_path, [made], {"gpu-1.log": between_marks([*said, end(test)])}, nodes=nodes)
    found = run_json("accept", "--from", str(folder), "--skip-rule", "gpus-alike", cwd=tmp_path).findings
    rule = "collectives-fast-enough" if name == "busbw_gbps" else "gpu-fast-enough"
    severity = "warning" if floor.kind is Provenance.DERIVED else "error"
    seen = [(each["rule"], each["verdict"], each["severity"]) for each in found]
    assert seen == ([(rule, "fail", severity)] if is_short else [])


def test_a_card_of_another_form_is_not_judged_by_the_table(tmp_path: Path) -> None:
    slow = line("gpu-sanity", "copy_gbps", 1900, "GB/s", gpu=gpu(1, "NVIDIA H100 PCIe"))
    folder = write(tmp_path, [job("gpu-sanity")], {"gpu-1.log": between_marks([slow, end("gpu-sanity")])})
    found = run_json("accept", "--from", str(folder), "--rule", "gpu-fast-enough", cwd=tmp_path).findings
    assert [(each["rule"], each["verdict"]) for each in found] == [("gpu-fast-enough", "unknown")]
