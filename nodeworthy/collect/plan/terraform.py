"""The plan of a root of Terraform or OpenTofu, made by the program that is there."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from nodeworthy.errors import InputError
from nodeworthy.hcl.disk import ENDINGS

_PROJECT = "Pulumi.yaml"
_PROGRAMS = ("tofu", "terraform")
_OF_TOFU = (".tofu", ".tofu.json")
# What `init` leaves.
_INITIALISED = ".terraform"
_LARGEST = 100 * 1024 * 1024


def is_root(folder: Path) -> bool:
    """Terraform, and no project of Pulumi's."""
    return not (folder / _PROJECT).is_file() and any(each.endswith(ENDINGS) for each in os.listdir(folder))


def program(folder: Path) -> str | None:
    """The one that is there; of both the one that made what `init` has left, where that can be told."""
    there = [each for each in _PROGRAMS if shutil.which(each)]
    if any(each.endswith(_OF_TOFU) for each in os.listdir(folder)):
        there = [each for each in there if each == _PROGRAMS[0]]
    if len(there) > 1 and "registry.terraform.io" in _locked(folder):
        return _PROGRAMS[1]
    return there[0] if there else None


def _locked(folder: Path) -> str:
    try:
        return (folder / ".terraform.lock.hcl").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def how_to_get_it(name: str | None) -> str:
    """One sentence with the two commands that make a plan."""
    called = name or "terraform"
    commands = (
        f"`{called} plan -out=tfplan && {called} show -json tfplan > plan.json`, then `nodeworthy check plan.json`"
    )
    return f"this is a root of Terraform: {commands}; with --run a preview does the same, and keeps nothing"


def make_plan(folder: Path, name: str, timeout: float, show: Callable[[str], object]) -> bytes:
    """The plan in JSON. Locks nothing, asks nothing, and leaves nothing in the folder. Raises InputError."""
    with tempfile.TemporaryDirectory(prefix="nodeworthy-plan-") as aside:
        file = f"{aside}{os.sep}plan"
        words = ["plan", f"-out={file}", "-input=false", "-lock=false", "-no-color"]
        _ran([name, *words], folder, timeout, show)
        return _ran([name, "show", "-json", "-no-color", file], folder, timeout, None)


def _ran(words: list[str], folder: Path, timeout: float, show: Callable[[str], object] | None) -> bytes:
    called = " ".join(words[:2])
    env = {**os.environ, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}
    try:
        started = subprocess.Popen(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if show is not None else subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as problem:
        raise InputError(f"`{called}` can't be run: {problem.strerror}") from None
    with started as running, _ended(running):
        try:
            said, complained = running.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise InputError(f"`{called}` was stopped after {timeout:g} s; --timeout gives it longer") from None
    if show is not None:
        show(said.decode("utf-8", "replace"))
    if running.returncode != 0:
        first = (complained or b"").decode("utf-8", "replace").strip().split("\n")[0]
        why = "what it says stands above" if show is not None else first
        if not (folder / _INITIALISED).is_dir():
            why = f"{why}; this root is not initialised (`{words[0]} init`)"
        raise InputError(f"`{called}` ended with {running.returncode}: {why}")
    if len(said) > _LARGEST:
        raise InputError(f"`{called}` wrote more than {_LARGEST // 1024 // 1024} MiB, the most that is read of a plan")
    return said


@contextlib.contextmanager
def _ended(running: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ends it with its providers, which are processes of their own. None is left behind, whatever happens."""
    try:
        yield
    finally:
        if running.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(running.pid, signal.SIGTERM)
            try:
                running.wait(5)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(running.pid, signal.SIGKILL)
                running.wait()
