"""`nsenter://PID`: a container or a machine of any kind on this one, by its first process, in all of its namespaces.

A system that starts again has another first process: `nsenter:///run/node.pid` names a file that holds the number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from testinfra.backend import base

from nodeworthy.collect.node.connections import NotAnswering, WithDeadline
from nodeworthy.collect.node.specs import path_of

SPACES = "--mount --uts --ipc --net --pid --cgroup --root --wd"
# Nothing of ours goes inside: neither secrets in variables nor a library that is loaded by one.
ENVIRONMENT = "env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Nsenter(WithDeadline):
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
