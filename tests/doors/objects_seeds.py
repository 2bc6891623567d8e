"""Faults in objects of Kubernetes, each with its healthy twin: what the doors of `objects.py` are tried with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from nodeworthy.known.containerd import defaults

_SOCKET = defaults().socket


@dataclass(frozen=True)
class Seed:
    name: str
    rule: str
    ill: str
    # What is written otherwise in the healthy one.
    wrong: str
    right: str
    # What the finding's line must hold; where it stands in another form, several words.
    marks: tuple[str, ...] = ()

    def object(self, *, healthy: bool) -> dict[str, Any]:
        assert self.wrong in self.ill, self.name
        found: dict[str, Any] = yaml.safe_load(self.ill.replace(self.wrong, self.right) if healthy else self.ill)
        return found


_POD = """
apiVersion: v1
kind: Pod
metadata: {name: smoke, namespace: gpu}
spec:
  restartPolicy: Never
  containers:
    - name: cuda
      image: nvcr.io/nvidia/cuda:12.9.1-base-ubuntu24.04
      command: [nvidia-smi]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
_DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: gpu}
spec:
  replicas: 2
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec:
      containers:
        - name: server
          image: nvcr.io/nvidia/tritonserver:25.06-py3
          env: [{name: NVIDIA_VISIBLE_DEVICES, value: "none"}]
          resources: {limits: {nvidia.com/gpu: 1, memory: 16Gi}, requests: {memory: 16Gi}}
"""

SEEDS = (
    Seed("half-a-gpu", "gpu-quantity", _POD.replace("gpu: 1", "gpu: 0.5"), "0.5", "1", ("0.5",)),
    Seed(
        "request-without-limit",
        "gpu-quantity",
        _DEPLOYMENT.replace('env: [{name: NVIDIA_VISIBLE_DEVICES, value: "none"}]', "ports: [{containerPort: 8000}]")
        .replace("nvidia.com/gpu: 1, ", "")
        .replace("requests: {", "requests: {nvidia.com/gpu: 1, "),
        "limits: {",
        "limits: {nvidia.com/gpu: 1, ",
        ("nvidia.com/gpu",),
    ),
    Seed(
        "scheduler-policy",
        "hami-policy-known",
        _POD.replace("namespace: gpu}", "namespace: gpu, annotations: {hami.io/gpu-scheduler-policy: Spread}}"),
        "Spread",
        "spread",
        ("Spread",),
    ),
    Seed(
        "both-means-of-sharing",
        "sharing-configured",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plugin-sharing, namespace: gpu-operator}\ndata:\n  any: |\n"
        "    version: v1\n    sharing:\n      timeSlicing:\n        resources:\n          - name: nvidia.com/gpu\n"
        "            replicas: 4\n      mps:\n        resources:\n          - name: nvidia.com/gpu\n"
        "            replicas: 8\n",
        "      mps:\n        resources:\n          - name: nvidia.com/gpu\n            replicas: 8\n",
        "",
    ),
    Seed(
        "socket-as-url",
        "toolkit-env-wellformed",
        "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n"
        "  operator: {defaultRuntime: containerd}\n  daemonsets: {}\n  driver: {enabled: false}\n"
        "  devicePlugin: {enabled: true}\n  dcgm: {enabled: true}\n  dcgmExporter: {enabled: true}\n"
        "  gfd: {enabled: true}\n  nodeStatusExporter: {enabled: false}\n"
        "  toolkit:\n    enabled: true\n    env:\n      - name: CONTAINERD_SOCKET\n"
        "        value: unix://" + _SOCKET + "\n",
        "unix:///",
        "/",
        ("unix://",),
    ),
    Seed(
        "alert-on-no-metric",
        "gpu-metrics-exist",
        "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: gpus, namespace: monitoring}\n"
        "spec:\n  groups:\n    - name: gpus\n      rules:\n        - alert: GpuXid\n"
        "          expr: increase(DCGM_FI_DEV_XID[5m]) > 0\n",
        "DCGM_FI_DEV_XID",
        "DCGM_FI_DEV_XID_ERRORS",
        ("DCGM_FI_DEV_XID",),
    ),
    Seed(
        "quota-that-counts-nothing",
        "gpu-quantity",
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: gpus, namespace: team}\nspec:\n"
        "  hard:\n    nvidia.com/gpu: 8\n    pods: 20\n",
        "    nvidia.com/gpu",
        "    requests.nvidia.com/gpu",
        ("nvidia.com/gpu",),
    ),
    Seed(
        "claim-of-a-version-that-is-gone",
        "claims-resolvable",
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata: {name: gpu, namespace: gpu}\n"
        "spec:\n  spec:\n    resourceClassName: gpu.nvidia.com\n",
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata: {name: gpu, namespace: gpu}\n"
        "spec:\n  spec:\n    resourceClassName: gpu.nvidia.com\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: gpu, namespace: gpu}\nspec:\n"
        "  spec:\n    devices:\n      requests:\n        - name: gpu\n          exactly: {deviceClassName: gpu.nvidia.com}\n",
    ),
)
