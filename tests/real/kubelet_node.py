"""A real node of a real cluster: containerd 2.x and kubelet in namespaces of their own, on this machine's kernel.

It has processes, files and a name of its own, and this machine's network. No systemd runs on it, and no pods' network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .control_plane import ControlPlane
from .daemon import PATIENCE, DaemonError, scratch
from .kubelet_files import CONFIG, KUBECONFIG, SETTINGS, SOCKET, files
from .ports import free_ports
from .tools import Tools

SCRIPT = Path(__file__).with_name("kubelet_node.sh")
CGROUPS = "/sys/fs/cgroup"
NODES = "/api/v1/nodes"
PROGRAMS = ("kubelet", "containerd-2.3", "ctr-2.3", "containerd-shim-runc-v2-2.3")
NEEDED = ("runc", "unshare", "setpriv", "pivot_root")
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"


class KubeletNode:
    """`with` starts it, and ends it with everything that it has mounted and started."""

    def __init__(self, tools: Tools, plane: ControlPlane, *, name: str, pause: str) -> None:
        tools.need_root()
        self.programs = [tools.path(each) for each in PROGRAMS]
        for each in NEEDED:
            tools.path(each)
        if not os.access(CGROUPS, os.W_OK):
            tools.do_without("cgroups", f"{CGROUPS} can't be written to")
        self.plane, self.name, self.pause = plane, name, pause
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        try:
            self.folder = Path(self._cleanup.enter_context(scratch("kubelet")))
            self._write()
            self._start()
            self.wait_until(self._is_ready)
        except BaseException:
            self._cleanup.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    @property
    def path(self) -> str:
        return f"{NODES}/{self.name}"

    @property
    def object(self) -> dict[str, Any]:
        return self.plane.client.get(self.path)

    @property
    def first(self) -> int:
        """Of the node's processes, as this machine numbers it."""
        (first,) = [inside for each in _children(self.process.pid) for inside in _children(each)]
        return first

    @property
    def root(self) -> Path:
        """Its files, as it sees them."""
        return Path(f"/proc/{self.first}/root")

    def tasks(self) -> list[str]:
        """What runs in pods; what has run in them, kubelet clears away once a minute."""
        inside = ["nsenter", f"--target={self.first}", "--mount", "/opt/node/bin/ctr", f"--address={SOCKET}"]
        listing = [*inside, "--namespace=k8s.io", "tasks", "list", "--quiet"]
        return subprocess.run(listing, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout.split()

    def wait_until(self, happened: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not happened():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise DaemonError(f"it has not come: {self.tail()}")
            time.sleep(0.05)

    def tail(self) -> str:
        """Of a node that could not be made nothing is left but what was said of it."""
        logs = (Path(f"/proc/self/fd/{self._log.fileno()}"), *self.folder.glob("*.log"))
        return "\n".join("\n".join(log.read_text(errors="replace").splitlines()[-15:]) for log in logs)

    def _write(self) -> None:
        (self.folder / "bin").mkdir()
        for program in self.programs:
            shutil.copy(program, self.folder / "bin")
        (port,) = free_ports(1)
        for path, content in files(self.plane, self.pause, self.cgroup, port).items():
            file = self.folder / "files" / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)

    @property
    def cgroup(self) -> str:
        return self.folder.name

    def _start(self) -> None:
        self._log = self._cleanup.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - as long as it runs
        command = ["sh", str(SCRIPT), self.name, str(self.folder), self.cgroup, CONFIG]
        flags = [f"--config={SETTINGS}", f"--kubeconfig={KUBECONFIG}", "--cloud-provider=external", "--v=2"]
        self.process = subprocess.Popen(
            [*command, *flags], stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, start_new_session=True
        )
        self._cleanup.callback(self._end)

    def _end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def _is_ready(self) -> bool:
        answer = self.plane.client.request("GET", self.path)
        if answer.status != 200 or self._is_new_to_its_cloud(answer.body):
            return False
        conditions = {each["type"]: each["status"] for each in answer.body["status"].get("conditions", ())}
        return conditions.get("Ready") == "True"

    def _is_new_to_its_cloud(self, node: dict[str, Any]) -> bool:
        """Which knows where a node is reached, and then lets it be used."""
        taints = node["spec"].get("taints", ())
        others = [each for each in taints if each["key"] != UNINITIALIZED]
        if len(others) == len(taints):
            return False
        here = [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": self.name}]
        self.plane.client.patch_status(self.path, {"addresses": here})
        version = self.object["metadata"]["resourceVersion"]
        changed = {"metadata": {"resourceVersion": version}, "spec": {"taints": others}}
        self.plane.client.request("PATCH", self.path, changed, content_type="application/merge-patch+json")
        return True


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
