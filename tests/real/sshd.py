"""A real sshd on the loopback, with throw-away keys and a configuration of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

from .daemon import PATIENCE, Daemon
from .ports import free_ports
from .tools import Tools

SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {home}/host_key
PidFile none
AuthorizedKeysFile {home}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
{more}
"""

CLIENT = """\
Host node
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile {home}/user_key
  IdentitiesOnly yes
  UserKnownHostsFile {home}/known_hosts
"""


class Sshd:
    """`ssh://node` with this server's `config` reaches it. `more` are lines of its configuration."""

    def __init__(self, tools: Tools, home: Path, more: str = "") -> None:
        tools.need_root()
        self.program = tools.path("sshd")
        self.home = home
        self.more = more
        self.config = home / "ssh_config"

    def __enter__(self) -> Self:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where sshd confines its children to
        for name in ("host_key", "user_key"):
            key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.home / name)]
            subprocess.run(key, check=True, timeout=PATIENCE)
        (self.port,) = free_ports(1)
        names = {"port": self.port, "home": self.home, "more": self.more}
        (self.home / "sshd_config").write_text(SERVER.format(**names))
        self.config.write_text(CLIENT.format(**names))
        host_key = (self.home / "host_key.pub").read_text()
        (self.home / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        command: list[str | Path] = [self.program, "-D", "-e", "-f", self.home / "sshd_config"]
        self.daemon = Daemon(command, self.home / "sshd.log")
        self.daemon.wait_until(self._listens)
        return self

    def __exit__(self, *_: object) -> None:
        self.daemon.kill()

    @property
    def connections(self) -> int:
        """How often somebody has logged in."""
        return self.daemon.log.read_text().count("Accepted publickey")

    @property
    def sessions(self) -> int:
        """How many commands were run, over however many connections; asks for LogLevel VERBOSE."""
        return self.daemon.log.read_text().count("Starting session: command")

    def _listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0


def counting_ssh(folder: Path) -> tuple[Path, dict[str, str]]:
    """A log of every `ssh` that is started, and the environment in which it is kept."""
    log = folder / "ssh.log"
    real = subprocess.run(["which", "ssh"], capture_output=True, text=True, check=True).stdout.strip()
    wrapper = folder / "bin" / "ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$(echo "$*" | tr "\\n" " " | cut -c1-200)" >>{log}\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    return log, {**os.environ, "PATH": f"{wrapper.parent}:{os.environ['PATH']}", "PYTHON": sys.executable}
