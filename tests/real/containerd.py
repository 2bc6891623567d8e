"""A real containerd that leaves no trace on the machine."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from .daemon import PATIENCE, Daemon, scratch
from .tools import Tools

# Where shims put their sockets: containerd makes it whatever its state folder is.
SHIM_SOCKETS = Path("/run/containerd")

# `imports` is always there: left out, a machine's own /etc/containerd/conf.d would be read.
COMMON = """\
imports = [{imports}]
root = "{home}/root"
state = "{home}/state"

[grpc]
  address = "{home}/containerd.sock"

[plugins."io.containerd.internal.v1.opt"]
  path = "{home}/opt"
"""

CNI = """\
  bin_dir = "{home}/cni/bin"
  conf_dir = "{home}/cni/net.d"
"""

# Each major reads the CRI's settings in another place, and 2.x has NRI on and in /var/run by default.
BY_MAJOR = {
    1: "version = 2\n" + COMMON + '\n[plugins."io.containerd.grpc.v1.cri".cni]\n' + CNI,
    2: "version = 3\n"
    + COMMON
    + '\n[plugins."io.containerd.nri.v1.nri"]\n  disable = true\n'
    + '\n[plugins."io.containerd.cri.v1.runtime".cni]\n'
    + CNI,
}


class Containerd:
    """`name` is `containerd`, or `containerd-2.2` where the version matters; `imports` are files or globs to read.

    Between `with` and the end, `stop()` and `start()` make it read its configuration anew.
    """

    home: Path
    config: Path
    socket: Path
    daemon: Daemon

    def __init__(self, tools: Tools, name: str = "containerd", imports: Sequence[str | Path] = ()) -> None:
        tools.need_root()
        self.program = tools.path(name)
        self.imports = imports
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        try:
            self.home = Path(self._cleanup.enter_context(scratch("containerd")))
            self.config = self.home / "config.toml"
            self.socket = self.home / "containerd.sock"
            self.config.write_text(self._confinement())
            if not SHIM_SOCKETS.exists():
                self._cleanup.callback(remove_if_empty, SHIM_SOCKETS)
            self.start()
        except BaseException:
            self._cleanup.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    @property
    def pid(self) -> int:
        return self.daemon.pid

    @property
    def log(self) -> str:
        return self.daemon.log.read_text(errors="replace")

    def start(self) -> None:
        # Whatever it mounts is seen by nobody else and goes with it. `unshare` becomes containerd: one pid for both.
        alone = ["unshare", "--mount", "--propagation", "private"]
        self.daemon = Daemon([*alone, self.program, "--config", self.config], self.home / "containerd.log")
        self._cleanup.callback(self.daemon.kill)
        self.daemon.wait_until(self._listens)

    def stop(self) -> None:
        self.daemon.kill()
        self.socket.unlink()

    def dump(self) -> str:
        """The configuration as containerd itself has understood it, imports merged."""
        command = [str(self.program), "--config", str(self.config), "config", "dump"]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.socket)) == 0

    def _confinement(self) -> str:
        told = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout
        version = re.search(r"\bv?(\d+)\.\d+\.\d+", told)
        if version is None:
            raise ValueError(f"{self.program} does not tell its version: {told!r}")
        imports = ", ".join(f'"{path}"' for path in self.imports)
        return BY_MAJOR[int(version[1])].format(home=self.home, imports=imports)


def remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
