"""The program's process: its start, what it prints, its end. Runs that part from the first one go on in processes of
their own, all in one group with it."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from nodeworthy.collect.plan.served import PARALLEL, Program, Served, Show
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

# GitHub's, Gitea's and Forgejo's; a runner writes them for its own steps.
_PREFIXES = ("GITHUB_", "GITEA_", "FORGEJO_", "ACTIONS_", "RUNNER_", "INPUT_")
# Whose names say a token of a CI system's, or a URL that holds one.
_TOKENS = pattern(
    r"GH_(?:ENTERPRISE_)?TOKEN|CI_(?:JOB_TOKEN|JOB_JWT\w*|REPOSITORY_URL|\w*PASSWORD)|SYSTEM_ACCESSTOKEN|"
    r"(?:BITBUCKET|BUILDKITE|CIRCLE|DRONE|JENKINS|TRAVIS|SEMAPHORE|WOODPECKER)_\w*(?:TOKEN|SECRET|PASSWORD)\w*|"
    r"\w*_ID_TOKEN|ID_TOKEN|NODEWORTHY_TOKEN|GITLAB_TOKEN|"
    # Our process reads encrypted config by itself, and the engine here asks no backend.
    r"PULUMI_ACCESS_TOKEN|PULUMI_CONFIG_PASSPHRASE(?:_FILE)?|"
    # A shell that the program starts would run this file, and so would one that outlives it.
    r"BASH_ENV"
)
# The account's, where the machine is a CI system's: at home they are those of whoever runs their own program.
_ACCOUNTS = pattern(
    r"AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|WEB_IDENTITY_TOKEN_FILE|ROLE_ARN|"
    r"CONTAINER_\w+)|(?:GOOGLE|CLOUDSDK)_\w*CREDENTIALS?\w*|"
    r"(?:AZURE|ARM)_\w*(?:SECRET|TOKEN|PASSWORD|CERTIFICATE)\w*"
)


def variables_for_program(ours: Mapping[str, str], passed: Collection[str] = ()) -> dict[str, str]:
    """Our variables without those of the CI job that runs the preview; `passed` are handed over all the same. A CI
    system keeps the job's tokens in them, and the files by which steps tell each other what to do. The program is often
    a stranger's, and a preview needs no account."""
    in_ci = bool(ours.get("CI") or ours.get("GITHUB_ACTIONS") or ours.get("TF_BUILD"))
    return {name: value for name, value in ours.items() if name in passed or not _belongs_to_the_job(name, in_ci)}


def _belongs_to_the_job(name: str, in_ci: bool) -> bool:
    if name.startswith(_PREFIXES) or _TOKENS.fullmatch(name):
        return True
    return in_ci and _ACCOUNTS.fullmatch(name) is not None


_SET_CHILD_SUBREAPER = 36
# Whatever forks faster than it is killed is left after this long.
_SECONDS = 2.0


class Descendants:
    """Our children that were not there when this was made: on Linux they come to us when their parent ends.

    A process that leaves the program's group (a daemon does) would outlive the preview otherwise, with all that it
    may do.
    """

    def __init__(self) -> None:
        self._adopts = sys.platform == "linux" and _become_subreaper()
        self._before = _children()

    def end(self) -> None:
        """Called when the program itself is gone."""
        if not self._adopts:
            return
        until = time.monotonic() + _SECONDS
        while (left := _children() - self._before) and time.monotonic() < until:
            for process in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            for process in left:
                with suppress(ChildProcessError):
                    os.waitpid(process, 0)


def _become_subreaper() -> bool:
    try:
        return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _children() -> set[int]:
    """The processes that any of our threads has started."""
    found: set[int] = set()
    with suppress(OSError):
        for each in Path("/proc/self/task").iterdir():
            with suppress(OSError):
                found.update(map(int, (each / "children").read_text(encoding="ascii").split()))
    return found


# A process that has threads or has opened a window can't be copied on macOS, and on Windows none can.
CAN_PART = sys.platform == "linux"


class Run(Protocol):
    """One run of the program, in whichever process."""

    served: Served
    ended: threading.Event

    @property
    def exit_code(self) -> int | None: ...


class PartedRun:
    """A run that goes on from where the first one first waits for its engine, if it can."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.ended = threading.Event()
        # Whether it is known which: the run has parted from the first one, or will not.
        self.known = threading.Event()
        self.parted = False
        self.exit_code: int | None = None
        self._reads, self.word = os.pipe()

    def listen(self) -> None:
        """Listens to what the run says of itself, once its process has started."""
        os.close(self.word)
        threading.Thread(target=self._listen, daemon=True).start()

    def drop(self) -> None:
        """There is no process that could say anything."""
        os.close(self.word)
        os.close(self._reads)
        self.served.stop()

    def _listen(self) -> None:
        with os.fdopen(self._reads, encoding="ascii") as said:
            self.parted = said.readline() == "parted\n"
            self.known.set()
            code = said.readline() if self.parted else ""
        # Where it is gone without a word, nobody knows how it ended.
        self.exit_code = int(code) if code else None
        self.ended.set()


class ProgramRun:
    """The first run, and the process that it is. Always stopped by its owner, whatever happened."""

    def __init__(self, program: Program, *, made: StandIns | None, show: Show, beside: Sequence[StandIns] = ()) -> None:
        self._show = show
        self._descendants = Descendants()
        self.served = Served(program, made, show)
        self.beside = tuple(PartedRun(Served(program, each, unshown)) for each in beside if CAN_PART)
        self._process = self._start(program)
        self.ended = threading.Event()
        self._readers = [
            threading.Thread(target=self._forward, args=(pipe,), daemon=True)
            for pipe in (self._process.stdout, self._process.stderr)
        ]
        for thread in (*self._readers, threading.Thread(target=self._await, daemon=True)):
            thread.start()
        for run in self.beside:
            run.listen()

    def _start(self, program: Program) -> subprocess.Popen[bytes]:
        python = program.project.python
        environment = {
            **variables_for_program(os.environ, program.passed),
            "PULUMI_CONFIG": json.dumps(dict(program.config.values)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(program.config.secret_keys)),
        }
        try:
            return subprocess.Popen(
                [python, "-u", str(host_path()), *self._told(program), program.project.entry],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                pass_fds=[run.word for run in self.beside],
                # A group of its own: whatever the program starts ends with it, less what leaves the group.
                start_new_session=True,
            )
        except OSError as problem:
            self.served.stop()
            for run in self.beside:
                run.drop()
            raise InputError(f"can't run the program with {python}: {problem.strerror}") from None

    def _told(self, program: Program) -> list[str]:
        project = program.project
        told = [("engine", served.address) for served in self._all_served]
        told += [("word", str(run.word)) for run in self.beside]
        told += [
            ("project", project.name),
            ("stack", program.stack),
            ("organization", "organization"),
            ("root_directory", str(project.root.resolve())),
            ("pwd", str(project.folder.resolve())),
            ("parallel", str(PARALLEL)),
            ("dry_run", "true"),
        ]
        return [part for name, value in told for part in (f"--{name}", value)]

    def _forward(self, pipe: IO[bytes]) -> None:
        """What a program prints is for people: never part of the report."""
        with suppress(ValueError, OSError):  # the pipe is closed under us when the run is stopped
            for line in iter(lambda: pipe.readline(65536), b""):
                self._show(line.decode("utf-8", errors="replace"))

    def _await(self) -> None:
        self._process.wait()
        for thread in self._readers:
            # A grandchild may hold the pipe open for ever.
            thread.join(timeout=1)
        self.ended.set()

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    @property
    def _all_served(self) -> tuple[Served, ...]:
        return (self.served, *(run.served for run in self.beside))

    def stop(self) -> None:
        """Ends the program and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._descendants.end()
        for served in self._all_served:
            served.stop()
        for thread, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            thread.join(timeout=1)
            # One that a process outside of the group still holds open is left to the end of ours.
            if pipe is not None and not thread.is_alive():
                pipe.close()


def unshown(_: str) -> None:
    """Shows nothing: it has been said once already."""


def host_path() -> Path:
    return Path(__file__).with_name("language_host.py")
