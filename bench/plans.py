"""Pulumi projects with as many pools as one likes: our own program, and a stack made for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.measure import NotMeasured, nodeworthy_cpu_ms, nodeworthy_ms

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ("Pulumi.yaml", "infra", "userdata", "nodeworthy.answers.yaml")
# 3: on a new stack something is honestly unknown.
EXITS = (0, 3)
GROWTH = (50, 100, 200, 400)
TYPES = (("h100", "p5.48xlarge"), ("a100", "p4d.24xlarge"), ("l4", "g6.12xlarge"), ("t4", "g4dn.12xlarge"))


def project(folder: Path) -> Path:
    """The program in a folder of its own; the measured stacks are written beside it."""
    folder.mkdir(exist_ok=True)
    for name in PROJECT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, dirs_exist_ok=True)
        elif source.exists():
            shutil.copy(source, folder / name)
    if not (folder / "Pulumi.yaml").exists():
        raise NotMeasured("there is no Pulumi program yet")
    return folder


def preview_ms(folder: Path, pools: int, *, simulate: bool, times: int) -> float:
    options = [] if simulate else ["--no-simulate"]
    return nodeworthy_ms(*_command(folder, pools), *options, cwd=folder, exits=EXITS, times=times)


def _command(folder: Path, pools: int) -> tuple[str, ...]:
    stack = f"pools{pools}"
    (project(folder) / f"Pulumi.{stack}.yaml").write_text(_stack(pools), encoding="utf-8")
    return "preview", "--stack", stack


def _stack(pools: int) -> str:
    lines = ["config:", "  aws:region: us-east-2", "  nodeworthy:fleet:", "    cluster: {name: bench}", "    pools:"]
    for number in range(pools):
        gpu, instance = TYPES[number % len(TYPES)]
        lines.append(f"      pool{number}: {{gpu: {gpu}, instanceType: {instance}, nodes: {1 + number % 4}}}")
    return "\n".join(lines) + "\n"


def growth(folder: Path) -> float:
    """What a pool costs from 200 to 400 against what it costs from 50 to 200: 1 where the cost is linear, 2.4 where
    it is quadratic."""
    took = {
        pools: nodeworthy_cpu_ms(*_command(folder, pools), "--no-simulate", cwd=folder, exits=EXITS) for pools in GROWTH
    }
    few, _, many, most = GROWTH
    among_few = (took[many] - took[few]) / (many - few)
    among_many = (took[most] - took[many]) / (most - many)
    if min(among_few, among_many) <= 0:
        raise NotMeasured("the machine was too busy to tell")
    return among_many / among_few
