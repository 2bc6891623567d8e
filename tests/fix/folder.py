"""A folder with files in it, checked and mended as a user does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nodeworthy.known.containerd import containerd_of, defaults
from tests.run import Ran, run

K3S = """\
config:
  nodeworthy:fleet:
    cluster: {name: gpu-dev}
    pools:
      onprem: {gpu: h200, distribution: k3s, provision: false}
"""
_K3S = containerd_of("k3s")
SOCKET, CONFIG = _K3S.socket or "", _K3S.config or ""
# What the operator takes where nobody says otherwise.
STOCK, STOCK_CONFIG = defaults().socket, defaults().config


def laid(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def fix(folder: Path, *arguments: str) -> Ran:
    return run("check", *(arguments or (".",)), "--fix", "--yes", cwd=folder)
