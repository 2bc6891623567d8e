"""Kubernetes objects as kubectl prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nodeworthy.known.containerd import containerd_of, defaults

Object = dict[str, Any]

NODE = "192-18-132-31"
TOOLKIT = "nvidia-container-toolkit-daemonset"
SANDBOX = (
    "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: "
    'no runtime for "nvidia" is configured'
)


def node(name: str = NODE, labels: dict[str, str] | None = None, **info: str) -> Object:
    operator = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.deploy.container-toolkit": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": "2025-09-20T11:02:17Z",
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "nvidia.com/gpu.count": "8",
                "nvidia.com/gpu.product": "NVIDIA-H200",
                **operator,
                **(labels or {}),
            },
            "name": name,
            "resourceVersion": "1482211",
            "uid": f"5f0c2a0e-0c9d-4a57-9f0e-{sum(map(ord, name)):012d}",
        },
        "spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"]},
        "status": {
            "addresses": [{"address": "192.18.132.31", "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
            "allocatable": {"cpu": "192", "memory": "2113431212Ki", "nvidia.com/gpu": "8", "pods": "110"},
            "capacity": {"cpu": "192", "memory": "2113533612Ki", "nvidia.com/gpu": "8", "pods": "110"},
            "conditions": [
                {
                    "lastHeartbeatTime": "2025-09-28T04:43:40Z",
                    "lastTransitionTime": "2025-09-20T11:02:48Z",
                    "message": "kubelet is posting ready status",
                    "reason": "KubeletReady",
                    "status": "True",
                    "type": "Ready",
                }
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "containerRuntimeVersion": "containerd://1.6.36",
                "kernelVersion": "5.15.0-153-generic",
                "kubeProxyVersion": "v1.32.9",
                "kubeletVersion": "v1.32.9",
                "operatingSystem": "linux",
                "osImage": "Ubuntu 22.04.5 LTS",
                **info,
            },
        },
    }


def pod(name: str, namespace: str = "gpu-operator", *, daemonset: str = "", on: str = NODE, **more: Any) -> Object:
    """One that runs; `more` lays what differs over it."""
    metadata: Object = {
        "creationTimestamp": "2025-09-28T03:25:41Z",
        "labels": {"app": daemonset or name},
        "name": name,
        "namespace": namespace,
        "resourceVersion": "1482301",
    }
    if daemonset:
        owner = {"apiVersion": "apps/v1", "blockOwnerDeletion": True, "controller": True, "kind": "DaemonSet"}
        metadata["ownerReferences"] = [{**owner, "name": daemonset, "uid": "0a1f9b52-6d9b-43f5-8a54-9f2b1a7d3c11"}]
    status = more.pop("status", running(name))
    spec = {"containers": [{"image": "nvcr.io/nvidia/k8s", "name": name}], "nodeName": on, **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def running(container: str, since: str = "2025-09-28T03:26:12Z") -> Object:
    return {
        "conditions": [
            {"lastTransitionTime": since, "status": "True", "type": "PodReadyToStartContainers"},
            {"lastTransitionTime": since, "status": "True", "type": "Ready"},
        ],
        "containerStatuses": [
            {"name": container, "ready": True, "restartCount": 0, "state": {"running": {"startedAt": since}}}
        ],
        "phase": "Running",
    }


def completed(container: str) -> Object:
    ended = {"exitCode": 0, "reason": "Completed", "finishedAt": "2025-09-28T03:27:01Z"}
    return {
        "conditions": [{"reason": "PodCompleted", "status": "False", "type": "Ready"}],
        "containerStatuses": [{"name": container, "ready": False, "restartCount": 0, "state": {"terminated": ended}}],
        "phase": "Succeeded",
    }


def crash_looping(container: str, restarts: int = 14) -> Object:
    waiting = {
        "message": f"back-off 5m0s restarting failed container={container} pod={TOOLKIT}-bhqw6_gpu-operator",
        "reason": "CrashLoopBackOff",
    }
    last = {"exitCode": 1, "reason": "Error", "startedAt": "2025-09-28T04:43:02Z", "finishedAt": "2025-09-28T04:43:32Z"}
    return {
        "conditions": [
            {"lastTransitionTime": "2025-09-28T03:53:30Z", "status": "True", "type": "PodReadyToStartContainers"},
            {"lastTransitionTime": "2025-09-28T03:53:40Z", "status": "False", "type": "Ready"},
        ],
        "containerStatuses": [
            {
                "lastState": {"terminated": last},
                "name": container,
                "ready": False,
                "restartCount": restarts,
                "state": {"waiting": waiting},
            }
        ],
        "phase": "Running",
    }


def creating(container: str) -> Object:
    return {
        "conditions": [
            {"lastTransitionTime": "2025-09-28T03:40:06Z", "status": "False", "type": "PodReadyToStartContainers"},
            {"lastTransitionTime": "2025-09-28T03:40:06Z", "status": "False", "type": "Ready"},
        ],
        "containerStatuses": [
            {
                "name": container,
                "ready": False,
                "restartCount": 0,
                "state": {"waiting": {"reason": "ContainerCreating"}},
            }
        ],
        "phase": "Pending",
    }


def event(about: str = "gpu-textgen", namespace: str = "default", count: int = 279, on: str = NODE) -> Object:
    return {
        "apiVersion": "v1",
        "count": count,
        "eventTime": None,
        "firstTimestamp": "2025-09-28T03:40:06Z",
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": about, "namespace": namespace},
        "kind": "Event",
        "lastTimestamp": "2025-09-28T04:43:42Z",
        "message": SANDBOX,
        "metadata": {
            "creationTimestamp": "2025-09-28T03:40:06Z",
            "name": f"{about}.18692f1d3a7c5e42",
            "namespace": namespace,
            "resourceVersion": "1482399",
        },
        "reason": "FailedCreatePodSandBox",
        "reportingComponent": "kubelet",
        "reportingInstance": on,
        "source": {"component": "kubelet", "host": on},
        "type": "Warning",
    }


def daemonset(base_dir: str | None = None, config: str | None = None, socket: str | None = None) -> Object:
    """As operator 25.3 writes it: the host's folders as volumes, the paths inside the pod as variables."""
    right = containerd_of("k8s-snap", base_dir)
    folders = [str(Path(str(each)).parent) for each in (config or right.config, socket or right.socket)]
    variables = {
        "RUNTIME": "containerd",
        "CONTAINERD_RUNTIME_CLASS": defaults().runtime_class,
        "CONTAINERD_CONFIG": "/runtime/config-dir/config.toml",
        "CONTAINERD_SOCKET": "/runtime/sock-dir/containerd.sock",
    }
    mounts = [("nvidia-run-path", "/run/nvidia"), ("toolkit-install-dir", "/usr/local/nvidia")]
    mounts += [("containerd-config", "/runtime/config-dir/"), ("containerd-socket", "/runtime/sock-dir/")]
    volumes = [
        {"hostPath": {"path": "/run/nvidia", "type": "DirectoryOrCreate"}, "name": "nvidia-run-path"},
        {"hostPath": {"path": "/usr/local/nvidia", "type": ""}, "name": "toolkit-install-dir"},
        {"hostPath": {"path": folders[0], "type": "DirectoryOrCreate"}, "name": "containerd-config"},
        {"hostPath": {"path": folders[1], "type": ""}, "name": "containerd-socket"},
    ]
    container = {
        "command": ["/bin/bash", "-c"],
        "args": ["/bin/entrypoint.sh"],
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "image": "nvcr.io/nvidia/k8s/container-toolkit:v1.17.5-ubuntu20.04",
        "imagePullPolicy": "IfNotPresent",
        "name": "nvidia-container-toolkit-ctr",
        "securityContext": {"privileged": True},
        "volumeMounts": [{"mountPath": path, "name": name} for name, path in mounts],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "generation": 1,
            "labels": {
                "app": TOOLKIT,
                "app.kubernetes.io/managed-by": "gpu-operator",
                "helm.sh/chart": "gpu-operator-v25.3.0",
            },
            "name": TOOLKIT,
            "namespace": "gpu-operator",
            "resourceVersion": "1482101",
        },
        "spec": {
            "selector": {"matchLabels": {"app": TOOLKIT}},
            "template": {
                "metadata": {"labels": {"app": TOOLKIT}},
                "spec": {
                    "containers": [container],
                    "nodeSelector": {"nvidia.com/gpu.deploy.container-toolkit": "true"},
                    "priorityClassName": "system-node-critical",
                    "serviceAccountName": "nvidia-container-toolkit",
                    "volumes": volumes,
                },
            },
        },
        "status": {"currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 0, "numberUnavailable": 1},
    }


def device_plugin() -> Object:
    name = "nvidia-device-plugin-daemonset"
    labels = {"app": name}
    containers = [{"image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.1", "name": "nvidia-device-plugin"}]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"labels": labels, "name": name, "namespace": "gpu-operator", "resourceVersion": "1482102"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": containers, "runtimeClassName": "nvidia"},
            },
        },
        "status": {"currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 1},
    }


def cluster_policy(env: list[Object] | None = None) -> Object:
    toolkit = {
        "enabled": True,
        "env": env or [],
        "image": "container-toolkit",
        "imagePullPolicy": "IfNotPresent",
        "installDir": "/usr/local/nvidia",
        "repository": "nvcr.io/nvidia/k8s",
        "version": "v1.17.5-ubuntu20.04",
    }
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"generation": 1, "name": "cluster-policy", "resourceVersion": "1482099"},
        "spec": {
            "cdi": {"default": False, "enabled": False},
            "daemonsets": {"priorityClassName": "system-node-critical", "updateStrategy": "RollingUpdate"},
            "driver": {"enabled": False},
            "operator": {"defaultRuntime": "containerd", "runtimeClass": "nvidia"},
            "toolkit": toolkit,
        },
        "status": {"namespace": "gpu-operator", "state": "notReady"},
    }
