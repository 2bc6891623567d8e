"""What NVIDIA's own program writes for the paths that we call right and wrong, and what containerd then knows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.known.containerd import defaults
from tests.run import run_json

from .containerd import Containerd
from .daemon import PATIENCE
from .tools import Tools

FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {{name: onprem}}
    pools:
      onprem: {{gpu: h200, gpusPerNode: 8, nodes: 1, distribution: k8s-snap, containerdBaseDir: {base}, provision: false}}
"""
VALUES = """\
toolkit:
  env:
    - name: CONTAINERD_CONFIG
      value: {config}
    - name: CONTAINERD_SOCKET
      value: {socket}
"""
# Below a base folder.
CONFIG, SOCKET = defaults().config.lstrip("/"), defaults().socket.lstrip("/")
ABOUT = ("--rule", "containerd-paths")


@pytest.fixture(params=["containerd-2.2", "containerd-2.3"])
def kubelets(tools: Tools, request: pytest.FixtureRequest) -> Iterator[Containerd]:
    """The containerd that kubelet talks to, laid out under a base folder as the k8s snap has it."""
    with Containerd(tools, request.param) as containerd:
        containerd.stop()
        config, socket = (
            containerd.home / CONFIG,
            containerd.home / SOCKET,
        )
        for path in (config, socket):
            path.parent.mkdir(parents=True)
        config.write_text(containerd.config.read_text().replace(str(containerd.socket), str(socket)))
        containerd.config, containerd.socket = config, socket
        containerd.start()
        yield containerd


def judged(folder: Path, base: Path, config: Path, socket: Path) -> int:
    (folder / "Pulumi.onprem.yaml").write_text(FLEET.format(base=base))
    (folder / "values.yaml").write_text(VALUES.format(config=config, socket=socket))
    return run_json("check", "values.yaml", "--fleet", "Pulumi.onprem.yaml", *ABOUT, cwd=folder).code


def configure(tools: Tools, config: Path) -> None:
    """As the operator's toolkit does with a CONTAINERD_CONFIG; the drop-in would else be this machine's own."""
    drop_in = config.parent / "conf.d" / "99-nvidia.toml"
    command: list[str | Path] = [
        tools.path("nvidia-ctk"),
        "runtime",
        "configure",
        "--runtime=containerd",
        "--config-source=file",
    ]
    subprocess.run([*command, f"--config={config}", f"--drop-in-config={drop_in}"], check=True, timeout=PATIENCE)


def restarted(containerd: Containerd) -> str:
    containerd.stop()
    containerd.start()
    return containerd.dump()


def test_the_right_paths_reach_the_containerd_that_kubelet_uses(
    tools: Tools, tmp_path: Path, kubelets: Containerd
) -> None:
    assert judged(tmp_path, kubelets.home, kubelets.config, kubelets.socket) == 0
    assert "nvidia" not in kubelets.dump()
    configure(tools, kubelets.config)
    assert "runtimes.nvidia" in restarted(kubelets)


def test_the_stock_paths_reach_one_that_nobody_uses(tools: Tools, tmp_path: Path, kubelets: Containerd) -> None:
    stock = tmp_path / "stock" / CONFIG
    stock.parent.mkdir(parents=True)
    assert judged(tmp_path, kubelets.home, stock, tmp_path / "stock" / SOCKET) == 1
    configure(tools, stock)
    assert "runtimes.nvidia" in (stock.parent / "conf.d/99-nvidia.toml").read_text()
    assert "nvidia" not in restarted(kubelets)
