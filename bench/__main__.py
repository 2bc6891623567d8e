"""Measures what is promised, prints it as a table, and keeps it as JSON in bench/results/.

python -m bench                 everything
python -m bench check preview   what has one of these words in its name; what was kept of the others stays
exit code 1 where a figure is over its limit; what could not be measured is said, and is no success either way
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench import boot, check, cloud, cluster, dump, engine, lsp, plans, rendering, ssh, stacks, terraform, tree, words
from bench import nodes as node_checks
from bench.measure import Measurement, Result, in_starts, interpreter_ms, nodeworthy_ms, taken

RESULTS = Path(__file__).with_name("results")


def main(wanted: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        interpreter = interpreter_ms()
        print(f"a bare interpreter starts in {interpreter:.1f} ms: by what it takes then, limits are scaled\n")
        print(_row("", "limit", "scaled", "measured", ""), flush=True)
        results, names = [], []
        for measurement in measurements(Path(temporary)):
            names.append(measurement.name)
            if not wanted or any(word in measurement.name for word in wanted):
                results.append(taken(measurement))
                print(_line(results[-1]), flush=True)
    _keep(interpreter, results, names)
    return 1 if any(result.figure is not None and result.figure > result.limit for result in results) else 0


def measurements(folder: Path) -> Iterator[Measurement]:
    files, project = folder / "tree", folder / "project"
    tree.write(files)
    one = "team-00/values-0.yaml"
    yield Measurement("--help", 150, lambda: nodeworthy_ms("--help", cwd=files, times=20))
    yield Measurement("check, one file", 250, lambda: nodeworthy_ms("check", one, cwd=files, times=20))
    name = "check, one values file, in starts of a bare interpreter"
    yield Measurement(f"{name}, unchanged", 12, lambda: in_starts("check", one, cwd=files), "×", scaled=False, wanted=6)
    yield Measurement(
        f"{name}, cold", 25, lambda: in_starts("check", one, "--no-cache", cwd=files), "×", scaled=False, wanted=6
    )
    yield Measurement(f"check, {tree.FILES} mixed files", 500, lambda: nodeworthy_ms("check", ".", cwd=files))
    yield from _check(folder)
    yield from _terraform(folder)
    yield Measurement("rules, per subject", 1, lambda: engine.ms_a_subject(files))
    yield Measurement(f"boot, a script of {boot.LINES} lines (of {boot.SCRIPTS:,})", 4, boot.ms_a_script, wanted=2)
    yield Measurement("boot, a script of 1 MB", 2_000, boot.ms_large, wanted=700)
    yield Measurement("boot, growth (1 is linear, 8 quadratic)", 1.5, boot.growth, "×", scaled=False)
    yield Measurement("boot, the worst shape of 1 MB", 10_000, boot.ms_worst_shape, scaled=False, wanted=2_000)
    yield Measurement(f"explain, a log of {words.LINES:,} lines", 2_000, lambda: words.ms(folder))
    yield Measurement(f"explain, {words.LINES:,} lines of faults", 2_000, lambda: words.of_faults_ms(folder))
    name = f"{rendering.FINDINGS:,} findings, in the slowest format"
    yield Measurement(name, 1_000, rendering.slowest_ms)
    name = f"lsp, a keystroke on a script of {lsp.LINES} lines"
    yield Measurement(name, 100, lambda: lsp.keystroke_ms(folder), wanted=25)
    yield from _previews(project)
    name = f"audit, {cloud.MACHINES:,} machines on recorded pages, computing"
    yield Measurement(name, 30_000, lambda: cloud.audit_ms(folder, cloud.MACHINES))
    yield from _diagnose(folder)
    yield Measurement("node, ssh round trips of one host", 2, ssh.round_trips, "", scaled=False)
    yield from _nodes(folder)


def _check(folder: Path) -> Iterator[Measurement]:
    name = f"check, a repository of {tree.FILES} files"
    yield Measurement(name, 500, lambda: check.cold_ms(folder, tree.FILES, 5), wanted=300)
    name = f"check, a repository of {check.LARGE:,} files"
    yield Measurement(name, 8_000, lambda: check.cold_ms(folder, check.LARGE, 2), wanted=3_000)
    yield Measurement(f"{name}, unchanged", 1_000, lambda: check.unchanged_ms(folder), wanted=200)
    for files, limit, wanted, times in ((tree.FILES, 1_500, 300, 3), (check.LARGE, 20_000, 6_000, 1)):
        take = partial(check.computing_ms, folder, files, times)
        yield Measurement(f"check, a repository of {files:,} files, computing", limit, take, wanted=wanted)
    yield Measurement(f"{name}, memory", 300, lambda: check.memory_mb(folder), "MB", scaled=False)
    yield Measurement(f"check, a file of {check.LONG_LINES:,} lines", 5_000, lambda: check.long_file_ms(folder))
    for other, most in (("checkov", 0.1), ("shellcheck", 1.0), ("yamllint", 1.0)):
        share = getattr(check, f"share_of_{other}")
        name = f"check, {check.COMPARED} files, share of {other}'s time"
        yield Measurement(name, most, lambda share=share: share(folder), "×", scaled=False)  # type: ignore[misc]


def _terraform(folder: Path) -> Iterator[Measurement]:
    name = f"check, a root of Terraform of {terraform.FILES_A_ROOT} files, computing"
    yield Measurement(name, 500, lambda: terraform.root_ms(folder), wanted=120)
    name = f"check, {terraform.SMALL} files of Terraform, computing"
    yield Measurement(name, 1_500, lambda: terraform.repository_ms(folder), wanted=600)
    name = f"check, files of Terraform, growth from {terraform.SMALL} to {terraform.LARGE:,} (1 is linear)"
    yield Measurement(name, 1.5, lambda: terraform.growth(folder), "×", scaled=False)


def _previews(project: Path) -> Iterator[Measurement]:
    for pools, simulate, limit, less in (
        (8, True, 3_000, 2_000),
        (500, False, 15_000, 7_000),
        (500, True, 25_000, 12_000),
    ):
        yield _preview(project, pools, simulate=simulate, limit=limit, wanted=less)
    yield Measurement(
        "preview, growth (1 is linear, 2.4 quadratic)", 1.5, lambda: plans.growth(project), "×", scaled=False
    )
    for simulate, limit in ((False, 3_000), (True, 4_000)):
        name = f"preview of {stacks.STACK}{_how(simulate)}"
        yield Measurement(name, limit, partial(stacks.embedded_ms, simulate=simulate))
    yield Measurement(f"preview of {stacks.STACK}, the pulumi CLI with the pack", 15_000, stacks.cli_ms)


def _diagnose(folder: Path) -> Iterator[Measurement]:
    for nodes, limit, times in ((cluster.SMALL, 1_000, 5), (cluster.MIDDLE, 6_000, 2), (cluster.LARGE, 30_000, 2)):
        name = f"diagnose, {nodes:,} nodes, {nodes * dump.PODS_A_NODE:,} pods"
        wanted = 8_000 if nodes == cluster.LARGE else None
        yield Measurement(name, limit, partial(cluster.ms, folder, nodes, times), wanted=wanted)
    for few, many in ((cluster.SMALL, cluster.MIDDLE), (cluster.MIDDLE, cluster.LARGE)):
        name = f"diagnose, growth to {many:,} nodes (1 is linear)"
        yield Measurement(name, 1.5, partial(cluster.growth, folder, few, many), "×", scaled=False)
    name = f"diagnose, {cluster.LARGE:,} nodes, memory"
    yield Measurement(name, 1_024, partial(cluster.memory_mb, folder, cluster.LARGE), "MB", scaled=False, wanted=300)


def _nodes(folder: Path) -> Iterator[Measurement]:
    yield Measurement("node, a look over an open ssh connection", 1_000, node_checks.look_ms)
    yield Measurement(
        "node, share of testinfra's time, forty checks", 0.05, node_checks.share_of_testinfra, "×", scaled=False
    )
    name = f"node, {node_checks.RECORDED:,} recordings"
    yield Measurement(name, 60_000, lambda: node_checks.replay_ms(folder), wanted=5_000)
    yield Measurement(f"{name}, memory", 500, lambda: node_checks.replay_mb(folder), "MB", scaled=False)
    name = f"node, {node_checks.HOSTS} hosts, {node_checks.HUNG} of them hung, deadlines"
    yield Measurement(name, 1.25, lambda: node_checks.deadlines_with_some_hung(folder), "×", scaled=False)
    yield Measurement("node, from boot to verdict in the lab", 60_000, node_checks.boot_to_verdict_ms)


def _preview(project: Path, pools: int, *, simulate: bool, limit: float, wanted: float) -> Measurement:
    name = f"preview, {pools} pools{_how(simulate)}"
    times = 5 if pools < 100 else 2
    take = partial(plans.preview_ms, project, pools, simulate=simulate, times=times)
    return Measurement(name, limit, take, wanted=wanted)


def _how(simulate: bool) -> str:
    return " with the simulated run" if simulate else ""


def _line(result: Result) -> str:
    unit = result.measurement.unit
    figures = (result.measurement.limit, result.limit if result.measurement.scaled else None, result.figure)
    limit, scaled, measured = (_shown(figure, unit) for figure in figures)
    return _row(result.measurement.name, limit, scaled, measured, result.verdict)


def _shown(figure: float | None, unit: str) -> str:
    return "–" if figure is None else f"{figure:,.{0 if figure >= 100 else 2}f} {unit}".strip()


def _row(name: str, limit: str, scaled: str, measured: str, verdict: str) -> str:
    return f"{name:<48} {limit:>12} {scaled:>12} {measured:>12}  {verdict}".rstrip()


def _keep(interpreter: float, results: Sequence[Result], names: Sequence[str]) -> None:
    """Named for the kind of machine, so that a second run on it replaces what it measured again."""
    path = RESULTS / f"{platform.system()}-{platform.machine()}-python{platform.python_version()}.json".lower()
    before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
    rows = {each["name"]: each for each in before} | {each.measurement.name: _row_kept(each) for each in results}
    kept = {
        "cores": os.cpu_count(),
        "interpreter_ms": round(interpreter, 2),
        "results": [rows[name] for name in names if name in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\nkept in bench/results/{path.name}")


def _row_kept(result: Result) -> dict[str, Any]:
    return {
        "name": result.measurement.name,
        "unit": result.measurement.unit,
        "limit": result.measurement.limit,
        "wanted": result.measurement.wanted,
        "scaled_limit": round(result.limit, 2),
        "scaled": result.measurement.scaled,
        "measured": None if result.figure is None else round(result.figure, 3),
        "verdict": result.verdict,
        "interpreter_ms": round(result.interpreter_ms, 2),
        "processor": _processor(),
        "taken": datetime.now(UTC).date().isoformat(),
        "load": round(os.getloadavg()[0], 1),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
