"""A repository that has something wrong today."""

from __future__ import annotations

import json
from pathlib import Path

from nodeworthy.baseline.file import NAME

RELATIVE = """\
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: {value}
"""
HALF = """\
apiVersion: v1
kind: Pod
metadata: {{name: train}}
spec:
  containers:
    - name: cuda
      image: nvidia/cuda:12.9.1-base-ubuntu24.04
      resources: {{limits: {{nvidia.com/gpu: "{count}"}}}}
"""


def values(folder: Path, value: str = "relative.sock", above: str = "") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "values.yaml").write_text(above + RELATIVE.format(value=value))


def pod(folder: Path, count: str = "0.5") -> None:
    (folder / "pod.yaml").write_text(HALF.format(count=count))


def entries(folder: Path) -> list[dict[str, object]]:
    data = json.loads((folder / NAME).read_text())
    failures: list[dict[str, object]] = data["failures"]
    return failures
