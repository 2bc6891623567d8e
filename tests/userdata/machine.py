"""A machine for boot scripts, in a folder: its files are real, its programs only say how they were called."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from nodeworthy.known.containerd import containerd_of

# What Ubuntu's bootstrap.sh makes containerd's config of.
IMAGE_CONFIG = containerd_of("eks-ubuntu").written_from or ""
FOLDERS = ("/etc/", "/var/", "/proc/", "/sys/", "/usr/local/", "/shared")
PROGRAMS = "apt-get dnf yum systemctl modprobe ufw mountpoint mount timeout containerd".split()
# Those that do their work: the machine has no others.
REAL = "bash cat cmp grep mkdir mv rm sed tee uname".split()
# What of its answers a script depends on.
ANSWERS = {
    "mountpoint": "exit 1",
    "timeout": 'shift; exec "$@"',
    "containerd": f"cat {{root}}{IMAGE_CONFIG}",
}
FILES = {
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/fstab": "UUID=0000 / xfs defaults 0 0\n",
    "/etc/apt/apt.conf.d/.there": "",
    "/etc/yum.repos.d/.there": "",
    "/proc/driver/nvidia/params": "RmProfilingAdminOnly: 0\n",
    "/sys/class/infiniband/rdmap0/node_type": "",
    IMAGE_CONFIG: "version = 2\n",
    "/var/log/.there": "",
}
# After the last argument of a call.
END = "(end)"


@dataclass(frozen=True)
class Booted:
    code: int
    said: list[str]


class Machine:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.called = root / "called"
        for name, text in FILES.items():
            self.write(name, text)
        for program in PROGRAMS:
            self.program(f"/bin/{program}", ANSWERS.get(program, ""))
        for program in REAL:
            self.real(program)
        self.program("/etc/eks/bootstrap.sh")

    def real(self, program: str) -> None:
        found = shutil.which(program)
        assert found is not None, program
        (self.root / "bin" / program).symlink_to(found)

    def write(self, name: str, text: str) -> Path:
        path = Path(f"{self.root}{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> str:
        return Path(f"{self.root}{name}").read_text()

    def program(self, name: str, answer: str = "") -> None:
        told = f"""printf '%s\\0' "${{0##*/}}" "$@" "{END}" >> {shlex.quote(str(self.called))}"""
        self.write(name, f"#!/bin/bash\n{told}\n{answer.format(root=self.root)}\n").chmod(0o755)

    def boots(self, shell: str) -> Booted:
        for folder in FOLDERS:
            shell = shell.replace(folder, f"{self.root}{folder}")
        command, environment = [self.root / "bin" / "bash"], {"PATH": f"{self.root}/bin"}
        ran = subprocess.run(command, input=shell, env=environment, capture_output=True, text=True, check=False)
        assert ran.stderr == ""
        return Booted(ran.returncode, ran.stdout.splitlines())

    @property
    def calls(self) -> list[list[str]]:
        return [each.split("\0") for each in self.called.read_text().split(f"\0{END}\0")[:-1]]

    def ran(self, *call: str) -> int:
        """The place of a call among all calls, which must be there."""
        beginnings = [each[: len(call)] for each in self.calls]
        assert list(call) in beginnings, self.calls
        return beginnings.index(list(call))

    @property
    def files(self) -> dict[str, str]:
        """Everything that a boot leaves behind, but for what it says."""
        found = (file for folder in ("etc", "usr") for file in (self.root / folder).rglob("*") if file.is_file())
        return {str(file.relative_to(self.root)): file.read_text() for file in found}
