"""Whoever wants a command to end has it ended: at any moment, without a word, and with nothing left behind."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.run import run

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BEGIN = """
import os, signal, sys, time
from nodeworthy import interrupts
number = int(sys.argv[1])
def ask(): os.kill(os.getpid(), number)
interrupts.begin()
"""


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "work",
    [
        "ask(); time.sleep(300)",
        # Where an exception is lost: a finaliser, a weak reference's callback, a bare `except`, one that means another.
        "Dying(); time.sleep(300)",
        "import weakref; each = set(); left = weakref.ref(each, lambda _: ask()); del each; time.sleep(300)",
        "try: ask(); time.sleep(300)\n    except: pass\n    time.sleep(300)",
        "try: ask(); time.sleep(300)\n    except BaseException: return 3",
        "try: ask(); time.sleep(300)\n    except BaseException as lost: raise ValueError from lost",
        # Lost, and hidden by what follows from it.
        "Dying(); return 0",
        "Dying(); sys.exit(2)",
    ],
)
def test_it_ends_wherever_it_was(number: signal.Signals, work: str) -> None:
    dying = "class Dying:\n    def __del__(self): ask(); time.sleep(300)\n"
    ended = _ended(f"{BEGIN}{dying}def work():\n    {work}\ninterrupts.until_ended(work)\n", number)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("ends", ["ask()", "interrupts.until_ended(lambda: 0); ask(); time.sleep(300)"])
def test_it_ends_before_it_has_begun_and_when_it_is_over(number: signal.Signals, ends: str) -> None:
    ended = _ended(f"{BEGIN}{ends}\n", number)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "")


@pytest.mark.parametrize(
    "work",
    [
        "with interrupts.hold(): ask(); time.sleep(0.2); print('whole')",
        "with interrupts.tidied(lambda: print('whole')): ask(); time.sleep(300)",
        "with interrupts.tidied(lambda: (ask(), time.sleep(0.2), print('whole'))): pass",
        "with interrupts.tidied(lambda: (ask(), time.sleep(0.2), print('whole'))): ask(); time.sleep(300)",
        # Between what is written down and what is made of it, somebody has it in hand.
        "interrupts.tidied(lambda: print('whole', flush=True)).__enter__(); ask(); time.sleep(300)",
    ],
)
def test_what_is_to_be_done_is_done_whole(work: str) -> None:
    done = f"{BEGIN}import functools\nprint = functools.partial(print, flush=True)\n"
    ended = _ended(f"{done}def work():\n    {work}\n    time.sleep(300)\ninterrupts.until_ended(work)\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.SIGTERM, "whole\n", "")


def test_what_fails_because_of_it_is_not_told() -> None:
    """A preview whose program was ended has no plan, and no fault of its own."""
    broken = """
from nodeworthy import cli
from nodeworthy.commands import rules
class Dying:
    def __del__(self): ask(); time.sleep(300)
def run(_):
    Dying()
    raise {}
rules.run = run
sys.argv = ["nodeworthy", "rules"]
cli.main()
"""
    for each in ("ValueError('ours')", "OSError(5, 'gone')", "cli.OutputFull('full')"):
        ended = _ended(BEGIN + broken.format(each))
        assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.SIGTERM, "", "")


def test_what_its_parent_made_it_deaf_to_it_does_not_hear() -> None:
    deaf = BEGIN.replace("interrupts.begin()", "signal.signal(number, signal.SIG_IGN); interrupts.begin()")
    assert _ended(f"{deaf}ask(); sys.exit(interrupts.until_ended(lambda: 7))\n").returncode == 7


def _ended(program: str, number: int = signal.SIGTERM) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, str(int(number))], capture_output=True, text=True, timeout=60, check=False
    )


# Counts the calls of the first thread, and asks to be ended at one of them: the same moment each time.
AT_A_CALL = """
import os, runpy, signal, sys
number, at = int(sys.argv[1]), int(sys.argv[2])
from nodeworthy import interrupts
interrupts.begin()
seen = 0
def count(frame, event, arg):
    global seen
    seen += 1
    if seen == at:
        sys.setprofile(None)
        os.kill(os.getpid(), number)
sys.argv = ["nodeworthy", *sys.argv[3:]]
sys.setprofile(count)
try:
    runpy.run_module("nodeworthy", run_name="__main__")
finally:
    sys.setprofile(None)
    sys.stderr.write(f"{seen} calls")
"""
PROGRAM = "import os, time\nopen('pid.' + str(os.getpid()), 'w').close()\ntime.sleep({})\n"


def _moments(count: int, calls: int, seed: int) -> list[int]:
    """All over it; the first ones, in which little has been made, as often as the many later ones."""
    chosen = random.Random(seed)
    return [int(calls ** chosen.random()) if each % 2 else chosen.randrange(1, calls) for each in range(count)]


CHECK_CALLS, PREVIEW_CALLS = 600_000, 900_000
CHECK = [("check", each) for each in _moments(40, CHECK_CALLS, 1)]
PREVIEW = [("preview", each) for each in _moments(60, PREVIEW_CALLS, 2)]


def _often_enough(moments: list[tuple[str, int]]) -> list[object]:
    """Four at once, ten more with what takes long, and all of the others by night."""
    return [pytest.param(*each, marks=_when(at)) for at, each in enumerate(moments)]


def _when(at: int) -> tuple[pytest.MarkDecorator, ...]:
    if at < 4:
        return ()
    return (pytest.mark.long if at < 14 else pytest.mark.night,)


@pytest.mark.parametrize(("command", "at"), [*_often_enough(CHECK), *_often_enough(PREVIEW)])
def test_it_ends_at_any_call(tmp_path: Path, command: str, at: int) -> None:
    (tmp_path / "values.yaml").write_text("driver: {enabled: false}\ntoolkit: {enabled: true, env: []}\n")
    (tmp_path / "Pulumi.yaml").write_text("name: toy\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    (tmp_path / "__main__.py").write_text(PROGRAM.format(300))
    number = NUMBERS[at % len(NUMBERS)]
    options = {"check": ["check", "."], "preview": ["preview", "--no-simulate"]}[command]
    ended = subprocess.Popen(
        [sys.executable, "-c", AT_A_CALL, str(int(number)), str(at), *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # A preview waits for its program: the one that asks later than that is asked then.
    until = time.monotonic() + 5
    while ended.poll() is None and not (list(tmp_path.glob("pid.*")) and time.monotonic() > until):
        time.sleep(0.02)
    if ended.poll() is None:
        ended.send_signal(number)
    out, err = ended.communicate(timeout=60)
    if not err.endswith(" calls"):  # it had ended before that call
        assert (ended.returncode, err) == (128 + number, "")
        # What a check had told before that call stays told, and whole.
        assert out == "" or (command, out) == ("check", run("check", ".", cwd=tmp_path).out)
    assert [each.name for each in tmp_path.glob("pid.*") if _lives(int(each.suffix[1:]))] == []


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
