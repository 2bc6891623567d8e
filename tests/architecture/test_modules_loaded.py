"""How much of the house is imported to judge one file: each module is time before the first answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench import terraform
from nodeworthy.known.containerd import containerd_of

# What it takes today, and nothing new may add to it.
OF_ONE_VALUES_FILE = 130
OF_A_ROOT_OF_TERRAFORM = 208
OF_THE_FRONT_PAGE = 5

_COUNTED = """
import sys
from nodeworthy.cli import main
main(sys.argv[1:])
print(*(each for each in sys.modules if each.split(".")[0] == "nodeworthy"), file=sys.stderr)
"""
_VALUES = f"""
driver: {{enabled: false}}
toolkit:
  enabled: true
  env:
    - {{name: CONTAINERD_SOCKET, value: {containerd_of("k3s").socket}}}
devicePlugin: {{enabled: true}}
"""
_FLEET = """
config:
  nodeworthy:fleet:
    cluster: {name: one}
    pools: {racks: {gpu: h200, distribution: rke2, provision: false}}
"""


def test_of_one_values_file(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(_VALUES, encoding="utf-8")
    (tmp_path / "Pulumi.one.yaml").write_text(_FLEET, encoding="utf-8")
    loaded = modules_of(tmp_path, "check", "values.yaml", "--no-cache")
    assert "nodeworthy.rules.containerd_paths" in loaded
    assert len(loaded) <= OF_ONE_VALUES_FILE, loaded


def test_of_a_root_of_terraform(tmp_path: Path) -> None:
    """With managed GPU nodes and a chart, and without a boot script."""
    loaded = modules_of(terraform.roots(tmp_path, terraform.FILES_A_ROOT), "check", ".", "--no-cache")
    assert {"nodeworthy.rules.instance_metadata_guarded", "nodeworthy.hcl.root"} <= set(loaded)
    assert not {"nodeworthy.boot.unpack", "nodeworthy.boot.shell.parse", "nodeworthy.fleet.declaration"} & set(loaded)
    assert len(loaded) <= OF_A_ROOT_OF_TERRAFORM, loaded


def test_of_the_front_page(tmp_path: Path) -> None:
    assert len(modules_of(tmp_path, "--help")) <= OF_THE_FRONT_PAGE


def modules_of(folder: Path, *words: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", _COUNTED, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode in (0, 1), ran.stderr
    return ran.stderr.splitlines()[-1].split()
