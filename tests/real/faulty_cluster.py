"""A cluster whose one node has GPUs, and all is well: scheduler, controllers, kubelet and containerd are real, and the
cards are offered by a stand-in for as long as the device plugin is supposed to run. What is put out of order is put back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, Self

from tests.cluster.objects import Object

from .control_plane import ControlPlane
from .gpu_pods import gpu_pod
from .kube_client import KubeClient, wait_for
from .kubelet_files import UNVERIFIED
from .kubelet_node import KubeletNode
from .pod_images import push_busybox
from .registry import Registry
from .stand_in_plugin import RESOURCE, StandInPlugin
from .tools import Tools

NAME = "gpu-real"
NAMESPACE = "gpu-operator"
PLUGIN = "nvidia-device-plugin-daemonset"
CHOSEN = "nvidia.com/gpu.deploy.device-plugin"
GPUS = 8
DAEMONSETS = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"
PODS_OF_STACK = f"/api/v1/namespaces/{NAMESPACE}/pods"
PODS = "/api/v1/namespaces/default/pods"
MERGE = "application/merge-patch+json"
LABELS = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.count": str(GPUS),
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    CHOSEN: "true",
}
# No network for pods is here, and nobody waits for them to go.
QUICK = {"hostNetwork": True, "terminationGracePeriodSeconds": 0}


class Images(NamedTuple):
    """Each a busybox by the name that the part is known by."""

    plugin: str
    driver: str
    discovery: str
    work: str


class FaultyCluster:
    client: KubeClient
    node: KubeletNode
    images: Images
    cards: StandInPlugin

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self._cleanup = ExitStack()
        self._offer = ExitStack()

    def __enter__(self) -> Self:
        try:
            registry = self._cleanup.enter_context(Registry(self.tools))
            names = ("k8s-device-plugin", "nvidia/driver", "node-feature-discovery", "train")
            self.images = Images(*(push_busybox(self.tools, registry, each) for each in names))
            self.plane = self._cleanup.enter_context(ControlPlane(self.tools, controllers=True))
            self.client = self.plane.client
            self.node = self._cleanup.enter_context(
                KubeletNode(self.tools, self.plane, name=NAME, pause=self.images.work)
            )
            self._cleanup.callback(self._offer.close)
            self._begin()
        except BaseException:
            self._cleanup.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _begin(self) -> None:
        self.client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        account = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"
        wait_for(lambda: self.client.answers(account))
        taints = [each for each in self.node.object["spec"].get("taints", ()) if each["key"] != UNVERIFIED]
        self.change_node({"metadata": {"labels": LABELS}, "spec": {"taints": taints}})
        self.start_plugin()
        self.client.create(PODS, gpu_pod("well", self.images.work, 1))
        self.wait_for_pod(PODS, "well", "Running")

    def change_node(self, change: Mapping[str, Any]) -> None:
        self.client.expect("PATCH", self.node.path, change, content_type=MERGE)

    def start_plugin(self) -> None:
        """Its pod, which is ready, and its devices."""
        self.cards = self._offer.enter_context(StandInPlugin(self.node.root, GPUS))
        self.client.create(DAEMONSETS, self.daemonset(PLUGIN, self.images.plugin, {CHOSEN: "true"}))
        wait_for(lambda: self.client.get(f"{DAEMONSETS}/{PLUGIN}")["status"].get("numberReady") == 1)
        wait_for(lambda: self.offered() == str(GPUS))

    def stop_plugin(self) -> None:
        self.remove_daemonset(PLUGIN)
        self._offer.close()
        wait_for(lambda: self.offered() in (None, "0"))

    @contextmanager
    def plugin_is(self, spec: Mapping[str, Any]) -> Iterator[None]:
        """It is rolled out with this in its pods; the cards go with the pod that was well."""
        self.stop_plugin()
        try:
            with self.part(PLUGIN, self.images.plugin, spec, {CHOSEN: "true"}):
                yield
        finally:
            self.start_plugin()

    @contextmanager
    def part(
        self, name: str, image: str, spec: Mapping[str, Any], chooses: Mapping[str, str] | None = None
    ) -> Iterator[None]:
        written = self.daemonset(name, image, chooses or {})
        written["spec"]["template"]["spec"] |= spec
        self.client.create(DAEMONSETS, written)
        try:
            yield
        finally:
            self.remove_daemonset(name)

    def remove_daemonset(self, name: str) -> None:
        self.client.expect("DELETE", f"{DAEMONSETS}/{name}?propagationPolicy=Foreground")
        wait_for(lambda: self.client.request("GET", f"{DAEMONSETS}/{name}").status == 404)

    @contextmanager
    def made(self, path: str, written: Mapping[str, Any]) -> Iterator[None]:
        name = self.client.create(path, written)["metadata"]["name"]
        try:
            yield
        finally:
            self.client.expect("DELETE", f"{path}/{name}?gracePeriodSeconds=0&propagationPolicy=Background")
            wait_for(lambda: self.client.request("GET", f"{path}/{name}").status == 404)

    @contextmanager
    def node_is(self, change: Mapping[str, Any], back: Mapping[str, Any]) -> Iterator[None]:
        self.change_node(change)
        try:
            yield
        finally:
            self.change_node(back)

    def daemonset(self, name: str, image: str, chooses: Mapping[str, str]) -> Object:
        labels = {"app": name}
        everywhere = [{"operator": "Exists"}]
        spec = {
            **QUICK,
            "tolerations": everywhere,
            "nodeSelector": dict(chooses),
            "containers": [{"name": name, "image": image}],
        }
        template = {"metadata": {"labels": labels}, "spec": spec}
        return {
            "metadata": {"name": name, "labels": labels},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        }

    def offered(self) -> str | None:
        return str(found) if (found := self.node.object["status"]["allocatable"].get(RESOURCE)) is not None else None

    def wait_for_pod(self, path: str, name: str, phase: str) -> None:
        wait_for(lambda: self.client.get(f"{path}/{name}")["status"].get("phase") == phase)

    def is_not_placed(self, name: str) -> bool:
        conditions = self.client.get(f"{PODS}/{name}")["status"].get("conditions", ())
        return any(each["type"] == "PodScheduled" and each["status"] == "False" for each in conditions)

    def has_event(self, words: str) -> bool:
        return any(words in str(each.get("message")) for each in self.client.get("/api/v1/events")["items"])

    def crashed_again(self) -> bool:
        pods = self.client.get(PODS_OF_STACK)["items"]
        containers = [each for pod in pods for each in pod["status"].get("containerStatuses", ())]
        return any(each["restartCount"] and "running" not in each["state"] for each in containers)

    def waits(self, path: str, *reasons: str) -> bool:
        pods = self.client.get(path)["items"]
        containers = [each for pod in pods for each in pod["status"].get("containerStatuses", ())]
        return any(each["state"].get("waiting", {}).get("reason") in reasons for each in containers)
