"""A Slurm cluster of five nodes on this machine: all of its servers, its accounting and its files in one folder.

Its GPUs are character devices that lead nowhere: the scheduler counts them, and no job can use one.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from .daemon import PATIENCE, Daemon
from .ports import free_ports
from .tools import Tools

# Of each node: its GPUs as gres.conf calls them, and their number.
NODES = {"n1": ("a100", 4), "n2": ("a100", 4), "n3": ("v100", 2), "n4": ("1g.10gb", 4), "n5": ("a6000", 2)}
PROGRAMS = ("munged", "mariadbd", "mariadb-install-db", "slurmdbd", "slurmctld", "slurmd", "sbatch", "sacctmgr")

CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool.%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1,sched_interval=1
GresTypes=gpu
PreemptType=preempt/qos
PreemptMode=CANCEL
ReturnToService=2
MpiDefault=none
KillWait=2
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounting}
AccountingStoragePass={home}/munge.socket
AccountingStorageEnforce=associations,limits,qos,safe
"""
PARTITIONS = """\
PartitionName=gpu Nodes=n1,n2,n3,n5 Default=YES MaxTime=INFINITE DefaultTime=10 DefMemPerNode=1000
PartitionName=gpu-a6000 Nodes=n5 MaxTime=1:00:00 DefMemPerNode=1000
PartitionName=gpu-mig Nodes=n4 MaxTime=1:00:00 DefMemPerNode=55296 QOS=mig
"""
DATABASE = """\
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={accounting}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=root
StoragePass=none
StorageLoc=accounting
LogFile={home}/slurmdbd.log
PidFile={home}/slurmdbd.pid
"""


class SlurmError(Exception):
    """A client of Slurm's did not do as it was told."""


@dataclass
class SlurmCluster:
    home: Path
    _stack: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, tools: Tools) -> Self:
        tools.need_root()
        for program in PROGRAMS:
            if shutil.which(program) is None:
                tools.do_without("Slurm", f"there is no {program} (apt-get install slurmctld slurmd slurmdbd munge …)")
        home = Path(tempfile.mkdtemp(prefix="nodeworthy-slurm-"))
        home.chmod(0o755)
        return cls(home)

    def __enter__(self) -> Self:
        self._stack.callback(shutil.rmtree, self.home, ignore_errors=True)
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self) -> None:
        controller, accounting, database, *nodes = free_ports(3 + len(NODES))
        told = {"home": self.home, "host": socket.gethostname().partition(".")[0]}
        told |= {"controller": controller, "accounting": accounting, "database": database}
        self._write("slurm.conf", CONF.format(**told) + self._nodes(nodes) + PARTITIONS)
        self._write("slurmdbd.conf", DATABASE.format(**told)).chmod(0o600)
        self._authentication()
        self._database(database)
        self._serve("slurmdbd", "-D", listens=accounting)
        self.ask("sacctmgr", "-i", "add", "cluster", "test")
        self.ask("sacctmgr", "-i", "add", "account", "lab")
        self.ask("sacctmgr", "-i", "add", "qos", "mig", "set", "MaxTRESPerJob=cpu=1,mem=16G")
        self.ask("sacctmgr", "-i", "add", "user", "root", "account=lab")
        self._serve("slurmctld", "-D", listens=controller)
        for name, port in zip(NODES, nodes, strict=True):
            (self.home / f"spool.{name}").mkdir()
            self._serve("slurmd", "-D", "-N", name, listens=port)
        self._until(lambda: self.ask("sinfo", "-h", "-N", "-o", "%t").split().count("idle") >= len(NODES))

    def _write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.write_text(text, encoding="utf-8")
        return path

    def _nodes(self, ports: Sequence[int]) -> str:
        (self.home / "state").mkdir()
        lines, gres = [], []
        for minor, ((name, (kind, count)), port) in enumerate(zip(NODES.items(), ports, strict=True)):
            first = minor * 16
            for number in range(first, first + count):
                os.mknod(self.home / f"gpu{number}", 0o020666, os.makedev(195, number))
            gres.append(f"NodeName={name} Name=gpu Type={kind} File={self.home}/gpu[{first}-{first + count - 1}]")
            lines.append(
                f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname={socket.gethostname().partition('.')[0]} Port={port} "
                f"CPUs=64 RealMemory=2000000 Gres=gpu:{kind}:{count} State=UNKNOWN"
            )
        self._write("gres.conf", "\n".join(gres) + "\n")
        return "\n".join(lines) + "\n"

    def _authentication(self) -> None:
        self._write("munge.key", "k" * 128).chmod(0o600)
        files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        options = [f"--{name}={self.home}/munge.{file}" for name, file in files.items()]
        munged = self._daemon("munged", "--foreground", "--force", *options)
        munged.wait_until((self.home / "munge.socket").exists)

    def _database(self, port: int) -> None:
        data = self.home / "data"
        install = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root", "--skip-test-db"]
        subprocess.run(install, check=True, capture_output=True, timeout=PATIENCE)
        self._serve(
            "mariadbd", "--no-defaults", f"--datadir={data}", "--user=root", f"--port={port}", "--skip-grant-tables",
            "--bind-address=127.0.0.1", f"--socket={self.home}/database.socket", "--skip-networking=0",
            "--innodb-flush-log-at-trx-commit=0", f"--pid-file={self.home}/database.pid", listens=port,
        )  # fmt: skip

    def _daemon(self, program: str, *arguments: str) -> Daemon:
        daemon = Daemon([program, *arguments], self.home / f"{program}.out", self.environment)
        self._stack.callback(daemon.kill)
        return daemon

    def _serve(self, program: str, *arguments: str, listens: int) -> None:
        self._daemon(program, *arguments).wait_until(lambda: _answers(listens))

    @property
    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": f"{self.home}/slurm.conf", "LC_ALL": "C"}

    def ask(self, *command: str, cwd: Path | None = None) -> str:
        """What a client prints; it raises with what it complains of."""
        env = {**os.environ, **self.environment}
        ran = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, env=env, cwd=cwd, check=False
        )
        if ran.returncode:
            raise SlurmError(ran.stderr + ran.stdout)
        return ran.stdout

    def submit(self, script: Path, *options: str) -> str:
        output = f"--output={self.home}/%j.out"
        return self.ask("sbatch", "--parsable", output, *options, str(script), cwd=script.parent).strip()

    def job(self, number: str) -> dict[str, str]:
        """What the controller says of a job."""
        told = self.ask("scontrol", "show", "job", number)
        return dict(re.findall(r"(\S+?)=(\S*)", told))

    def settled(self, number: str) -> dict[str, str]:
        """A job as it is when the scheduler has looked at it: running, done, or waiting for a reason of its own."""
        job: dict[str, str] = {}

        def looked_at() -> bool:
            nonlocal job
            job = self.job(number)
            return job["JobState"] != "PENDING" or job["Reason"] not in ("None", "Priority", "Resources")

        self._until(looked_at)
        return job

    def over(self, number: str) -> dict[str, str]:
        """A job when it has ended, whichever way."""
        self._until(lambda: self.job(number)["JobState"] not in ("PENDING", "RUNNING", "COMPLETING"))
        return self.job(number)

    def ended(self, number: str) -> str:
        """What a job has written when it is over."""
        self.over(number)
        return (self.home / f"{number}.out").read_text(errors="replace")

    def _until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > deadline:
                raise SlurmError("it takes too long")
            time.sleep(0.1)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
