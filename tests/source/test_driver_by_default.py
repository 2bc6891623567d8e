"""Who brings the driver, where only a default says that it is the operator: its values in the same repository decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_files import whole
from tests.run import run_json

LEFT = whole("one-driver/bad-source-gke-and-the-operator-leave-it") / "main.tf"
INSTALLER = """
resource "kubectl_manifest" "installer" {
  yaml_body = <<-YAML
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: {name: nvidia-driver-installer, namespace: kube-system}
    spec:
      selector: {matchLabels: {k8s-app: nvidia-driver-installer}}
      template:
        metadata: {labels: {k8s-app: nvidia-driver-installer}}
        spec:
          initContainers:
            - {name: nvidia-driver-installer, image: "gke-nvidia-installer:fixed"}
          containers:
            - {name: pause, image: "registry.k8s.io/pause:3.9"}
  YAML
}
"""
BESIDE = whole("one-driver/bad-values-beside-the-script")


@pytest.mark.parametrize(("enabled", "code"), [("false", 0), ("true", 1)])
def test_its_values_decide(tmp_path: Path, enabled: str, code: int) -> None:
    for name in ("user-data.sh", "Pulumi.lab.yaml"):
        (tmp_path / name).write_text((BESIDE / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "chart").mkdir()
    values = f"driver:\n  enabled: {enabled}\ntoolkit:\n  enabled: true\n  env: []\n"
    (tmp_path / "chart/values.yaml").write_text(values, encoding="utf-8")
    ran = run_json("check", ".", "--rule", "one-driver", cwd=tmp_path)
    assert (ran.code, len(ran.findings)) == (code, code)


@pytest.mark.parametrize(
    ("driver", "beside", "told"),
    [("false", "", 1), ("true", "", 0), ("false", INSTALLER, 0)],
    ids=["nobody", "operator", "installer"],
)
def test_who_brings_what_gke_leaves(tmp_path: Path, driver: str, beside: str, told: int) -> None:
    text = LEFT.read_text(encoding="utf-8").replace("default = false", f"default = {driver}")
    (tmp_path / "main.tf").write_text(text + beside, encoding="utf-8")
    ran = run_json("check", ".", "--rule", "one-driver", cwd=tmp_path)
    assert len(ran.findings) == told
