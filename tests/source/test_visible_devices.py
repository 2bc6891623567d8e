"""NVIDIA_VISIBLE_DEVICES in a pod counts where the device plugin hands over its GPUs by it; what lies around it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  SELECTOR
  containers:
    - name: a
      image: a:1
      env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]
      resources: {limits: {RESOURCE: 1}}
"""


def _verdicts(folder: Path, *around: tuple[str, str], selector: str = "", resource: str = "nvidia.com/gpu") -> set[str]:
    (folder / ".git").mkdir()
    (folder / "apps").mkdir()
    (folder / "apps/pod.yaml").write_text(_POD.replace("SELECTOR", selector).replace("RESOURCE", resource))
    for name, text in around:
        (folder / name).write_text(text)
    ran = run("check", "apps/pod.yaml", "--rule", "pod-can-use-gpus", "--format", "json", "--show-passed", cwd=folder)
    return {each["verdict"] for each in ran.report["findings"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plugin.yaml", "env:\n  - name: DEVICE_LIST_STRATEGY\n    value: cdi-cri\n"),
        ("plugin.yaml", "config:\n  map:\n    default: |-\n      flags:\n        plugin:\n          deviceListStrategy: volume-mounts\n"),
        ("config.toml", "accept-nvidia-visible-devices-envvar-when-unprivileged = false\n"),
        ("nodes.yaml", "amiFamily: Bottlerocket\n"),
        ("cluster.tf", 'resource "google_container_node_pool" "gpus" {}\n'),
        ("release.yaml", "chart: gpu-operator\nversion: v25.10.1\n"),
    ],
)  # fmt: skip
def test_what_lies_around_it_decides(tmp_path: Path, name: str, text: str) -> None:
    assert _verdicts(tmp_path, (name, text)) == {"pass"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plugin.yaml", "deviceListStrategy: envvar\n"),
        ("release.yaml", "chart: gpu-operator\nversion: v24.9.2\n"),
        ("none.yaml", "a: b\n"),
    ],
)
def test_the_plugins_default_is_the_variable(tmp_path: Path, name: str, text: str) -> None:
    assert _verdicts(tmp_path, (name, text)) == {"fail"}


def test_google_mounts_what_it_gives(tmp_path: Path) -> None:
    assert _verdicts(tmp_path, selector="nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}") == {"pass"}


def test_who_asks_for_a_part_of_a_gpu_is_somebody_elses(tmp_path: Path) -> None:
    assert _verdicts(tmp_path, resource="nvidia.com/gpumem") == {"pass"}
