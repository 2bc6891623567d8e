"""testinfra's backends as this suite needs them: with a deadline for every command, ssh over one connection,
and `replay` of a recording. They take their places in testinfra's own table, so that `host` is one of these
everywhere: in our rules, and in a user's tests beside them."""

from __future__ import annotations

import urllib.parse
from pathlib import Path
from typing import Any

import testinfra.backend
from testinfra.backend import base, docker, kubectl, local, ssh

from nodeworthy.collect.node import deadline
from nodeworthy.collect.node.connections import Connections, NotAnswering, WithDeadline
from nodeworthy.collect.node.node_pod import NodePod
from nodeworthy.collect.node.recording import SUFFIX, NoRecording, Recording, load
from nodeworthy.collect.node.specs import path_of
from nodeworthy.collect.node.ssm import Ssm

SPACES = "--mount --uts --ipc --net --pid --cgroup --root --wd"
# Nothing of ours goes inside: neither secrets in variables nor a library that is loaded by one.
ENVIRONMENT = "env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Nsenter(WithDeadline):
    """`nsenter://PID`: a container or a machine of any kind on this one, by its first process, in its namespaces.

    A system that starts again has another first process: `nsenter:///run/node.pid` names a file that holds the number.
    """

    NAME = "nsenter"

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(str(path_of(name)), *args, **kwargs)

    def run(self, command: str, *args: str, **_: Any) -> base.CommandResult:
        command = self.get_command(command, *args)
        out = self.run_local(f"{ENVIRONMENT} nsenter --target %s {SPACES} /bin/sh -c %s", self._pid(), command)
        out.command = command.encode("utf-8")
        return out

    def _pid(self) -> str:
        if self.hostname.isdecimal():
            return self.hostname
        try:
            said = Path(self.hostname).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else "it is no text"
            raise NotAnswering(f"{self.hostname} can't be read: {why}") from None
        if not said.isdecimal():
            raise NotAnswering(f"{self.hostname} holds no process's number")
        return said


CONNECT_SECONDS = 10


class Local(WithDeadline, local.LocalBackend):
    pass


class Docker(WithDeadline, docker.DockerBackend):
    pass


class Kubectl(WithDeadline, kubectl.KubectlBackend):
    def run(self, command: str, *args: str, **_: Any) -> base.CommandResult:
        """testinfra lays a kubeconfig and a context in double quotes, in which the shell runs what it finds."""
        flags = [(f"--{each}=", getattr(self, each)) for each in ("kubeconfig", "context", "namespace", "container")]
        words = [f"{flag}{value}" for flag, value in flags if value is not None]
        words += ["exec", self.name, "--", "/bin/sh", "-c", self.get_command(command, *args)]
        return self.run_local(" ".join(["kubectl", *["%s"] * len(words)]), *words)


class Ssh(WithDeadline, ssh.SshBackend):
    """The system's ssh: one connection a host, which the first command opens and the others share."""

    def __init__(self, hostspec: str, **kwargs: Any) -> None:
        seconds = self.connections.seconds
        kwargs["timeout"] = max(1, min(CONNECT_SECONDS, int(seconds)))
        kwargs["controlpath"] = self.connections.control_path(hostspec)
        # Hosts are asked at the same time and within a deadline: nobody is there to answer a prompt. A password in
        # the spec is given by sshpass, which answers one.
        quiet = "-T" if self.parse_hostspec(hostspec).password else "-T -o BatchMode=yes"
        kwargs["ssh_extra_args"] = " ".join(filter(None, [kwargs.get("ssh_extra_args"), quiet]))
        super().__init__(hostspec, **kwargs)
        self.connections.opened.append(self)

    def get_pytest_id(self) -> str:
        return f"ssh://{self.host.name}" + (f":{self.host.port}" if self.host.port else "")

    def run_ssh(self, command: str) -> base.CommandResult:
        try:
            return super().run_ssh(command)
        except RuntimeError as problem:
            failed = problem.args[0]
            said = [line for line in failed.stderr.splitlines() if line.strip()]
            raise NotAnswering(said[-1].strip() if said else "ssh ended with 255") from None

    def close(self) -> None:
        if self.controlpath and Path(self.controlpath).exists():
            command, args = self._build_ssh_command("")
            # The same options, so that ssh finds the same socket; `-O exit` speaks only to the master on this machine.
            line = self.quote(" ".join(command[:-1]), *args[:-2])
            deadline.run(f"{line} -O exit {self.host.name}".encode(), CONNECT_SECONDS, to_the_end=True)


class NotRecorded(Exception):
    """A recording answers only what was asked when it was made."""


class Replay(base.BaseBackend):
    """A host that was recorded."""

    NAME = "replay"

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.path = path_of(name)
        super().__init__(str(self.path), *args, **kwargs)

    @classmethod
    def get_hosts(cls, host: str, **_: Any) -> list[str]:
        """A folder is one host for each recording in it."""
        path = path_of(host)
        if not path.is_dir():
            return [host]
        return [urllib.parse.quote(str(each), safe="") for each in sorted(path.glob(f"*{SUFFIX}"))]

    def get_pytest_id(self) -> str:
        return f"replay:{self.path}"

    def recording(self) -> Recording:
        """Raises NoRecording with why."""
        try:
            return load(self.path)
        except OSError as problem:
            raise NoRecording(f"it can't be read: {problem.strerror}") from None

    def run(self, command: str, *_: str, **__: Any) -> base.CommandResult:
        raise NotRecorded(f"{self.path} is a recording of what the rules read; it can't run {command!r}")


_OURS = {
    "ssh": Ssh,
    "local": Local,
    "docker": Docker,
    "kubectl": Kubectl,
    "nsenter": Nsenter,
    "node": NodePod,
    "ssm": Ssm,
    "replay": Replay,
}


def register(connections: Connections) -> None:
    """Puts our backends into testinfra's table; from now on hosts are reached by them."""
    WithDeadline.connections = connections
    for name, backend in _OURS.items():
        testinfra.backend.BACKENDS[name] = f"{backend.__module__}.{backend.__qualname__}"
