"""The image's definition, as far as it can be judged without building it; docs/releasing.md says how it was built."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
# One instruction a line, whatever it was broken into.
INSTRUCTIONS = [
    shlex.split(line)
    for line in re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
    if line.strip()
]


def values(name: str) -> list[list[str]]:
    return [words[1:] for words in INSTRUCTIONS if words[0] == name]


def test_hadolint_has_nothing_to_say() -> None:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("hadolint is not built for this machine")
    told = subprocess.run(
        [program, "Containerfile"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (told.returncode, told.stdout) == (0, "")


def test_its_base_is_pinned() -> None:
    (base,) = (words[0] for words in values("ARG") if words[0].startswith("BASE="))
    assert re.fullmatch(r"BASE=docker\.io/library/python:\d+\.\d+\.\d+-slim-\w+(@sha256:[0-9a-f]{64})?", base)
    assert {words[0] for words in values("FROM")} == {"${BASE}"}


def test_it_runs_as_nobody_of_the_host() -> None:
    assert values("USER") == [["10001:10001"]]
    order = [words[0] for words in INSTRUCTIONS]
    assert order.index("USER") > max(index for index, name in enumerate(order) if name == "RUN")
    assert values("ENTRYPOINT") == [["[nodeworthy]"]]


def test_what_it_copies_is_there_and_is_given_to_it() -> None:
    copied = {name.removeprefix("./") for words in values("COPY") if "--from=build" not in words for name in words[:-1]}
    given = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert copied == given


def test_what_it_installs_is_locked_with_hashes_and_holds_no_tools_of_ours() -> None:
    lock = (ROOT / "locks" / "image.txt").read_text(encoding="utf-8")
    names = set(re.findall(r"^([a-z0-9._-]+)==", lock, re.MULTILINE))
    assert {"pyyaml", "boto3", "kubernetes", "pytest-testinfra"} <= names
    assert {"pulumi", "mypy", "ruff", "moto"} & names == set()
    assert TEXT.count("--require-hashes") == TEXT.count("--requirement") == 2
    everything = (ROOT / "locks" / "all.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-z0-9._-]+==\S+)", lock, re.MULTILINE)
    assert [each for each in pinned if f"\n{each}" not in f"\n{everything}"] == []
