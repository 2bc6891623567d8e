"""`node://NAME`: a node of the cluster, through a privileged pod on it that this run makes and removes.

Not `kubectl debug node/NAME`, which leaves its pod behind. Everything goes through the user's own kubectl.
"""

from __future__ import annotations

import json
import re
import secrets
import shlex
import threading
from typing import Any

from testinfra.backend import base

from nodeworthy.collect.node import deadline
from nodeworthy.collect.node.connections import NotAnswering, WithDeadline
from nodeworthy.collect.node.reach import Reach

REMOVE_SECONDS = 20
# Of one name's parts: a pod's name has at most 63 characters, and of these are ours.
NODE_CHARACTERS = 40
# busybox knows no long options here.
ENTER = "nsenter -t 1 -m -u -i -n -p".split()
FLAGS = ("kubeconfig", "context", "namespace")
_WAITING = "{range .status.containerStatuses[*]}{.state.waiting.reason} {.state.waiting.message}{end}"


class NodePod(WithDeadline):
    NAME = "node"

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        self._reach: Reach = self.connections.reach
        flags = ((flag, kwargs.get(flag) or getattr(self._reach, flag, None)) for flag in FLAGS)
        self._kubectl = shlex.join(["kubectl", *(f"--{flag}={value}" for flag, value in flags if value)])
        self._lock = threading.Lock()
        self._pod: str | None = None
        self._is_made = self._is_up = False
        self.connections.opened.append(self)

    def run(self, command: str, *args: str, **_: Any) -> base.CommandResult:
        command = self.get_command(command, *args)
        with self._lock:
            if not self._is_made:
                self._make()
            if not self._is_up:
                self._wait()
        out = self._asked("exec", self._pod or "", "--", *ENTER, "/bin/sh", "-c", command)
        out.command = command.encode("utf-8")
        return out

    def close(self) -> None:
        """Removes the pod, also after Ctrl-C."""
        if self._pod is None:
            return
        removing = f"{self._kubectl} delete pod {self._pod} --ignore-not-found --wait=false"
        try:
            done = deadline.run(removing.encode(), REMOVE_SECONDS, to_the_end=True)
            why = None if done.code == 0 else _last_line(done.stderr.decode(errors="replace"))
        except deadline.TooLate as late:
            why = str(late)
        if why is not None:
            self._reach.tell(f"the pod {self._pod} could not be removed ({why}): kubectl delete pod {self._pod}")
        self._pod, self._is_made, self._is_up = None, False, False

    def _make(self) -> None:
        """Raises NotAnswering with kubectl's own words."""
        self._must("get", "node", self.hostname, "-o", "name")
        # Known before it is there, so that it is removed whenever this ends.
        self._pod = self._pod or f"nodeworthy-{_part_of_a_name(self.hostname)}-{secrets.token_hex(3)}"
        self._reach.tell(
            f"node://{self.hostname}: creates the privileged pod {self._pod} ({self._reach.image}), which is removed "
            f"at the end, and ends by itself after {self._reach.pod_seconds} s"
        )
        manifest = json.dumps(_manifest(self._pod, self.hostname, self._reach))
        self._must("create", "-f", "-", "-o", "name", stdin=manifest)
        self._is_made = True

    def _wait(self) -> None:
        seconds = max(1, int(self.connections.seconds) - 1)
        pod = f"pod/{self._pod}"
        out = self._asked("wait", pod, "--for=condition=Ready", f"--timeout={seconds}s")
        if out.rc != 0:
            why = self._asked("get", pod, "-o", f"jsonpath={_WAITING}").stdout.strip()
            raise NotAnswering(f"its pod {self._pod} does not start: {why or _last_line(out.stderr)}")
        self._is_up = True

    def _must(self, *words: str, stdin: str = "") -> None:
        out = self._asked(*words, stdin=stdin)
        if out.rc != 0:
            raise NotAnswering(_last_line(out.stderr) or f"kubectl ended with {out.rc}")

    def _asked(self, *words: str, stdin: str = "") -> base.CommandResult:
        given = f"printf %s {shlex.quote(stdin)} | " if stdin else ""
        return self.run_local(f"{given}{self._kubectl} {shlex.join(words)}")


def _last_line(stderr: str) -> str:
    """The last of what a program complains of, which says why."""
    said = [line.strip() for line in stderr.splitlines() if line.strip()]
    return said[-1] if said else ""


def _part_of_a_name(node: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", node.lower())[:NODE_CHARACTERS].strip("-")


def _manifest(name: str, node: str, reach: Reach) -> dict[str, Any]:
    """A pod that goes where it is told, past the scheduler and every taint, takes no GPU, and needs no network of its
    own."""
    container = {
        "name": "look",
        "image": reach.image,
        "command": ["sleep", str(reach.pod_seconds)],
        "securityContext": {"privileged": True},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "nodeworthy"}},
        "spec": {
            "nodeName": node,
            "hostPID": True,
            "hostIPC": True,
            "hostNetwork": True,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": reach.pod_seconds,
            "terminationGracePeriodSeconds": 0,  # else only a kubelet that answers lets it go
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
        },
    }
