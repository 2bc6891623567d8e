"""A dump of a healthy cluster as kubectl prints it: twenty pods a node, about 7 KB a pod, some events, and what stands
beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.dump_beside import beside
from nodeworthy.known.containerd import containerd_of

PODS_A_NODE = 20
_VARIABLES = 10
_WHEN = "2026-03-02T08:15:00Z"
_TOOLKIT = "nvidia-container-toolkit-daemonset"
_PARTS = (_TOOLKIT, "nvidia-device-plugin-daemonset", "nvidia-dcgm-exporter")
Object = dict[str, Any]


def write(folder: Path, nodes: int) -> None:
    folder.mkdir(parents=True)
    _write(folder / "nodes.json", map(_node, range(nodes)))
    _write(folder / "pods.json", (pod for number in range(nodes) for pod in _pods(number)))
    _write(folder / "events.json", (_event(number, each) for number in range(nodes) for each in range(4)))
    _write(folder / "daemonsets.json", map(_daemonset, _PARTS))
    for name, objects in beside(nodes).items():
        _write(folder / f"{name}.json", objects)


def _write(path: Path, objects: Iterator[Object]) -> None:
    """As `kubectl get -o json` does: indented by four, the list's kind after its items."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [')
        separator = "\n"
        for each in objects:
            file.write(separator + f"        {json.dumps(each, indent=4)}".replace("\n", "\n        "))
            separator = ",\n"
        file.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')


def _name(number: int) -> str:
    return f"gpu-node-{number:05}"


def _node(number: int) -> Object:
    labels = {f"feature.node.kubernetes.io/cpu-cpuid.FLAG{each}": "true" for each in range(60)}
    labels |= {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H200", "nvidia.com/gpu.count": "8"}
    labels |= {f"nvidia.com/gpu.deploy.{_short(each)}": "true" for each in _PARTS}
    held = {"cpu": "192", "memory": "2113431212Ki", "nvidia.com/gpu": "8", "pods": "110"}
    image = {"names": [f"registry.example.com/team/image@sha256:{number:064}"], "sizeBytes": 123_456_789}
    info = {"containerRuntimeVersion": "containerd://1.7.27-k3s1", "kubeletVersion": "v1.32.4+rke2r1"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {**_metadata(_name(number), ""), "labels": {**labels, "kubernetes.io/hostname": _name(number)}},
        "spec": {"podCIDR": f"10.{number // 256}.{number % 256}.0/24"},
        "status": {
            "allocatable": held,
            "capacity": held,
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": _WHEN}],
            "images": [image] * 30,
            "nodeInfo": {**info, "osImage": "Ubuntu 22.04.5 LTS", "operatingSystem": "linux"},
        },
    }


def _pods(number: int) -> Iterator[Object]:
    for part in _PARTS:
        yield _pod(f"{part}-{number:05}", "gpu-operator", number, ("DaemonSet", part))
    yield _pod(f"train-{number // 8}-{number % 8}", "research", number, ("Job", f"train-{number // 8}"), gpus=8)
    for each in range(PODS_A_NODE - len(_PARTS) - 1):
        team = f"team-{each:02}"
        yield _pod(f"web-{number:05}-{each}", team, number, ("ReplicaSet", f"web-{number // 10}"))


def _pod(name: str, namespace: str, node: int, owner: tuple[str, str], gpus: int = 0) -> Object:
    variables = [{"name": f"SETTING_{each}", "value": f"value {each} of {namespace}"} for each in range(_VARIABLES)]
    amounts = {"cpu": "2", "memory": "4Gi", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    container = {
        "env": variables,
        "image": "registry.example.com/team/image:1.2.3",
        "name": "main",
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token"}],
    }
    by = {"apiVersion": "apps/v1", "controller": True, "kind": owner[0], "name": owner[1], "uid": f"{node:036}"}
    labels = {"app": owner[1], "app.kubernetes.io/part-of": namespace, "pod-template-hash": f"{node:010}"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**_metadata(name, namespace), "labels": labels, "ownerReferences": [by]},
        "spec": {
            "containers": [container],
            "nodeName": _name(node),
            "priority": 0,
            "schedulerName": "default-scheduler",
            "tolerations": [{"effect": "NoExecute", "key": f"key-{each}", "operator": "Exists"} for each in range(4)],
            "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
        },
        "status": _running(),
    }


def _running() -> Object:
    kinds = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [{"lastTransitionTime": _WHEN, "status": "True", "type": each} for each in kinds]
    container = {
        "containerID": f"containerd://{0:064}",
        "image": "registry.example.com/team/image:1.2.3",
        "imageID": f"registry.example.com/team/image@sha256:{0:064}",
        "name": "main",
        "ready": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": _WHEN}},
    }
    return {"conditions": conditions, "containerStatuses": [container], "phase": "Running", "startTime": _WHEN}


def _event(number: int, which: int) -> Object:
    name = f"web-{number:05}-{which}"
    return {
        "apiVersion": "v1",
        "count": 3,
        "firstTimestamp": _WHEN,
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": f"team-{which:02}"},
        "kind": "Event",
        "lastTimestamp": _WHEN,
        "message": "Readiness probe failed: HTTP probe failed with statuscode: 503",
        "metadata": _metadata(f"{name}.186{number:013}", f"team-{which:02}"),
        "reason": "Unhealthy",
        "source": {"component": "kubelet", "host": _name(number)},
        "type": "Warning",
    }


def _daemonset(name: str) -> Object:
    pod = _of_toolkit() if name == _TOOLKIT else _of_part(name)
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {**_metadata(name, "gpu-operator"), "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }


def _of_part(name: str) -> Object:
    short = _short(name)
    images = {"device-plugin": "k8s-device-plugin:v0.17.4", "dcgm-exporter": "dcgm-exporter:4.3.1-4.4.0-ubuntu22.04"}
    container = {"image": f"nvcr.io/nvidia/k8s/{images[short]}", "name": name.removesuffix("-daemonset")}
    selector = {f"nvidia.com/gpu.deploy.{short}": "true"}
    return {"containers": [container], "nodeSelector": selector, "runtimeClassName": "nvidia"}


def _short(name: str) -> str:
    return name.removeprefix("nvidia-").removesuffix("-daemonset")


def _of_toolkit() -> Object:
    """As the operator writes it where it was told the right paths."""
    right = containerd_of("rke2")
    folders = {"config": Path(str(right.config)), "sock": Path(str(right.socket))}
    variables = {
        "RUNTIME": "containerd",
        "CONTAINERD_CONFIG": f"/runtime/config-dir/{folders['config'].name}",
        "CONTAINERD_SOCKET": f"/runtime/sock-dir/{folders['sock'].name}",
    }
    container = {
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "image": "nvcr.io/nvidia/k8s/container-toolkit:v1.17.8-ubuntu20.04",
        "name": "nvidia-container-toolkit-ctr",
        "volumeMounts": [{"mountPath": f"/runtime/{part}-dir/", "name": part} for part in folders],
    }
    volumes = [{"hostPath": {"path": str(path.parent)}, "name": part} for part, path in folders.items()]
    selector = {"nvidia.com/gpu.deploy.container-toolkit": "true"}
    return {"containers": [container], "nodeSelector": selector, "volumes": volumes}


def _metadata(name: str, namespace: str) -> Object:
    where = {"namespace": namespace} if namespace else {}
    uid = f"{sum(map(ord, name)):08}-0000-4000-8000-000000000000"
    return {"creationTimestamp": _WHEN, "name": name, **where, "resourceVersion": "1482301", "uid": uid}
