"""How a program can end, and what a user is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodeworthy.limits import MOST_COMPONENTS_ABOVE
from tests.plan.programs import KUBEADM, preview, project
from tests.run import run


def test_a_program_that_raises_is_shown_whole_and_alone(tmp_path: Path) -> None:
    program = "def broken():\n    raise ValueError('there is no such zone')\n\nThing('a')\nbroken()\n"
    ran = preview(project(tmp_path, program))
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("Traceback (most recent call last):")
    assert "in broken" in ran.err
    assert ran.err.rstrip().endswith("ValueError: there is no such zone")
    assert "nodeworthy" not in ran.err


def test_what_a_callback_raises_is_shown_without_a_frame_of_ours(tmp_path: Path) -> None:
    program = "def late(_):\n    raise KeyError('zone')\n\nThing('a').urn.apply(late)\n"
    ran = preview(project(tmp_path, program))
    assert (ran.code, ran.out) == (2, "")
    assert "in late" in ran.err
    assert "KeyError: 'zone'" in ran.err
    assert ran.err.splitlines()[1].strip().startswith(f'File "{tmp_path}/__main__.py"')


def test_a_program_that_does_not_parse_is_shown_too(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "this is no python\n", prelude=False))
    assert ran.code == 2
    assert ran.err.lstrip().startswith(f'File "{tmp_path}/__main__.py", line 1')
    assert ran.err.rstrip().endswith("SyntaxError: invalid syntax")
    assert ran.out == ""


def test_a_program_that_interrupts_itself_is_shown_like_one_that_raises(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "raise KeyboardInterrupt\n", prelude=False))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[1:] == [
        f'  File "{tmp_path}/__main__.py", line 1, in <module>',
        "    raise KeyboardInterrupt",
        "KeyboardInterrupt",
    ]


def test_a_program_that_logs_an_error_has_failed(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "Thing('a')\npulumi.log.error('no zone left')\n"))
    assert (ran.code, ran.out) == (2, "")
    assert "no zone left" in ran.err


def test_an_exit_code_is_named(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "import sys\nThing('a')\nsys.exit(7)\n"))
    assert ran.code == 2
    assert ran.err == "nodeworthy preview: the program ended with exit code 7\n"


def test_a_program_without_resources_proves_nothing(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, ""))
    assert ran.code == 3
    assert ran.report["evaluated"]["verdicts"] == 0
    assert "registers no resources" in ran.err


def test_a_program_that_leaves_early_is_not_the_whole_plan(tmp_path: Path) -> None:
    program = "import os\nt = Thing('a')\nt.urn.apply(lambda _: os._exit(0))\n"
    ran = preview(project(tmp_path, program), "--no-simulate")
    assert ran.code == 3
    assert [each["rule"] for each in ran.findings] == ["looked-at"]
    assert "left before its end" in ran.findings[0]["message"]


def test_what_it_prints_is_no_part_of_the_report(tmp_path: Path) -> None:
    program = r"""
import sys
sys.stdout.buffer.write(b"\xff\x00 {garbage\n" * 2000)
print("to stderr", file=sys.stderr)
Thing("a")
"""
    ran = preview(project(tmp_path, program))
    assert ran.code == 0
    assert next(iter(ran.report["preview"]["resources"][0])) == "urn"
    assert ran.err.count("{garbage") == 2000
    assert ran.err.count("to stderr") == 1


def test_a_program_that_hangs_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    program = f"""
import subprocess, time
child = subprocess.Popen(["sleep", "300"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
time.sleep(300)
"""
    ran = run("preview", "--timeout", "8", cwd=project(tmp_path, program))
    assert ran.code == 3
    assert (
        ran.err
        == "nodeworthy preview: the program did not end within 8 seconds and was stopped; --timeout gives it longer\n"
    )
    assert _gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nobody_behind(tmp_path: Path, number: signal.Signals) -> None:
    pid = tmp_path / "pid"
    program = f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(300)\n"
    project(tmp_path, program)
    running = subprocess.Popen(
        [sys.executable, "-m", "nodeworthy", "preview", "--no-simulate"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _until(lambda: pid.exists() and pid.read_text() != "")
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert (out, err) == ("", "")
    assert _gone(int(pid.read_text()))


def _until(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _gone(pid: int) -> bool:
    """Ended, or ended and waiting for somebody to ask how."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False


@pytest.mark.parametrize(
    ("files", "options", "said"),
    [
        ({}, (), "there is no Pulumi.yaml here"),
        ({"Pulumi.yaml": "name: [\n"}, (), "Pulumi.yaml:2:1: not YAML"),
        ({"Pulumi.yaml": "- a\n"}, (), "Pulumi.yaml: not a mapping"),
        ({"Pulumi.yaml": "name: toy\nruntime: nodejs\n"}, (), "Pulumi.yaml:2:10: only Python programs"),
        ({"Pulumi.yaml": "name: toy\nruntime: python\nmain: away/\n"}, (), "the program away/ is not there"),
        (
            {"Pulumi.yaml": "name: toy\nruntime: python\n"},
            (),
            "which stack? --stack names one of those that exist: none",
        ),
        ({"Pulumi.dev.yaml": "config: {}\n", "Pulumi.prod.yaml": "config: {}\n"}, (), "that exist: dev, prod"),
        (
            {"Pulumi.dev.yaml": "config: {}\n"},
            ("--stack", "deb"),
            "no stack 'deb' (did you mean dev?); there are dev",
        ),
        ({"Pulumi.dev.yaml": "config: [1]\n"}, (), "Pulumi.dev.yaml:1:9: config is a list, not a mapping"),
        ({"Pulumi.dev.yaml": KUBEADM.replace("h200", "h2000").replace("gpu:", "gqu:")}, (), "Pulumi.dev.yaml:6:9: "),
        ({"Pulumi.dev.yaml": "config: {}\n"}, ("--answers", "none.yaml"), "there is no none.yaml"),
        ({"Pulumi.dev.yaml": "config: {}\n"}, ("--rule", "no-such"), "there is no rule 'no-such'"),
        ({"Pulumi.dev.yaml": "config: {}\n"}, ("--timeout", "soon"), "'soon' is no number of seconds above zero"),
    ],
)
def test_what_can_not_be_read_is_said_before_anything_runs(
    tmp_path: Path, files: dict[str, str], options: tuple[str, ...], said: str
) -> None:
    if files and "Pulumi.yaml" not in files:
        files = {"Pulumi.yaml": "name: toy\nruntime: python\n", **files}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    ran = run("preview", *options, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_the_only_stack_needs_no_name(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "Thing('a')\n"))
    assert ran.code == 0
    assert ran.report["preview"]["stack"] == "dev"


def test_a_python_that_can_not_be_run_is_named(tmp_path: Path) -> None:
    project(tmp_path, "Thing('a')\n")
    runtime = "{name: python, options: {virtualenv: venv}}"
    (tmp_path / "Pulumi.yaml").write_text(f"name: toy\nruntime: {runtime}\n")
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").write_text("no program\n")
    ran = preview(tmp_path)
    assert ran.code == 2
    assert ran.err == "nodeworthy preview: can't run the program with venv/bin/python: Permission denied\n"


def test_components_within_components_are_followed_as_deep_as_anybody_nests_them(tmp_path: Path) -> None:
    nest = "above = None\nfor depth in range({}):\n    above = Thing(f't{{depth}}', None, pulumi.ResourceOptions(parent=above))\n"
    (tmp_path / "deep").mkdir()
    (tmp_path / "deeper").mkdir()
    ran = preview(project(tmp_path / "deep", nest.format(MOST_COMPONENTS_ABOVE)))
    assert ran.code == 0, ran.err
    ran = preview(project(tmp_path / "deeper", nest.format(MOST_COMPONENTS_ABOVE + 3)))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == (
        "nodeworthy preview: the program nests its components deeper than 100, as far as it is followed "
        "('t101' is the first of them)"
    )
