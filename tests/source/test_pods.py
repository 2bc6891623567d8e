"""Which pods are judged, and which are left alone: a rule that is silent where nothing is wrong is not switched off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import Ran, run

CONTAINER = "{name: c, image: x:1, resources: {limits: {nvidia.com/gpu: 0.5}}}"
TEMPLATE = f"{{spec: {{containers: [{CONTAINER}]}}}}"
# The API server takes no other policy of a Job.
ENDING = f"{{spec: {{restartPolicy: Never, containers: [{CONTAINER}]}}}}"
# Each holds one container with half a GPU.
KINDS = {
    "Pod": f"spec: {{containers: [{CONTAINER}]}}",
    "PodTemplate": f"template: {TEMPLATE}",
    "ReplicationController": f"spec: {{template: {TEMPLATE}}}",
    "Job": f"spec: {{template: {ENDING}}}",
    "CronJob": f"spec: {{jobTemplate: {{spec: {{template: {ENDING}}}}}}}",
    "JobSet": f"spec: {{replicatedJobs: [{{name: a, template: {{spec: {{template: {TEMPLATE}}}}}}}]}}",
    "MPIJob": f"spec: {{mpiReplicaSpecs: {{Worker: {{template: {TEMPLATE}}}}}}}",
    "TFJob": f"spec: {{tfReplicaSpecs: {{Worker: {{template: {TEMPLATE}}}}}}}",
    "RayCluster": f"spec: {{workerGroupSpecs: [{{groupName: a, template: {TEMPLATE}}}]}}",
    "RayJob": f"spec: {{rayClusterSpec: {{headGroupSpec: {{template: {TEMPLATE}}}}}}}",
    "LeaderWorkerSet": f"spec: {{leaderWorkerTemplate: {{workerTemplate: {TEMPLATE}}}}}",
    "Workflow": f"spec: {{templates: [{{name: a, container: {CONTAINER}}}]}}",
    "CronWorkflow": f"spec: {{workflowSpec: {{templates: [{{name: a, script: {CONTAINER}}}]}}}}",
    "TrainJob": "spec: {trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 0.5}}}}",
    "InferenceService": f"spec: {{predictor: {{containers: [{CONTAINER}]}}}}",
    "NobodyKnowsIt": f"spec: {{parts: [{{template: {TEMPLATE}}}]}}",
}


def check(folder: Path, text: str, *options: str, name: str = "x.yaml") -> Ran:
    (folder / name).write_text(text, encoding="utf-8")
    return run("check", ".", "--format", "json", *options, cwd=folder)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_that_makes_pods(tmp_path: Path, kind: str) -> None:
    version = "batch/v1" if kind in ("Job", "CronJob") else "v1"
    ran = check(tmp_path, f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n{KINDS[kind]}\n")
    assert [(each["rule"], each["is"]) for each in ran.findings] == [("gpu-quantity", "0.5")]


def test_a_list_of_them(tmp_path: Path) -> None:
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: x}}, {KINDS['Pod']}}}"
    ran = check(tmp_path, f"apiVersion: v1\nkind: List\nitems: [{pod}, {pod}]\n")
    assert len(ran.findings) == 2


def test_the_values_of_a_chart(tmp_path: Path) -> None:
    ran = check(tmp_path, "worker:\n  replicas: 2\n  resources:\n    limits:\n      nvidia.com/gpu: 0.5\n")
    assert [(each["rule"], each["where"]["line"]) for each in ran.findings] == [("gpu-quantity", 5)]


WEB_CHART = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ include "web.fullname" . }}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    spec:
      containers:
        - name: web
          image: "{{ .Values.image }}"
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
          securityContext:
            {{- toYaml .Values.securityContext | nindent 12 }}
          {{- with .Values.command }}
          command:
            {{- toYaml . | nindent 12 }}
          {{- end }}
"""
QUIET = {
    "a chart of anything": WEB_CHART,
    "another runtime": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
    "spec: {runtimeClassName: gvisor, containers: [{name: c, image: x:1}]}\n",
    "a benchmark that is run once": "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: nccl-tests}\n"
    "spec: {mpiReplicaSpecs: {Worker: {template: {spec: {containers: [{name: nccl-tests, image: x:1, "
    "resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}\n",
    "an exporter": "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: nvidia-dcgm-exporter}\n"
    "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {runtimeClassName: nvidia, containers: "
    "[{name: e, image: dcgm-exporter:4, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}]}}}\n",
    "work that looks at its machine before it begins": "apiVersion: v1\nkind: Pod\nmetadata: {name: train}\n"
    "spec: {initContainers: [{name: gpu-healthcheck, image: x:1, command: [nvidia-smi, -L]}], containers: "
    "[{name: c, image: x:1, command: [python, a.py], resources: {limits: {nvidia.com/gpu: 1}}}]}\n",
    "traces without metrics": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
    "spec: {containers: [{name: c, image: x:1, command: [nsys, profile, python, a.py], "
    "resources: {limits: {nvidia.com/gpu: 1}}}]}\n",
    "npm-check-updates": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
    "spec: {containers: [{name: c, image: node:22, command: [sh, -c, 'ncu -u && npm test']}]}\n",
    "whether ncu is there": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
    "spec: {containers: [{name: c, image: x:1, command: [sh, -c, 'which ncu || true'], "
    "resources: {limits: {nvidia.com/gpu: 1}}}]}\n",
    "a patch of the image": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n"
    "spec: {template: {spec: {containers: [{name: c, image: x:2}]}}}\n",
    "a sealed secret": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: x}\n"
    "spec:\n  encryptedData:\n    password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq0fK2b3Tzv9Qh3XJtq8r\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: x:1}]}\n",
    "zero GPUs": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
    "spec: {containers: [{name: c, image: x:1, resources: {limits: {nvidia.com/gpu: 0}}}]}\n",
}


@pytest.mark.parametrize("what", QUIET)
def test_what_is_left_alone(tmp_path: Path, what: str) -> None:
    ran = check(tmp_path, QUIET[what])
    assert ran.findings == []


def test_a_template_that_is_no_yaml_is_somebody_elses(tmp_path: Path) -> None:
    ran = check(tmp_path, "containers:\n{% for each in all %}\n  - {{ each }\n{% endfor %}\n")
    assert (ran.code, ran.findings) == (3, [])


def test_a_suppression_on_the_object(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: x, annotations: {nodeworthy/ignore.gpu-quantity: a test}}\n"
    ran = check(tmp_path, f"{text}{KINDS['Pod']}\n")
    assert ran.report["summary"]["fail"] == 0
    assert ran.report["summary"]["suppressed"] == 1


SLIP = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"


@pytest.mark.parametrize(
    ("container", "says"),
    [
        (f"{{name: c, image: 'x:1', resources: {{limits: {{nvidia.com/gpu: 1}}}}, {SLIP}}}", ["tolerations"]),
        (f"{{name: c, image: 'x:1', {SLIP}}}", []),  # without GPUs it is another tool's business
        (f"{{name: c, resources: {{limits: {{nvidia.com/gpu: 1}}}}, {SLIP}}}", []),  # a part of an object elsewhere
    ],
)
def test_a_field_at_another_depth_is_told_of_whole_pods_with_gpus(
    tmp_path: Path, container: str, says: list[str]
) -> None:
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec: {{containers: [{container}]}}\n"
    ran = check(tmp_path, pod, "--rule", "pod-can-use-gpus")
    assert [each["is"] for each in ran.findings] == says


def test_what_a_field_of_another_kind_holds_its_maker_decides(tmp_path: Path) -> None:
    container = f"{{name: c, image: 'x:1', resources: {{limits: {{nvidia.com/gpu: 1}}}}, {SLIP}}}"
    ran = check(
        tmp_path,
        f"apiVersion: x.example.com/v1\nkind: Server\nmetadata: {{name: x}}\nspec: {{containers: [{container}]}}\n",
        "--show-skipped",
        *("--rule", "pod-can-use-gpus"),
    )
    assert {each["verdict"] for each in ran.findings} == {"skip"}
