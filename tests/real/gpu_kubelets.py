"""Stands in for the kubelets of nodes with GPUs that `accept` tries: a pod really runs its launcher on this machine, with
the programs of its ConfigMap, or prints what a test says that it measured. Who is told to go goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.accept.recordings import NONCE

from .control_plane import ControlPlane
from .stand_in_kubelet import NODES, Object, StandInKubelet, Went, ended, hangs

GPU = "nvidia.com/gpu"
H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "node.kubernetes.io/instance-type": "p5.48xlarge"}
MERGE = "application/merge-patch+json"
# What programs measure on a machine like this one is small.
SMALL = {"NODEWORTHY_MIB": "4"}


# A node of which nothing is heard for 40 s is given up by its controller.
HEARTBEAT_SECONDS = 5.0


class GpuKubelets(StandInKubelet):
    """Each node offers eight GPUs, and frees them when it is told to let a pod go."""

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        # Nodes that are heard no more.
        self.silent: set[str] = set()

    def __enter__(self) -> Self:
        super().__enter__()
        self._threads.submit(self._beat)
        return self

    def forget(self) -> None:
        super().forget()
        self.silent.clear()

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT_SECONDS):
            for name in set(self.nodes) - self.silent:
                conditions = {"status": {"conditions": self._status("True")["conditions"]}}
                self.client.request("PATCH", f"{NODES}/{name}/status", conditions, content_type=MERGE)

    def add_gpu_node(
        self,
        name: str,
        goes: Callable[[Object], Went | None] = hangs,
        *,
        gpus: int = 8,
        tainted: bool = False,
        boot: str = "boot-1",
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.nodes[name] = goes
        taints = [{"key": "nodeworthy/unverified", "effect": "NoSchedule"}] if tainted else []
        metadata = {"name": name, "labels": {**H100, **(labels or {})}}
        self.client.create(NODES, {"kind": "Node", "metadata": metadata, "spec": {"taints": taints}})
        self.offer(name, gpus, boot=boot)
        # The node's own controller puts it there until it has looked.
        self._untaint(name)

    def offer(self, name: str, gpus: int, *, boot: str = "boot-1", **more: str) -> None:
        room = {"cpu": "192", "memory": "2Ti", "pods": "110", "ephemeral-storage": "500Gi", GPU: str(gpus), **more}
        info = {"nodeInfo": {"bootID": boot}}
        self.client.patch_status(
            f"{NODES}/{name}", {**self._status("True"), "capacity": room, "allocatable": room, **info}
        )

    def _untaint(self, name: str) -> None:
        node = self.client.get(f"{NODES}/{name}")
        kept = [each for each in node["spec"].get("taints", ()) if "not-ready" not in each["key"]]
        self.client.expect("PATCH", f"{NODES}/{name}", {"spec": {"taints": kept}}, content_type=MERGE)

    def change(self, name: str, patch: Object) -> None:
        self.client.expect("PATCH", f"{NODES}/{name}", patch, content_type=MERGE)

    def say(self, pod: Object, went: Went) -> None:
        self._say(pod, went)


def environment_of(pod: Object) -> dict[str, str]:
    """As a kubelet makes it, but for names that only a cluster's own server knows."""
    found: dict[str, str] = {}
    for each in pod["spec"]["containers"][0].get("env", ()):
        path = each.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        if path == "spec.nodeName":
            found[each["name"]] = pod["spec"]["nodeName"]
        elif path:
            found[each["name"]] = pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
        else:
            found[each["name"]] = each.get("value", "")
    return {**found, **({"MASTER_ADDR": "127.0.0.1"} if "MASTER_ADDR" in found else {})}


class RunsLauncher:
    """What the pod's container would run, by this Python; killed when the pod is to go."""

    def __init__(self, kubelets: GpuKubelets, **more: str) -> None:
        self.kubelets, self.more = kubelets, more
        # Of each pod its process, by the pod's name.
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def __call__(self, pod: Object) -> Went:
        self.kubelets.say(pod, hangs(pod))
        with tempfile.TemporaryDirectory() as folder:
            programs = self._laid_down(pod, Path(folder))
            command = [sys.executable, str(programs / "launch.py"), *pod["spec"]["containers"][0]["command"][2:]]
            environment = {**os.environ, **environment_of(pod), **SMALL, **self.more}
            environment |= dict.fromkeys(("NODEWORTHY_SCRATCH", "HOME", "TMPDIR"), folder)
            process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, start_new_session=True)
            self.processes[pod["metadata"]["name"]] = process
            threading.Thread(target=self._ends_with_its_pod, args=(pod, process), daemon=True).start()
            said, _ = process.communicate(timeout=300)
        return ended(process.returncode, said)

    def _laid_down(self, pod: Object, folder: Path) -> Path:
        volume = next(each for each in pod["spec"]["volumes"] if each["name"] == "programs")
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/configmaps/{volume['configMap']['name']}"
        for name, text in self.kubelets.client.get(path)["data"].items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def _ends_with_its_pod(self, pod: Object, process: subprocess.Popen[bytes]) -> None:
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        while process.poll() is None:
            found = self.kubelets.client.request("GET", path)
            if found.status == 404 or "deletionTimestamp" in found.body["metadata"]:
                process.terminate()
            threading.Event().wait(0.2)


def measured(
    lines: Callable[[Object], Sequence[str]], before: Callable[[], None] | None = None
) -> Callable[[Object], Went]:
    """A pod whose programs measure this, in lines that bear the nonce and the node's name of recordings."""

    def goes(pod: Object) -> Went:
        given = environment_of(pod)
        if before is not None:
            before()
        body = "\n".join(lines(pod)).replace(NONCE, given["NODEWORTHY_NONCE"])
        text = body.replace('"gpu-1"', json.dumps(given["NODEWORTHY_NODE"]))
        nonce = given["NODEWORTHY_NONCE"]
        whole = f"==== nodeworthy {nonce} begins ====\n{text}\n==== nodeworthy {nonce} ends ====\n"
        return ended(0, whole.encode())

    return goes
