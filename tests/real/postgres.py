"""PostgreSQL servers that are made and run by the very files that the program gives to its pods, PGMQ among them.

The extension is laid where this server looks for extensions, in a mount namespace of its own: the system stays as it
is. Each server gets a port instead of a pod.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from .daemon import PATIENCE, Daemon
from .ports import free_ports
from .tools import Tools

FILES = Path(__file__).resolve().parents[2] / "infra" / "queue_files"
INSTALLED = Path("/usr/lib/postgresql")
PROGRAMS = max(INSTALLED.glob("*/bin"), default=INSTALLED / "15" / "bin")
EXTENSIONS = Path("/usr/share/postgresql/15/extension")
USER = "postgres"
SECRETS = {"QUEUE_PASSWORD": "one-of-the-tests", "REPLICATION_PASSWORD": "another-of-the-tests"}
# As in pods: a mount that the others don't see, then the user that the pod runs as.
CONFINED = """\
mount --bind "$1" "$2" && shift 2 && exec setpriv --pdeathsig=KILL --reuid=postgres --regid=postgres --clear-groups "$@"
"""


@dataclass
class Postgres:
    """A home for servers of one test."""

    home: Path
    extensions: Path
    _stack: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, tools: Tools) -> Self:
        tools.need_root()
        if not (PROGRAMS / "initdb").exists():
            tools.do_without("PostgreSQL", f"there is no {PROGRAMS / 'initdb'} (apt-get install postgresql)")
        spec = find_spec("pgmq")
        if spec is None or spec.origin is None:
            tools.do_without("pgmq", "its SQL comes with the package pgmq, which is not installed")
        home = Path(tempfile.mkdtemp(prefix="nodeworthy-queue-"))
        shutil.chown(home, USER, USER)
        return cls(home, _with_pgmq(home, Path(spec.origin).parent / "sql"))

    def __enter__(self) -> Self:
        self._stack.callback(shutil.rmtree, self.home, ignore_errors=True)
        shutil.copytree(FILES, self.home / "files")
        (self.home / "files").chmod(0o755)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def server(self, name: str, follows: Server | None = None) -> Server:
        (port,) = free_ports(1)
        sockets = self.home / f"{name}.sockets"
        sockets.mkdir()
        shutil.chown(sockets, USER, USER)
        env = {
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "PGDATA": str(self.home / name),
            "PGPORT": str(port),
            "QUEUE_FILES": str(self.home / "files"),
            "QUEUE_SOCKETS": str(sockets),
            "QUEUE_WAL_KEPT": "64MB",
            "QUEUE_PATIENCE": "0.1",
        }
        if follows is None:
            return Server(self, name, {**env, **SECRETS})
        told = {"PRIMARY_HOST": "127.0.0.1", "PRIMARY_PORT": follows.env["PGPORT"]}
        return Server(self, name, {**env, **told, "PGPASSWORD": SECRETS["REPLICATION_PASSWORD"]})

    def started(self, daemon: Daemon) -> Daemon:
        self._stack.callback(daemon.kill)
        return daemon


@dataclass
class Server:
    of: Postgres
    name: str
    env: Mapping[str, str]

    def make(self, script: str) -> str:
        return self.run("sh", f"{self.env['QUEUE_FILES']}/{script}")

    def serve(self) -> Daemon:
        command = self._confined("sh", f"{self.env['QUEUE_FILES']}/serve.sh")
        daemon = self.of.started(Daemon(command, self.of.home / f"{self.name}.log", env=self.env))
        daemon.wait_until(self.answers)
        return daemon

    def answers(self) -> bool:
        """What the pod's readiness probe asks."""
        probe: list[str | Path] = [
            PROGRAMS / "pg_isready",
            "--quiet",
            f"--host={self.env['QUEUE_SOCKETS']}",
            "--username=postgres",
        ]
        return subprocess.run(probe, env=dict(self.env), timeout=PATIENCE, check=False).returncode == 0

    def ask(self, sql: str, database: str = "queue") -> str:
        """As the superuser, from inside the pod."""
        return self.run("psql", *_QUIETLY, f"--host={self.env['QUEUE_SOCKETS']}", f"--dbname={database}", f"-c{sql}")

    def ask_over_the_network(self, sql: str, *, user: str = "queue", password: str) -> str:
        env = {**self.env, "PGPASSWORD": password}
        login = f"host=127.0.0.1 dbname=queue user={user}"
        return _ran([PROGRAMS / "psql", *_QUIETLY, f"--dbname={login}", "--no-password", f"-c{sql}"], env)

    def run(self, *command: str) -> str:
        return _ran(self._confined(*command), self.env)

    def _confined(self, *command: str) -> list[str | Path]:
        return ["unshare", "--mount", "sh", "-c", CONFINED, "sh", self.of.extensions, EXTENSIONS, *command]


def stopped(daemon: Daemon) -> None:
    """As its pod is: the image's own signal."""
    daemon.process.send_signal(signal.SIGINT)
    daemon.process.wait(PATIENCE)


_QUIETLY = ("--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")


class Refused(Exception):
    """A program said no; with its words."""


def _ran(command: list[str | Path], env: Mapping[str, str]) -> str:
    ran = subprocess.run(
        command, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if ran.returncode:
        raise Refused(f"{command[-1]}: {ran.stdout}{ran.stderr}")
    return ran.stdout.strip()


def _with_pgmq(home: Path, sql: Path) -> Path:
    """The server's own extensions, and PGMQ beside them."""
    folder = home / "extensions"
    shutil.copytree(EXTENSIONS, folder)
    version = (sql / "VERSION").read_text(encoding="utf-8").strip().removeprefix("v")
    control = f"default_version = '{version}'\nschema = pgmq\nrelocatable = false\nsuperuser = false\n"
    (folder / "pgmq.control").write_text(control, encoding="utf-8")
    shutil.copyfile(sql / "pgmq.sql", folder / f"pgmq--{version}.sql")
    return folder
