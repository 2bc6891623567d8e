"""Runs in the node, by its own Python: what only a running system can tell, as JSON."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

SYSTEMCTL = "/usr/lib/nodeworthy-lab/systemctl.real"


def list_files(*words: str) -> list[list[str]]:
    out = subprocess.run([SYSTEMCTL, "--plain", "--no-legend", *words], stdout=subprocess.PIPE, check=False).stdout
    return [line.split() for line in out.decode().splitlines() if line.strip()]


def content(path: str) -> str | None:
    try:
        return base64.b64encode(Path(path).read_bytes()).decode()
    except OSError:
        return None


AT_LOAD = Path("/run/nodeworthy-lab/at-load")
wanted = json.load(sys.stdin)
json.dump(
    {
        "enabled": {row[0]: row[1] for row in list_files("list-unit-files")},
        "active": {row[0]: row[2] for row in list_files("list-units", "--all")},
        "at_load": {f"/{each.relative_to(AT_LOAD)}": content(str(each)) for each in AT_LOAD.rglob("*.conf")},
        "contents": {path: content(path) for path in wanted},
    },
    sys.stdout,
)
