"""What lies in a folder of examples, or of the past, says nothing of the nodes of what lies elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run, run_json

VALUES = "driver: {enabled: false}\ntoolkit:\n  env:\n    - {name: CONTAINERD_SOCKET, value: /run/k3s/k.sock}\n"
TALOS = "machine:\n  kernel:\n    modules:\n      - name: nvidia\n"


@pytest.mark.parametrize(("folder", "code"), [("talos", 1), ("ref/talos", 3), ("docs/Examples", 3), ("old", 3)])
def test_beside_the_values(tmp_path: Path, folder: str, code: int) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "apps").mkdir()
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "apps/values.yaml").write_text(VALUES, encoding="utf-8")
    (tmp_path / folder / "worker.yaml").write_text(TALOS, encoding="utf-8")
    assert run("check", "apps/values.yaml", "--rule", "containerd-paths", cwd=tmp_path).code == code


def test_with_them_in_one_example(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "examples/talos").mkdir(parents=True)
    (tmp_path / "examples/values.yaml").write_text(VALUES, encoding="utf-8")
    (tmp_path / "examples/talos/worker.yaml").write_text(TALOS, encoding="utf-8")
    assert run("check", "examples/values.yaml", "--rule", "containerd-paths", cwd=tmp_path).code == 1


CHART = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: gpu-operator}\nspec:\n  chart: gpu-operator\n"
RKE2 = (
    "  valuesContent: |\n    toolkit:\n      env:\n        - {name: CONTAINERD_SOCKET, value: /run/containerd/c.sock}\n"
)


@pytest.mark.parametrize(("folder", "severity"), [("rke2/server/manifests", "error"), ("charts", "warning")])
def test_the_folder_of_a_helm_chart_decides_whose_it_is(tmp_path: Path, folder: str, severity: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "gpu-operator.yaml").write_text(CHART + RKE2, encoding="utf-8")
    ran = run_json("check", ".", "--rule", "containerd-paths", cwd=tmp_path)
    (found,) = [each for each in ran.findings if each["rule"] == "containerd-paths"]
    assert (found["verdict"], found["severity"]) == ("fail", severity)
