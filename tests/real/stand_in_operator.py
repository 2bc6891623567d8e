"""What the GPU operator and kubelet do once the ClusterPolicy says the right thing: their objects, by hand."""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import Any, Self

from tests.cluster.incident import fixed_env, incident, recovered
from tests.cluster.objects import Object

from .control_plane import ControlPlane
from .kube_client import KubeClient

POLICY = "/apis/nvidia.com/v1/clusterpolicies/cluster-policy"
PATHS = {
    "Node": "/api/v1/nodes",
    "Pod": "/api/v1/namespaces/{}/pods",
    "Event": "/api/v1/namespaces/{}/events",
    "DaemonSet": "/apis/apps/v1/namespaces/{}/daemonsets",
    "ClusterPolicy": "/apis/nvidia.com/v1/clusterpolicies",
}
RIGHT = {(each["name"], each["value"]) for each in fixed_env() if each["name"] != "CONTAINERD_RUNTIME_CLASS"}


def put(client: KubeClient, data: Object) -> None:
    """As its controllers and its kubelet would leave it: the status is a request of its own."""
    metadata = {name: value for name, value in data["metadata"].items() if name not in ("resourceVersion", "uid")}
    path = PATHS[data["kind"]].format(metadata.get("namespace"))
    answer = client.request("POST", path, {**data, "metadata": metadata, "spec": _with_defaults(data)})
    assert answer.status == 201, answer.message
    if "status" in data and data["kind"] in ("Node", "Pod", "DaemonSet"):
        client.patch_status(f"{path}/{metadata['name']}", data["status"])


def _with_defaults(data: Object) -> Any:
    """What the server wants of a pod and the fixtures leave out."""
    spec = json.loads(json.dumps(data.get("spec")))
    for each in (spec or {}).get("containers", ()):
        each.setdefault("image", "registry.k8s.io/pause:3.10")
    if data["kind"] == "Pod":
        spec.pop("runtimeClassName", None)  # admission would want the RuntimeClass first
    return spec


def remove(client: KubeClient, *, policy: bool = True, nodes: bool = True) -> None:
    if nodes:
        client.request("DELETE", PATHS["Node"])
    if policy:
        client.request("DELETE", PATHS["ClusterPolicy"])
    for namespace in ("default", "gpu-operator"):
        for kind in ("Pod", "DaemonSet", "Event"):
            client.request("DELETE", PATHS[kind].format(namespace) + "?gracePeriodSeconds=0")


def put_incident(client: KubeClient, policy: Object | None = None) -> None:
    created = incident()
    if policy is not None:
        created["clusterpolicies"] = [policy]
    for kind in ("nodes", "daemonsets", "clusterpolicies", "pods", "events"):
        for each in created[kind]:
            put(client, each)


def env_now(client: KubeClient) -> list[Object]:
    env: list[Object] = client.get(POLICY)["spec"]["toolkit"].get("env") or []
    return env


class Operator:
    """Watches the ClusterPolicy until it is told to stop; follows each change of mind once."""

    def __init__(self, plane: ControlPlane) -> None:
        self._client = plane.client
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._well = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._over.wait(0.1):
            said = {(each["name"], each.get("value")) for each in env_now(self._client)}
            right = said >= RIGHT
            if right != self._well:
                self._well = right
                self._make(recovered() if right else incident())

    def _make(self, kinds: dict[str, list[Object]]) -> None:
        for namespace in ("default", "gpu-operator"):
            for kind in ("Pod", "DaemonSet"):
                self._client.request("DELETE", PATHS[kind].format(namespace) + "?gracePeriodSeconds=0")
        for kind in ("daemonsets", "pods"):
            for each in kinds[kind]:
                put(self._client, each)
