"""Each path of containerd stands once, in nodeworthy/known; all other code takes it from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of, defaults
from tests.architecture.spelt_paths import TABLE, known_paths, spelt_in
from tests.architecture.tree import ROOT, code

PATHS = known_paths(ROOT / TABLE)
# What programs print is quoted there letter by letter, with the paths in it.
WORDS = Path("nodeworthy/known/evidence")
# What somebody pastes, wrong paths among it.
PASTED = Path("tools/playground/examples.toml")


def spelt_elsewhere(root: Path) -> list[str]:
    """`file: path` for each path that stands outside of the table, and is no word of a program."""
    files = (
        file for file in code(root) if file not in (root / TABLE, root / PASTED) and root / WORDS not in file.parents
    )
    return [f"{file.relative_to(root)}: {path}" for file in files for path in sorted(spelt_in(file, PATHS))]


def test_the_table_is_read_whole() -> None:
    strict = containerd_of("k8s-snap", strict=True)
    nested = containerd_of("microk8s").toolkit_env["RUNTIME_CONFIG_SOURCE"].removeprefix("file=")
    for path in (defaults().config, defaults().socket, defaults().drop_in, strict.socket, nested):
        assert path in PATHS
    assert len(PATHS) > 20


def test_no_other_code_spells_one() -> None:
    assert spelt_elsewhere(ROOT) == []


SOCKET = defaults().socket
FOLDER, NAME = SOCKET.rsplit("/", 1)
SPELT = [
    ("nodeworthy/rules/looked_at.py", f"SOCKET = {SOCKET!r}"),
    ("nodeworthy/rules/looked_at.py", f"# the socket is {SOCKET}"),
    ("nodeworthy/facts/fleet/gpu_pool.py", f"SOCKET = {FOLDER!r} + {'/' + NAME!r}"),
    ("nodeworthy/facts/fleet/gpu_pool.py", f"SOCKET = Path({FOLDER!r}) / {NAME!r}"),
    ("nodeworthy/facts/fleet/gpu_pool.py", f"SOCKET = posixpath.join({FOLDER!r}, {NAME!r})"),
    ("userdata/al2023/body.sh", f"ctr --address {SOCKET} version"),
    ("infra/pools.yaml", f"socket: {SOCKET}"),
    ("nodeworthy/known/other.toml", f'socket = "{SOCKET}"'),
]


@pytest.mark.parametrize(("file", "line"), SPELT, ids=[f"{file}: {line.split()[0]}" for file, line in SPELT])
def test_one_spelt_again_is_found(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text("one = 1\n", encoding="utf-8")
    assert spelt_elsewhere(tmp_path) == []
    planted.write_text(f"one = 1\n{line}\n", encoding="utf-8")
    assert f"{file}: {SOCKET}" in spelt_elsewhere(tmp_path)
