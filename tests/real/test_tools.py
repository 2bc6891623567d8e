"""How the programs are built, kept and found; a stand-in for Go, so that no minute is spent here."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from . import tools as finder
from .daemon import PATIENCE
from .tools import BUILD, Tools

# `go env GOVERSION` and `go build … -o BINARY PACKAGE`; what it builds says $SAYS.
STAND_IN_FOR_GO = """\
#!/bin/sh
if [ "$1" = env ]; then echo "${GOVERSION:-go1.26.8}"; exit; fi
if [ -n "$FAILS" ]; then seq 100; echo "$FAILS"; exit 1; fi
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho %s\\n' "$SAYS" > "$2"
chmod +x "$2"
"""

Build = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Runs the builder with an empty cache and, unless `go` is None, a stand-in as the only Go."""
    (tmp_path / "bin").mkdir()

    def run(*arguments: str, go: str | None = STAND_IN_FOR_GO, **told: str) -> subprocess.CompletedProcess[str]:
        program = tmp_path / "bin" / "go"
        program.unlink(missing_ok=True)
        if go is not None:
            program.write_text(go)
            program.chmod(0o755)
        env = {**os.environ, **told, "NODEWORTHY_TOOLS_CACHE": str(tmp_path / "cache")}
        env["PATH"] = f"{tmp_path / 'bin'}:/usr/bin:/bin" if go else str(tmp_path / "bin")
        command = [sys.executable, str(BUILD), *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)

    return run


def files(cache: Path) -> set[str]:
    return {path.name for path in cache.rglob("*") if path.is_file() and path.name != ".lock"}


def test_what_is_built_is_never_built_again(build: Build, tmp_path: Path) -> None:
    first = build("pulumi", SAYS="v3.259.0")
    assert first.returncode == 0, first.stderr
    assert "pulumi v3.259.0: built in" in first.stderr
    assert files(tmp_path / "cache") == {"pulumi"}

    second = build("pulumi", go=None)
    assert second.returncode == 0
    assert "nothing to build, 1 of 1" in second.stderr


def test_a_family_is_built_by_its_name(build: Build, tmp_path: Path) -> None:
    family = {"containerd", "containerd-shim-runc-v2", "ctr"}
    assert build("containerd-2.3", SAYS="containerd v2.3.7").returncode == 0
    assert files(tmp_path / "cache") == family
    rows = [line.split("\t") for line in build("--list").stdout.splitlines()]
    assert {(name, version) for name, version, _, state, _ in rows if state == "built"} == {
        (name, "v2.3.7") for name in family
    }


def test_a_failed_build_is_one_sentence_and_the_end_of_what_go_said(build: Build, tmp_path: Path) -> None:
    failed = build("pulumi", "etcd", FAILS="missing go.sum entry")
    lines = failed.stderr.splitlines()
    assert failed.returncode == 1
    sentence = "tools: pulumi v3.259.0 could not be built; go ended with 1 and said last:"
    assert lines[lines.index(sentence) + 1 :] == [f"    {number}" for number in range(82, 101)] + [
        "    missing go.sum entry"
    ]
    assert "tools: etcd v3.6.8 could not be built" in failed.stderr
    assert files(tmp_path / "cache") == set()


def test_a_program_that_tells_another_version_is_not_kept(build: Build, tmp_path: Path) -> None:
    failed = build("pulumi", SAYS="v3.25.0")
    assert failed.returncode == 1
    assert "pulumi v3.259.0 was built, but does not tell that version; it says:\n    v3.25.0" in failed.stderr
    assert files(tmp_path / "cache") == set()


@pytest.mark.parametrize(
    ("go", "version", "sentence"),
    [
        (None, "", "tools: go is not on PATH; install Go 1.24 or newer"),
        (STAND_IN_FOR_GO, "go1.19.8", "is go1.19.8; install Go 1.24 or newer"),
    ],
    ids=["none", "too old"],
)
def test_without_a_fitting_go_one_sentence_says_what_to_install(
    build: Build, go: str | None, version: str, sentence: str
) -> None:
    refused = build("pulumi", go=go, GOVERSION=version)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert sentence in refused.stderr


def test_an_unknown_name_is_a_usage_error(build: Build) -> None:
    refused = build("pulumni")
    assert refused.returncode == 2
    assert "no such program: pulumni (there are: actionlint, containerd, containerd-2.2," in refused.stderr


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Path]]:
    """Puts a program onto PATH, before all others, that says this."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def write(name: str, says: str) -> Path:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {shlex.quote(says)}\n")
        program.chmod(0o755)
        return program

    yield write
    finder.minor_version.cache_clear()


def test_path_comes_first(install: Callable[[str, str], Path]) -> None:
    assert finder.find("etcd") != (mine := install("etcd", "etcd Version: 3.5.1"))
    assert finder.find("etcd") == mine
    assert finder.find("etcd-3.5") == mine


def test_another_version_on_path_is_not_taken(install: Callable[[str, str], Path]) -> None:
    debians = install("containerd", "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1")
    assert finder.find("containerd-1.6") == debians
    assert finder.find("containerd-2.2") != debians
    assert finder.find("containerd-9.9") is None


def test_what_is_missing_is_skipped_loudly_or_fails() -> None:
    lenient, strict = Tools(required=False), Tools(required=True)
    with pytest.raises(pytest.skip.Exception, match="no-such: neither on PATH nor built by make tools"):
        lenient.path("no-such")
    with pytest.raises(pytest.fail.Exception, match=r"no-such: .* \(--require-tools\)"):
        strict.path("no-such")
    assert lenient.missed == strict.missed == {"no-such"}
