"""Metrics of the GPUs in our own rack."""

from pulumi_kubernetes.apps.v1 import DaemonSet, DaemonSetSpecArgs
from pulumi_kubernetes.core.v1 import ContainerArgs, ContainerPortArgs, PodSpecArgs, PodTemplateSpecArgs
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

LABELS = {"app.kubernetes.io/name": "dcgm-exporter"}

DaemonSet(
    "dcgm-exporter",
    metadata=ObjectMetaArgs(name="dcgm-exporter", namespace="monitoring", labels=LABELS),
    spec=DaemonSetSpecArgs(
        selector=LabelSelectorArgs(match_labels=LABELS),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels=LABELS),
            spec=PodSpecArgs(
                node_selector={"nvidia.com/gpu.present": "true"},
                containers=[
                    ContainerArgs(
                        name="exporter",
                        image="nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3-4.1.3-ubuntu22.04",
                        ports=[ContainerPortArgs(name="metrics", container_port=9400)],
                    )
                ],
            ),
        ),
    ),
)
