"""A stack or settings file that is there and can't be read as what it is ends the run: nothing passes beside it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.run import run
from tests.source.test_bad_input import SETPRIV, WITHOUT_POWERS
from tests.source.texts import STOCK, fleet, values

STACK = "Pulumi.edge.yaml"
OWN = ".nodeworthy.yaml"


def _text(text: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text.encode(encoding))


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(path.parent)
        made.bind(path.name)


def _enormous(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


NO_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "is a pipe or a device, not a file"),
    "a socket": (_socket, "is a pipe or a device, not a file"),
    "a device": (lambda path: path.symlink_to("/dev/null"), "is a pipe or a device, not a file"),
    "a folder": (Path.mkdir, "is a folder, not a file"),
    "a link to nowhere": (lambda path: path.symlink_to("elsewhere/gone.yaml"), "is a link that leads nowhere"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "is a link that leads nowhere"),
    "a terabyte": (_enormous, "is larger than"),
    "UTF-16": (_text(fleet(), "utf-16"), "is UTF-16; save it as UTF-8"),
    "Latin-1": (_text("# für\n" + fleet(), "latin-1"), "is no text in UTF-8 (byte 3)"),
}
NO_MAPPINGS = {
    "a list": ("[]\n", ":1:1: "),
    "a number": ("0\n", ":1:1: "),
    "a word": ("fleet\n", ":1:1: "),
    "no YAML": ("config: [\n", ":"),
}
NO_CONFIG = {
    "a list": ("config: []\n", ":1:9: config is a list, and must be a mapping"),
    "a number": ("config: 3\n", ":1:9: config is a number, and must be a mapping"),
    "a tag": ("config: !vault fleet\n", ":1:9: config is unknown, and must be a mapping"),
}


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", [STACK, OWN])
def test_what_is_no_file_of_text_is_refused(here: Path, name: str, kind: str) -> None:
    make, why = NO_FILES[kind]
    (here / "values.yaml").write_text(values(STOCK.socket))
    make(here / name)
    ran = run("check", "values.yaml", "--no-cache")
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    # A device outside of the tree is a link out of it, and what leads there is not even looked at.
    held = "a fleet" if name == STACK else "settings"
    leads_out = f"{name}, where {held} may be, leads out of the tree"
    assert (leads_out if kind == "a device" else f"{name} {why}") in ran.err


@pytest.mark.skipif(os.geteuid() == 0 and SETPRIV is None, reason="root may read everything")
@pytest.mark.parametrize("name", [STACK, OWN, "pyproject.toml"])
def test_what_may_not_be_read_is_refused(here: Path, name: str) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / name).write_text("")
    (here / name).chmod(0)
    command = [*WITHOUT_POWERS, sys.executable, "-m", "nodeworthy", "check", "values.yaml", "--no-cache"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (2, f"nodeworthy check: can't read {name}: Permission denied\n")


@pytest.mark.parametrize("kind", NO_MAPPINGS)
@pytest.mark.parametrize("name", [STACK, OWN])
def test_what_is_no_mapping_is_refused(here: Path, name: str, kind: str) -> None:
    text, place = NO_MAPPINGS[kind]
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / name).write_text(text)
    ran = run("check", "values.yaml")
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert f"{name}{place}" in ran.err


@pytest.mark.parametrize("kind", NO_CONFIG)
def test_a_config_that_is_no_mapping_is_refused(here: Path, kind: str) -> None:
    text, told = NO_CONFIG[kind]
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / STACK).write_text(text)
    ran = run("check", "values.yaml")
    assert (ran.code, ran.err) == (2, f"nodeworthy check: {STACK}{told}\n")


@pytest.mark.parametrize(
    "text", ["", "# nodeworthy:fleet is kept elsewhere\n", "config:\n", "{}\n", "config: {a:b: c}\n"]
)
def test_a_stack_without_a_fleet_is_none_to_judge_by(here: Path, text: str) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / STACK).write_text(text)
    assert run("check", "values.yaml").code == 0


def test_a_fleet_is_found_however_its_key_is_written(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / STACK).write_text(fleet().replace("nodeworthy:fleet", r'"nodeworthy\x3afleet"'))
    assert run("check", "values.yaml").code == 1


def test_a_stack_that_is_not_the_one_that_was_chosen_need_not_be_readable(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / STACK).write_text(fleet())
    (here / "Pulumi.broken.yaml").write_text("[]\n")
    assert run("check", "values.yaml").code == 2
    assert run("check", "values.yaml", "--stack", "edge").code == 1
    assert run("check", "values.yaml", "--stack", "broken").code == 2
    assert run("check", "values.yaml", "--fleet", STACK).code == 1


@pytest.mark.parametrize("make", [os.mkfifo, _text("[tool.nodeworthy]\nstrict = true\n", "utf-16")])
def test_a_project_that_may_hold_settings_is_refused(here: Path, make: Callable[[Path], object]) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    make(here / "pyproject.toml")
    ran = run("check", "values.yaml", "--no-cache")
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert "pyproject.toml is" in ran.err
    assert run("check", "values.yaml", "--no-cache", "--no-settings").code == 0


def test_a_script_that_only_the_fleet_makes_a_nodes_is_not_passed_over(here: Path) -> None:
    (here / "harden.sh").write_text("#!/bin/bash\nufw default deny incoming\nufw --force enable\n")
    (here / "values.yaml").write_text("toolkit: {env: []}\n")
    assert run("check", ".").code == 0
    (here / STACK).write_text("[]\n")
    assert run("check", "harden.sh").code == 2
    assert (run("check", ".").code, STACK in run("check", "harden.sh").err) == (2, True)


def test_all_moments_refuse_it(here: Path) -> None:
    (here / STACK).write_text("config: []\n")
    (here / "boot.sh").write_text("#!/bin/bash\nnodeadm init\n")
    for words in (
        ("boot", "boot.sh"),
        ("fleet",),
        ("fleet", "--stack", "edge"),
        ("node", "local://", "--stack", "edge"),
    ):
        ran = run(*words)
        assert (ran.code, f"{STACK}:1:9" in ran.err) == (2, True), (words, ran.err)


def test_a_preview_does_not_wait_for_a_pipe(here: Path) -> None:
    (here / "Pulumi.yaml").write_text("name: gpu\nruntime: python\n")
    os.mkfifo(here / STACK)
    ran = run("preview", "--stack", "edge")
    assert (ran.code, "is a pipe or a device" in ran.err) == (2, True), ran.err
