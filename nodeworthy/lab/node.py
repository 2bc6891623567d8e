"""A fresh node: the rootfs with a layer of its own, booted by systemd-nspawn with user data, and gone afterwards."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from nodeworthy.lab import cache
from nodeworthy.lab.commands import WITH_US, LabError, run, tail
from nodeworthy.lab.watch import HAPPENED, Event, Watch

BOOT_SECONDS = 180
END_SECONDS = 60
POLL_SECONDS = 0.02
GONE_SECONDS = 10
# How nspawn ends when its system wants to start again.
REBOOTED = 133
# What systemd says of itself from the moment it is asked to reboot.
GOING_DOWN = "stopping"
NUMBERS = itertools.count(1)

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SEED = "var/lib/cloud/seed/nocloud"
RESULT = "var/lib/cloud/data/result.json"


class Node:
    """`lower` are the layers it starts from, the uppermost first. Use it in a `with`."""

    def __init__(self, lower: Sequence[Path], user_data: bytes, hostname: str = "node") -> None:
        self.lower = lower
        self.user_data = user_data
        self.hostname = hostname
        self.name = f"{PREFIX}-{os.getpid()}-{next(NUMBERS)}"
        self.folder = cache.home() / "nodes" / self.name
        self.events: list[Event] = []
        self.rebooted = False
        self._launched: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        sweep()
        for part in ("upper", "work", "root"):
            (self.folder / part).mkdir(parents=True)
        seed = self.upper / SEED
        seed.mkdir(parents=True)
        (seed / "user-data").write_bytes(self.user_data)
        (seed / "meta-data").write_text(f"instance-id: i-lab\nlocal-hostname: {self.hostname}\n")
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        cache.remove([self.folder])

    @property
    def upper(self) -> Path:
        """What the node has changed on its disk, and nothing else."""
        return self.folder / "upper"

    def boot(self) -> None:
        """Returns when cloud-init and everything that it started are done, or the node wants to boot again."""
        (self.upper / RESULT).unlink(missing_ok=True)
        said = self.upper / HAPPENED.lstrip("/")
        said.parent.mkdir(parents=True, exist_ok=True)
        said.write_text("")
        (self.folder / "mounted").unlink(missing_ok=True)
        self.rebooted = False
        self._launch()
        try:
            self._until(self._done, BOOT_SECONDS, "cloud-init did not end")
            if not self.rebooted and self._settle() == GOING_DOWN:
                self._until(self._off, BOOT_SECONDS, "it did not go down")
        except BaseException:
            self.end()
            raise

    def run(self, *argv: str, seconds: float = 30, stdin: str = "") -> str:
        """What a program in the node prints."""
        inside = ["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root"]
        enter = ["nsenter", "--target", str(self.pid()), *inside, "env", "--chdir=/"]
        return run([*enter, *argv], seconds=seconds, stdin=stdin, env={"PATH": PATH, "LC_ALL": "C.UTF-8"})

    def wait(self) -> None:
        """Until it is off, or wants to boot again."""
        assert self._launched is not None
        self.rebooted = self._launched.wait() == REBOOTED

    def interrupt(self) -> None:
        """Kills the node from another thread: whoever waits for it learns that it is gone, and clears up after it."""
        launched = self._launched
        if launched is not None and launched.poll() is None:
            os.killpg(launched.pid, signal.SIGKILL)

    def end(self) -> None:
        """At once: nothing of a node is to be kept but what is on its disk."""
        if self._launched is None:
            return
        self._kill()
        self._watch.stop()
        self.events += self._watch.events
        self._until_no_cgroup()

    def _launch(self) -> None:
        namespaces = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation=private"]
        apart = [*WITH_US, "unshare", *namespaces]
        layers = ":".join(str(layer) for layer in self.lower)
        with (self.folder / "console").open("ab") as console:
            self._launched = subprocess.Popen(
                [*apart, "sh", cache.HERE / "launch.sh", self.name, self.folder, layers],
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is ours
            )
        inside = Path(f"/proc/{self._launched.pid}/root")
        self._watch = Watch(inside / str(self.folder / "root").lstrip("/"))
        try:
            self._until((self.folder / "mounted").exists, END_SECONDS, "its disk was not mounted")
            self._watch.start()
        except BaseException:
            self._kill()
            raise
        assert self._launched.stdin is not None
        self._launched.stdin.write(b"go\n")
        self._launched.stdin.close()

    def _kill(self) -> None:
        assert self._launched is not None
        if self._launched.poll() is None:
            os.killpg(self._launched.pid, signal.SIGKILL)
        self._launched.wait()
        self._launched = None

    def _done(self) -> bool:
        return self._off() or (self.upper / RESULT).exists()

    def _off(self) -> bool:
        assert self._launched is not None
        code = self._launched.poll()
        if code is None:
            return False
        self.rebooted = code == REBOOTED
        if not self.rebooted:
            raise LabError(f"the node ended with {code}: {self._console()}")
        return True

    def _settle(self) -> str:
        """The node's state when no job is queued any more; a unit that failed is no fault of the lab."""
        settled = "systemctl.real is-system-running --wait || true"
        try:
            return self.run("sh", "-c", f"/usr/lib/nodeworthy-lab/{settled}", seconds=BOOT_SECONDS).strip()
        except LabError:
            # Its script's last command was a reboot: cloud-init may come to its end before the node does.
            self._until(self._off, GONE_SECONDS, "nothing runs in it")
            return ""

    def _until(self, ready: Callable[[], bool], seconds: float, otherwise: str) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                raise LabError(f"{otherwise} in {seconds:.0f} s: {self._console()}")
            time.sleep(POLL_SECONDS)

    def pid(self) -> int:
        """The node's own first process, as this machine numbers it: the first one of the innermost namespace."""
        assert self._launched is not None
        for pid in _descendants(self._launched.pid):
            if _numbers(pid)[-1:] == ["1"] and len(_numbers(pid)) == len(_numbers(os.getpid())) + 2:
                return pid
        raise LabError(f"the node is not running: {self._console()}")

    def _console(self) -> str:
        return tail((self.folder / "console").read_text(errors="replace"))

    def _until_no_cgroup(self) -> None:
        """Waits for the processes on their way out: a cgroup can be removed when the last one has left."""
        deadline = time.monotonic() + END_SECONDS
        while (left := _cgroups(self.name)) and time.monotonic() < deadline:
            _remove_cgroups(left)
            time.sleep(POLL_SECONDS)


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [each for child in children for each in _descendants(child)]


def _numbers(pid: int) -> list[str]:
    """The process's numbers, from this machine's view to its own innermost one."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return []
    return next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])


PREFIX = "nodeworthy-lab"


def sweep() -> None:
    """Removes what nodes of processes left that were killed."""
    folders = {each.name: each for each in (cache.home() / "nodes").glob(f"{PREFIX}-*-*")}
    for name in {*folders, *(each.name for top in _cgroup_mounts() for each in top.glob(f"{PREFIX}-*-*"))}:
        if not Path(f"/proc/{name.removeprefix(PREFIX).split('-')[1]}").exists():
            _remove_cgroups(_cgroups(name))
            cache.remove([folders[name]] if name in folders else [])


def _cgroup_mounts() -> list[Path]:
    mounts = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    return [Path(mount[1]) for mount in mounts if mount[2] == "cgroup2"]


def _cgroups(name: str) -> list[Path]:
    """The node's cgroups, those inside first."""
    tops = [top / name for top in _cgroup_mounts() if (top / name).exists()]
    # What has gone since it was listed is passed over: a node that ends takes its own away meanwhile.
    return [Path(folder) for top in tops for folder, _, _ in os.walk(top, topdown=False)]


def _remove_cgroups(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return
