"""No field that Kubernetes has is told of as one that it has not: the models of its own client have the last word."""

from __future__ import annotations

from typing import Any

import pytest
from kubernetes import client

from nodeworthy.known.pod_fields import fields_of

MODELS: dict[str, Any] = {
    "pod": client.V1PodSpec,
    "container": client.V1Container,
    "resources": client.V1ResourceRequirements,
    "probe": client.V1Probe,
    "toleration": client.V1Toleration,
    "Deployment": client.V1DeploymentSpec,
    "StatefulSet": client.V1StatefulSetSpec,
    "DaemonSet": client.V1DaemonSetSpec,
    "ReplicaSet": client.V1ReplicaSetSpec,
    "Job": client.V1JobSpec,
    "CronJob": client.V1CronJobSpec,
    "object": client.V1Deployment,
}


@pytest.mark.parametrize("what", MODELS)
def test_every_field_of_the_client_is_known(what: str) -> None:
    assert set(MODELS[what].attribute_map.values()) <= set(fields_of(what))
