"""The cluster of the first incident, as kubectl prints it, and the ways in which it may differ."""

from __future__ import annotations

import json
from pathlib import Path

from nodeworthy.known.containerd import containerd_of
from tests.cluster.objects import (
    NODE,
    TOOLKIT,
    Object,
    cluster_policy,
    completed,
    crash_looping,
    creating,
    daemonset,
    device_plugin,
    event,
    node,
    pod,
    running,
)

BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"
RELEASE = "gpu-operator-1758912452"
DIAL = (
    'time="2025-09-28T04:43:02Z" level=info msg="Starting nvidia-toolkit"\n'
    'time="2025-09-28T04:43:02Z" level=info msg="Sending SIGHUP signal to containerd"\n'
    'time="2025-09-28T04:43:27Z" level=warning msg="Error signaling containerd, attempt 5/6: unable to dial: dial unix '
    '/runtime/sock-dir/containerd.sock: connect: no such file or directory"\n'
    'time="2025-09-28T04:43:32Z" level=warning msg="Max retries reached 6/6, aborting"\n'
    'time="2025-09-28T04:43:32Z" level=info msg="Shutting Down"\n'
)
FLEET = f"""\
config:
  nodeworthy:fleet:
    cluster:
      name: textgen
    pools:
      onprem:
        gpu: h200
        distribution: k8s-snap
        containerdBaseDir: {BASE_DIR}
        provision: false
"""


def textgen(name: str = "gpu-textgen", on: str = NODE) -> Object:
    return pod(name, "default", on=on, runtimeClassName="nvidia", status=creating("textgen"))


def toolkit_pod(suffix: str = "bhqw6", on: str = NODE, status: Object | None = None) -> Object:
    container = "nvidia-container-toolkit-ctr"
    return pod(f"{TOOLKIT}-{suffix}", daemonset=TOOLKIT, on=on, status=status or crash_looping(container))


def pods() -> list[Object]:
    """The eleven of the incident."""
    return [
        textgen(),
        pod("gpu-feature-discovery-6hbp9", daemonset="gpu-feature-discovery"),
        pod(f"{RELEASE}-node-feature-discovery-gc-54fc76b7ssrds"),
        pod(f"{RELEASE}-node-feature-discovery-master-5cb782bgx"),
        pod(f"{RELEASE}-node-feature-discovery-worker-7kv2n", daemonset=f"{RELEASE}-node-feature-discovery-worker"),
        pod("gpu-operator-687f46747c-whzzw"),
        toolkit_pod(),
        pod("nvidia-cuda-validator-btjl6", status=completed("nvidia-cuda-validator")),
        pod("nvidia-dcgm-exporter-zb2zm", daemonset="nvidia-dcgm-exporter"),
        pod("nvidia-device-plugin-daemonset-7npm6", daemonset="nvidia-device-plugin-daemonset"),
        pod("nvidia-operator-validator-gbcq4", daemonset="nvidia-operator-validator"),
    ]


def fixed_env() -> list[Object]:
    right = containerd_of("k8s-snap", BASE_DIR)
    return [
        {"name": "CONTAINERD_CONFIG", "value": right.config},
        {"name": "CONTAINERD_SOCKET", "value": right.socket},
        {"name": "CONTAINERD_RUNTIME_CLASS", "value": "nvidia"},
    ]


def runtime_class() -> Object:
    return {
        "apiVersion": "node.k8s.io/v1",
        "handler": "nvidia",
        "kind": "RuntimeClass",
        "metadata": {"labels": {"app.kubernetes.io/component": "gpu-operator"}, "name": "nvidia"},
    }


def incident() -> dict[str, list[Object]]:
    """By the names of the files in which people keep them."""
    return {
        "nodes": [node()],
        "pods": pods(),
        "events": [event()],
        "daemonsets": [daemonset(), device_plugin()],
        "clusterpolicies": [cluster_policy()],
        "runtimeclasses": [runtime_class()],
    }


def recovered() -> dict[str, list[Object]]:
    """The same cluster after the fix: the events are still there, the pods run."""
    since = "2025-09-28T05:10:00Z"
    healthy = [
        each
        for each in pods()
        if each["metadata"]["name"] != "gpu-textgen" and "toolkit" not in each["metadata"]["name"]
    ]
    toolkit = toolkit_pod("x7k2p", status=running("nvidia-container-toolkit-ctr", since))
    right = daemonset(BASE_DIR)
    right["status"] = {"currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 1}
    return {
        **incident(),
        "pods": [
            *healthy,
            toolkit,
            pod("gpu-textgen", "default", runtimeClassName="nvidia", status=running("textgen", since)),
        ],
        "daemonsets": [right, device_plugin()],
        "clusterpolicies": [cluster_policy(fixed_env())],
    }


def write(folder: Path, kinds: dict[str, list[Object]], fleet: str | None = None) -> Path:
    """As `kubectl get … -A -o json > NAME.json` leaves them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, objects in kinds.items():
        written = {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}}
        (folder / f"{name}.json").write_text(json.dumps(written, indent=4) + "\n", encoding="utf-8")
    if fleet is not None:
        (folder.parent / "Pulumi.onprem.yaml").write_text(fleet, encoding="utf-8")
    return folder
