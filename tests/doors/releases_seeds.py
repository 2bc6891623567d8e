"""Faults in the values of charts, each with its healthy twin: what the doors of `releases.py` are tried with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from nodeworthy.known.containerd import containerd_of, defaults

REPOSITORIES = {
    "gpu-operator": "https://helm.ngc.nvidia.com/nvidia",
    "hami": "https://project-hami.github.io/HAMi/",
    "kube-prometheus-stack": "https://prometheus-community.github.io/helm-charts",
    "nvidia-device-plugin": "https://nvidia.github.io/k8s-device-plugin",
}
_SOCKET = defaults().socket
_K3S = str(containerd_of("k3s").socket)


@dataclass(frozen=True)
class Seed:
    name: str
    rule: str
    chart: str
    version: str
    ill: str
    healthy: str
    # What the finding's line must hold; where it stands in another form, several words.
    marks: tuple[str, ...]

    @property
    def repository(self) -> str:
        return REPOSITORIES[self.chart]

    def values(self, *, healthy: bool) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load(self.healthy if healthy else self.ill)
        return found


SEEDS = (
    Seed(
        "socket-as-url",
        "toolkit-env-wellformed",
        "gpu-operator",
        "v25.10.0",
        "driver: {enabled: false}\ntoolkit: {env: [{name: CONTAINERD_SOCKET, value: 'unix://" + _SOCKET + "'}]}\n",
        "driver: {enabled: false}\ntoolkit: {env: [{name: CONTAINERD_SOCKET, value: " + _SOCKET + "}]}\n",
        ("unix://",),
    ),
    Seed(
        "variable-misspelt",
        "toolkit-env-wellformed",
        "gpu-operator",
        "v25.10.0",
        "toolkit: {enabled: true, env: [{name: CONTAINERD_SOKET, value: " + _K3S + "}]}\n",
        "toolkit: {enabled: true, env: [{name: CONTAINERD_SOCKET, value: " + _K3S + "}]}\n",
        ("CONTAINERD_SOKET",),
    ),
    Seed(
        "setting-that-nobody-reads",
        "operator-release-works",
        "gpu-operator",
        "v25.10.0",
        "driver: {enable: false}\ntoolkit: {enabled: true}\n",
        "driver: {enabled: false}\ntoolkit: {enabled: true}\n",
        ("enable",),
    ),
    Seed(
        "release-with-the-socket-fault",
        "operator-release-works",
        "gpu-operator",
        "v25.3.3",
        "toolkit: {env: [{name: CONTAINERD_SOCKET, value: " + _K3S + "}]}\n",
        "toolkit: {enabled: true}\n",
        ("/run/k3s", "25.3.3", "CONTAINERD_SOCKET"),
    ),
    Seed(
        "policy-misspelt",
        "hami-policy-known",
        "hami",
        "2.6.1",
        "scheduler: {defaultSchedulerPolicy: {nodeSchedulerPolicy: BinPack, gpuSchedulerPolicy: spread}}\n"
        "devicePlugin: {deviceSplitCount: 10, runtimeClassName: nvidia}\n",
        "scheduler: {defaultSchedulerPolicy: {nodeSchedulerPolicy: binpack, gpuSchedulerPolicy: spread}}\n"
        "devicePlugin: {deviceSplitCount: 10, runtimeClassName: nvidia}\n",
        ("BinPack",),
    ),
    Seed(
        "no-volume",
        "metrics-fit-their-disk",
        "kube-prometheus-stack",
        "78.5.0",
        "grafana: {enabled: false}\nprometheus: {prometheusSpec: {retention: 30d}}\n",
        "grafana: {enabled: false}\n"
        "prometheus: {prometheusSpec: {retention: 30d, retentionSize: 40GB, storageSpec: {volumeClaimTemplate: {spec: "
        "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 50Gi}}}}}}}\n",
        (),
    ),
    Seed(
        "both-means-of-sharing",
        "sharing-configured",
        "gpu-operator",
        "v25.10.0",
        "devicePlugin:\n  config:\n    create: true\n    name: plugin-sharing\n    default: any\n    data:\n      any: |\n"
        "        version: v1\n        sharing:\n          timeSlicing:\n            resources:\n"
        "              - name: nvidia.com/gpu\n                replicas: 4\n          mps:\n            resources:\n"
        "              - name: nvidia.com/gpu\n                replicas: 8\n",
        "devicePlugin:\n  config:\n    create: true\n    name: plugin-sharing\n    default: any\n    data:\n      any: |\n"
        "        version: v1\n        sharing:\n          timeSlicing:\n            resources:\n"
        "              - name: nvidia.com/gpu\n                replicas: 4\n",
        (),
    ),
    Seed(
        "shares-of-one-and-in-quotes",
        "sharing-configured",
        "nvidia-device-plugin",
        "0.17.1",
        "config:\n  default: shared\n  map:\n    default: |\n      version: v1\n      sharing:\n        timeSlicing:\n"
        "          resources:\n            - name: nvidia.com/gpu\n              replicas: 1\n"
        "    shared: |\n      version: v1\n      sharing:\n        timeSlicing:\n"
        "          resources:\n            - name: nvidia.com/gpu\n              replicas: '4'\n",
        "config:\n  default: shared\n  map:\n    default: |\n      version: v1\n"
        "    shared: |\n      version: v1\n      sharing:\n        timeSlicing:\n"
        "          resources:\n            - name: nvidia.com/gpu\n              replicas: 4\n",
        (),
    ),
)
