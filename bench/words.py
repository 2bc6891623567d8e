"""What `explain -` costs on a long log: ordinary lines and one in five hundred that is known, or nothing but faults."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import run_ms
from nodeworthy.known.evidence import all_evidence

LINES = 50_000
_KNOWN_EVERY = 500
_FAULTS = 100
_ORDINARY = (
    'gpu-{node} kubelet[4711]: I0501 reconciler.go:251] "MountVolume started for volume kube-{n:05x}" {n}',
    'gpu-{node} containerd[99]: level=info msg="StartContainer for \\"{n:064x}\\" returns successfully"',
    "gpu-{node} kernel: [{n}.000001] eth0: renamed from veth{n:06x}",
    "gpu-{node} trainer: NCCL INFO Channel {node}/0 : {node}[0] -> 3[0] [send] via NET/IB/2/GDRDMA",
    'gpu-{node} operator: {{"level":"info","msg":"Found Resource, updating...","ClusterRole":"nvidia-{n}"}}',
)


def ms(folder: Path) -> float:
    return _ms(folder, _lines())


def of_faults_ms(folder: Path) -> float:
    return _ms(folder, _faults())


def _ms(folder: Path, lines: Iterator[str]) -> float:
    log = folder / "long.log"
    log.write_text("".join(f"2026-05-01T12:00:{n % 60:02d}Z {line}\n" for n, line in enumerate(lines)))
    command = f"{shlex.quote(sys.executable)} -m nodeworthy explain - < {shlex.quote(str(log))}"
    return run_ms(["sh", "-c", command], times=5)


def _lines() -> Iterator[str]:
    known = all_evidence()
    for n in range(LINES):
        if n % _KNOWN_EVERY == 0:
            yield known[n // _KNOWN_EVERY % len(known)].line
        else:
            yield _ORDINARY[n % len(_ORDINARY)].format(n=n, node=n % 64)


def _faults() -> Iterator[str]:
    """A node has many faults at once, and never all that are known."""
    known = all_evidence()[:: len(all_evidence()) // _FAULTS]
    for n in range(LINES):
        yield f"gpu-{n % 64} kubelet[{n % 977}]: {known[n % len(known)].line}"
