"""`nodeworthy fleet` prints the fleet as it was resolved, and ends as the contract says."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import containerd_of
from tests.run import run

EXAMPLE = Path(__file__).with_name("Pulumi.example.yaml")
BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "Pulumi.dev.yaml")
    return tmp_path


def test_the_table(folder: Path) -> None:
    ran = run("fleet", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "cluster gpu-dev (stack dev), Kubernetes 1.34, GPU operator 26.3.0"
    heads = next(line for line in lines if line.startswith("pool") and "GPU" in line)
    h100 = next(line for line in lines if line.startswith("h100"))
    for head, value in (
        ("GPU", "H100"),
        ("per node", "8"),
        ("instance type", "p5.48xlarge"),
        ("boot script", "NodeConfig"),
    ):
        assert h100[heads.index(head) :].startswith(value)
    onprem = containerd_of("k8s-snap", BASE_DIR)
    assert any(line.startswith("onprem") and f"{onprem.config}  {onprem.socket}" in line for line in lines)
    assert "? onprem: neither gpusPerNode nor an instance type says how many GPUs a node has" in lines


def test_as_data(folder: Path) -> None:
    ran = run("fleet", "--format", "json", cwd=folder)
    assert ran.code == 0
    data = ran.report
    assert data["schema"] == "nodeworthy/fleet/v1"
    h100, onprem, cpu = data["pools"]
    assert (h100["gpu"], h100["gpusPerNode"], h100["bootScript"]) == ("H100", 8, "NodeConfig")
    assert h100["where"] == {"path": "Pulumi.dev.yaml", "line": 26, "column": 7, "subject": "pools.h100"}
    assert onprem["containerd"]["socket"] == containerd_of("k8s-snap", BASE_DIR).socket
    assert (onprem["gpusPerNode"], onprem["os"], onprem["bootScript"]) == (None, None, None)
    assert (cpu["gpu"], cpu["min"], cpu["max"], cpu["driver"]) == (None, 1, 4, None)
    assert data["operator"]["values"]["toolkit"]["enabled"] is True


def test_a_secret_stays_secret(folder: Path) -> None:
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: x}\n    pools: {a: {gpu: {secure: v1:hunter2}}}\n"
        "    operator: {values: {license: {secure: v1:hunter3}}}\n",
        encoding="utf-8",
    )
    for format_ in ("text", "json"):
        ran = run("fleet", "--format", format_, cwd=folder)
        assert ran.code == 0
        assert "hunter" not in ran.out


def test_several_stacks_need_a_choice(folder: Path) -> None:
    shutil.copy(EXAMPLE, folder / "Pulumi.prod.yaml")
    ran = run("fleet", cwd=folder)
    assert ran.code == 2
    assert "Pulumi.dev.yaml, Pulumi.prod.yaml" in ran.err
    assert run("fleet", "--stack", "prod", cwd=folder).out.startswith("cluster gpu-dev (stack prod)")
    assert run("fleet", "--stack", "staging", cwd=folder).code == 2
    assert run("fleet", "--fleet", "Pulumi.prod.yaml", cwd=folder).code == 0


def test_no_fleet_and_a_malformed_one(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert run("fleet", cwd=tmp_path).code == 2
    (tmp_path / "Pulumi.dev.yaml").write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: x, vrsion: '1'}\n    pools: {a: {nodes: two}}\n",
        encoding="utf-8",
    )
    ran = run("fleet", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines() == [
        "nodeworthy fleet: Pulumi.dev.yaml:3:24: cluster.vrsion: there is no such key; did you mean version?",
        'Pulumi.dev.yaml:4:24: pools.a.nodes is "two", and must be a whole number, 0 or more',
    ]


def test_what_can_not_be_is_told(folder: Path) -> None:
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: x}\n    pools: {a: {gpu: h1000}}\n", encoding="utf-8"
    )
    ran = run("fleet", cwd=folder)
    assert ran.code == 0
    assert "impossible: Pulumi.dev.yaml:4:22: `h1000` is not a GPU we know; did you mean H100" in ran.out
    assert json.loads(run("fleet", "--format", "json", cwd=folder).out)["impossible"][0]["pool"] == "a"


def test_five_hundred_pools_read_at_once(tmp_path: Path) -> None:
    pools = "".join(
        f"      p{n}:\n        gpu: h100\n        instanceType: p5.48xlarge\n        nodes: 2\n        os: al2023\n"
        f"        capacity: {{kind: block, id: cr-0{n:03}}}\n"
        for n in range(500)
    )
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(f"config:\n  nodeworthy:fleet:\n    cluster: {{name: x}}\n    pools:\n{pools}", encoding="utf-8")
    read_fleet_file(EXAMPLE, "x")  # what is read once is read already
    assert len(read_fleet_file(path, "Pulumi.dev.yaml").pools) == 500
    assert min(_seconds(path) for _ in range(3)) < 0.3  # half of that on a free machine


def _seconds(path: Path) -> float:
    """Of this process, so that what else the machine does is not counted."""
    start = time.process_time()
    read_fleet_file(path, "Pulumi.dev.yaml")
    return time.process_time() - start


def test_what_nobody_declared_is_told_as_a_default(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.lab.yaml").write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: lab}\n"
        "    pools:\n      h200: {gpu: h200, distribution: kubeadm, provision: false}\n",
        encoding="utf-8",
    )
    head = run("fleet", cwd=tmp_path).out.splitlines()[:2]
    assert head[0].endswith("Kubernetes 1.34 (default), GPU operator 26.3.0 (default)")
    assert head[1].startswith("VPC 10.0.0.0/16 (default), ")
    picture = run("fleet", "--picture", cwd=tmp_path).out
    assert "26.3.0 (default)" in picture
    assert "NodePorts" not in picture, "whoever built this cluster says whom it lets in"
    told = json.loads(run("fleet", "--format", "json", cwd=tmp_path).out)["defaults"]
    assert {"operator", "operator.chart", "network.vpcCidr", "network.nodePortsFrom"} <= set(told)
    assert "cluster.name" not in told
