"""Stands in for the kubelets of simulated nodes: takes the pods that the scheduler has given them, says how each of them
goes, and hands out their logs to the API server. A node runs a pod's own command on this machine, or does as told."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Self

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import KubeClient

NODES = "/api/v1/nodes"
Object = Mapping[str, Any]


class Went(NamedTuple):
    """How a pod has gone: its status, and what it printed."""

    status: Object
    log: bytes = b""


# Of a node: how a pod goes there. None: nothing is ever said of it.
Goes = Callable[[Object], Went | None]


def ended(code: int, log: bytes, reason: str = "") -> Went:
    how = {"exitCode": code, "reason": reason or ("Completed" if code == 0 else "Error")}
    return Went({"phase": "Failed" if code else "Succeeded", **_container({"terminated": how})}, log)


def waits(reason: str, message: str) -> Went:
    return Went({"phase": "Pending", **_container({"waiting": {"reason": reason, "message": message}})})


def runs_beside(first: int) -> Goes:
    """What its container would run, by the nodeworthy of this checkout: it sees the processes of the node, whose first
    is this one, and shares nothing else with it."""

    def goes(pod: Object) -> Went:
        command = pod["spec"]["containers"][0]["command"]
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        inside = ["nsenter", "--target", str(first), "--pid", "unshare", "--mount", "--mount-proc", *command]
        ran = subprocess.run(
            inside, capture_output=True, env={**os.environ, "PATH": path}, timeout=PATIENCE, check=False
        )
        return ended(ran.returncode, ran.stdout + ran.stderr)

    return goes


def always(went: Went) -> Goes:
    return lambda _: went


def hangs(_: Object) -> Went:
    return Went({"phase": "Running", **_container({"running": {}})})


def _container(state: Object) -> Object:
    own = {"name": "look", "image": "", "imageID": "", "ready": False, "restartCount": 0, "state": state}
    return {"containerStatuses": [own]}


class StandInKubelet:
    """All nodes of one cluster. `nodes` says how pods go on each; a node of it that is left out is not there."""

    def __init__(self, plane: ControlPlane) -> None:
        self.client: KubeClient = plane.client
        self.nodes: dict[str, Goes] = {}
        # Nodes that never let go of a pod.
        self.deaf: set[str] = set()
        # Each pod that was taken, by its name, in order.
        self.taken: dict[str, Object] = {}
        self._logs: dict[str, bytes] = {}
        self._over = threading.Event()
        self._server = _log_server(plane, self._logs)

    def __enter__(self) -> Self:
        # As many pods as run at once, whatever this machine has.
        self._threads = ThreadPoolExecutor(max_workers=32)
        self._threads.submit(self._server.serve_forever)
        self._threads.submit(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._threads.shutdown()

    def add(self, name: str, goes: Goes, *, machine: str = "", ready: bool = True, **labels: str) -> None:
        """`machine`: as the cloud's controller names it."""
        self.nodes[name] = goes
        spelled = {key.replace("__", "/"): value for key, value in labels.items()}
        taint = {"key": "nodeworthy/unverified", "effect": "NoSchedule"}
        spec = {"taints": [taint], **({"providerID": machine} if machine else {})}
        self.client.create(NODES, {"kind": "Node", "metadata": {"name": name, "labels": spelled}, "spec": spec})
        self.client.patch_status(f"{NODES}/{name}", self._status("True" if ready else "False"))

    def beat(self, name: str, *, ready: bool) -> None:
        """As long as it is heard, Kubernetes takes its word; else it says for itself that the node is not well."""
        path = f"{NODES}/{name}/status"
        said = {"status": {"conditions": self._status("True" if ready else "False")["conditions"]}}
        self.client.request("PATCH", path, said, content_type="application/merge-patch+json")  # it may be gone by now

    def add_dying(self, name: str) -> None:
        """One that is heard no more once it has a pod, in the node controller's words."""

        def goes(pod: Object) -> Went:
            self.client.patch_status(f"{NODES}/{name}", self._status("Unknown"))
            return hangs(pod)

        self.add(name, goes)

    def forget(self) -> None:
        for name in list(self.nodes):
            self.client.request("DELETE", f"{NODES}/{name}")
        self.nodes.clear()
        self.deaf.clear()
        self.taken.clear()

    def _status(self, ready: str) -> Object:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        said = "kubelet is posting ready status" if ready == "True" else "Kubelet stopped posting node status."
        condition = {"type": "Ready", "status": ready, "message": said, "reason": "X", "lastTransitionTime": now}
        room = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "50Gi"}
        return {
            "conditions": [{**condition, "lastHeartbeatTime": now}],
            "capacity": room,
            "allocatable": room,
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self._server.server_port}},
        }

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            for pod in self.client.get("/api/v1/pods")["items"]:
                node = pod["spec"].get("nodeName")
                if node not in self.nodes:
                    continue
                name = pod["metadata"]["name"]
                if "deletionTimestamp" in pod["metadata"]:
                    if node not in self.deaf:
                        self._let_go(pod)
                elif pod["status"].get("phase") == "Pending" and name not in self.taken:
                    self.taken[name] = pod
                    self._threads.submit(self._go, pod, self.nodes[node])

    def _let_go(self, pod: Object) -> None:
        """What a kubelet says once the pod's processes are gone: first how they ended, which the Job waits for."""
        if pod["status"].get("phase") == "Running":
            self._say(pod, ended(143, self._logs.get(pod["metadata"]["name"], b"")))
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}
        self.client.request("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}", options)

    def _go(self, pod: Object, goes: Goes) -> None:
        went = goes(pod)
        if went is not None:
            self._say(pod, went)

    def _say(self, pod: Object, went: Went) -> None:
        name = pod["metadata"]["name"]
        self._logs[name] = went.log
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{name}/status"
        patch = "application/merge-patch+json"
        # By its own container's name: another is refused to whoever writes the status next, who may be the scheduler.
        own = pod["spec"]["containers"][0]["name"]
        said = [{**each, "name": own} for each in went.status.get("containerStatuses", ())]
        status = {**went.status, **({"containerStatuses": said} if said else {})}
        self.client.request("PATCH", path, {"status": status}, content_type=patch)  # it may be gone by now


def _log_server(plane: ControlPlane, logs: Mapping[str, bytes]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pod = self.path.split("/")[3]
            known = pod in logs
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(logs[pod] if known else json.dumps({"message": f"no logs of {pod}"}).encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(plane.home / "server.crt", plane.home / "server.key")
    server.socket = trust.wrap_socket(server.socket, server_side=True)
    return server
