"""testinfra's backends as this suite needs them: with a deadline for every command, ssh over one connection,
and `replay` of a recording. They take their places in testinfra's own table, so that `host` is one of these
everywhere: in our rules, and in a user's tests beside them."""

from __future__ import annotations

import hashlib
import tempfile
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import testinfra.backend
from testinfra.backend import base, docker, kubectl, local, ssh

from nodeworthy.collect.node import deadline
from nodeworthy.collect.node.recording import SUFFIX, NoRecording, Recording, load
from nodeworthy.collect.node.specs import path_of

SECONDS = 30.0
CONNECT_SECONDS = 10


@dataclass
class Connections:
    """How hosts are reached in this run, and what has to be closed at its end."""

    seconds: float = SECONDS
    opened: list[Ssh] = field(default_factory=list)
    # Control sockets live where nobody else can put one. Made when the first connection is.
    folder: tempfile.TemporaryDirectory[str] | None = None

    def control_path(self, hostspec: str) -> str:
        """One for each host, whoever asks: a user's own tests share the connection that the rules have opened."""
        if self.folder is None:
            # Not under TMPDIR: the path of a socket has at most 104 characters.
            self.folder = tempfile.TemporaryDirectory(prefix="nodeworthy-", dir="/tmp", ignore_cleanup_errors=True)
        return f"{self.folder.name}/{hashlib.sha256(hostspec.encode()).hexdigest()[:16]}"

    def close(self) -> None:
        for each in self.opened:
            each.close()
        self.opened.clear()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None


class NotAnswering(Exception):
    """The host could not be asked: why, in one line."""


class WithDeadline(base.BaseBackend):
    """Every command ends, if need be by force."""

    connections: ClassVar[Connections] = Connections()

    def run_local(self, command: str, *args: str) -> base.CommandResult:
        encoded = self.quote(command, *args).encode("utf-8")
        done = deadline.run(encoded, self.connections.seconds)
        return self.result(done.code, encoded, done.stdout, done.stderr)

    def get_encoding(self) -> str:
        # testinfra would ask the host's python, which costs a round trip and may not be there.
        return "utf-8"

    def decode(self, data: bytes) -> str:
        return data.decode("utf-8", errors="replace")


class Local(WithDeadline, local.LocalBackend):
    pass


class Docker(WithDeadline, docker.DockerBackend):
    pass


class Kubectl(WithDeadline, kubectl.KubectlBackend):
    pass


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
            deadline.run(f"{line} -O exit {self.host.name}".encode(), CONNECT_SECONDS)


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


_OURS = {"ssh": Ssh, "local": Local, "docker": Docker, "kubectl": Kubectl, "replay": Replay}


def register(connections: Connections) -> None:
    """Puts our backends into testinfra's table; from now on hosts are reached by them."""
    WithDeadline.connections = connections
    for name, backend in _OURS.items():
        testinfra.backend.BACKENDS[name] = f"{backend.__module__}.{backend.__qualname__}"
