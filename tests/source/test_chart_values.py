"""What only a chart's values say is not known, and that is how charts are: it is no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.run import run

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "inference.fullname" . }}
spec:
  selector: {matchLabels: {app: inference}}
  template:
    metadata: {labels: {app: inference}}
    spec:
      {{- with .Values.runtimeClass }}
      runtimeClassName: {{ . }}
      {{- end }}
      containers:
        - name: server
          image: "{{ .Values.image }}"
          resources:
            limits:
              nvidia.com/gpu: AMOUNT
"""


@pytest.mark.parametrize(
    "amount", ["{{ .Values.gpus }}", "{{ .Values.gpus | quote }}", "{{ if .Values.all }}8{{ else }}1{{ end }}"]
)
def test_how_many_gpus_a_chart_asks_for(tmp_path: Path, amount: str) -> None:
    (tmp_path / "deployment.yaml").write_text(_DEPLOYMENT.replace("AMOUNT", amount))
    ran = run("check", ".", "--rule", "gpu-quantity", "--format", "json", "--show-passed", cwd=tmp_path)
    assert [(each["verdict"], each["cause"]) for each in ran.report["findings"]] == [
        ("skip", "the values of its chart say how many GPUs it asks for")
    ]


def test_what_a_chart_itself_says_is_judged(tmp_path: Path) -> None:
    (tmp_path / "deployment.yaml").write_text(_DEPLOYMENT.replace("AMOUNT", "0.5"))
    ran = run("check", ".", "--rule", "gpu-quantity", "--format", "json", cwd=tmp_path)
    assert [each["verdict"] for each in ran.report["findings"]] == ["fail"]


def test_which_runtime_class_a_chart_names(tmp_path: Path) -> None:
    (tmp_path / "deployment.yaml").write_text(_DEPLOYMENT.replace("AMOUNT", "1"))
    (tmp_path / "values.yaml").write_text("driver: {enabled: false}\ntoolkit: {enabled: true, env: []}\n")
    ran = run("check", ".", "--rule", "runtime-class-agrees", "--format", "json", "--show-passed", cwd=tmp_path)
    told = {each["where"]["path"]: (each["verdict"], each["cause"]) for each in ran.report["findings"]}
    assert told["deployment.yaml"] == ("skip", "the values of its chart say which RuntimeClass it names")


@pytest.mark.parametrize(("begin", "end"), [("{% if slices %}", "{% endif %}"), ("%{ if slices ~}", "%{ endif ~}")])
def test_ansibles_and_terraforms_templates_of_values_are_read(tmp_path: Path, begin: str, end: str) -> None:
    values = f"""\
toolkit:
  enabled: false
  env:
    - name: CONTAINERD_SOCKET
      value: {containerd_of("k3s").socket}
{begin}
devicePlugin:
  config:
    name: ${{x ? "a: b" : "c"}}
{end}
"""
    (tmp_path / "values.yaml").write_text(values)
    ran = run("check", ".", "--rule", "toolkit-env-wellformed", "--format", "json", cwd=tmp_path)
    assert [(each["verdict"], each["where"]["line"]) for each in ran.report["findings"]] == [("fail", 5)]


@pytest.mark.parametrize(("retention", "verdicts"), [("10d", set()), ("30d", {"fail"})])
def test_what_a_chart_promises_itself_nobody_asked_for(tmp_path: Path, retention: str, verdicts: set[str]) -> None:
    values = f"grafana: {{}}\nprometheus:\n  prometheusSpec:\n    retention: {retention}\n    storageSpec: {{}}\n"
    (tmp_path / "values.yaml").write_text(f"prometheusOperator: {{}}\nkube-state-metrics: {{}}\n{values}")
    ran = run("check", ".", "--rule", "metrics-fit-their-disk", "--format", "json", cwd=tmp_path)
    assert {each["verdict"] for each in ran.report["findings"]} == verdicts
