"""What is not mended: each with a sentence, and with the file as it was."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fix.folder import K3S, SOCKET, STOCK, fix, laid
from tests.run import Ran, run

WRONG = f"""\
driver: {{enabled: false}}
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: {STOCK}
"""


class Typing(io.StringIO):
    """A terminal at which somebody answers, and does something else before."""

    def __init__(self, answer: str, before: Callable[[], object] = lambda: None) -> None:
        super().__init__(answer)
        self._before = before

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as io.StringIO has it
        self._before()
        return super().readline(size)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return laid(tmp_path, {"values.yaml": WRONG, "Pulumi.dev.yaml": K3S}) / "values.yaml"


def untouched(ran: Ran, file: Path, says: str, code: int = 1) -> None:
    assert says in ran.err
    assert ran.code == code
    assert file.read_text() == WRONG
    assert not [each for each in file.parent.iterdir() if each.name.startswith(".values")]


def test_a_file_that_is_read_only(wrong: Path) -> None:
    wrong.chmod(0o444)
    untouched(fix(wrong.parent), wrong, "values.yaml:5:14 containerd-paths: it is read-only")


def test_a_symbolic_link(wrong: Path, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "real.yaml"
    real.parent.mkdir()
    wrong.rename(real)
    wrong.symlink_to(real)
    untouched(fix(tmp_path, "values.yaml"), real, "it is a symbolic link: name the file that it leads to")
    assert wrong.is_symlink()


def test_a_file_with_two_names(wrong: Path) -> None:
    os.link(wrong, wrong.with_name("second.txt"))
    untouched(fix(wrong.parent), wrong, "it has several names (hard links)")


def test_a_file_that_changes_while_we_ask(wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change() -> None:
        wrong.write_text(WRONG.replace("driver", "# mine\ndriver"))

    monkeypatch.setattr(sys, "stdin", Typing("y\n", change))
    ran = run("check", ".", "--fix", cwd=wrong.parent)
    assert "not written: values.yaml: it has changed since it was read" in ran.err
    assert "0 of 1 file written" in ran.err
    assert ran.code == 1
    assert wrong.read_text() == WRONG.replace("driver", "# mine\ndriver")


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "perhaps\n"])
def test_no_is_no(wrong: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr(sys, "stdin", Typing(answer))
    untouched(run("check", ".", "--fix", cwd=wrong.parent), wrong, "Write 1 file? [y/N] nodeworthy check: nothing was")


def test_yes_is_yes(wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Typing("y\n"))
    assert run("check", ".", "--fix", cwd=wrong.parent).code == 0
    assert SOCKET in wrong.read_text()


def test_without_a_terminal_nobody_is_asked(wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    untouched(run("check", ".", "--fix", cwd=wrong.parent), wrong, "look at --fix --dry-run, then --yes", 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([".", "--yes"], "--yes is for --fix"),
        ([".", "--dry-run"], "--dry-run is for --fix"),
        ([".", "--fix", "--yes", "--format", "json"], "--format is for a report; --fix tells people what it does"),
        ([".", "--fix", "--yes", "--also", "sarif=x.sarif"], "--also is for a report"),
        ([".", "--fix", "--yes", "--output", "x"], "--output is for a report"),
        ([".", "-", "--fix", "--yes"], "--fix mends files, and standard input is none"),
    ],
)
def test_what_does_not_go_together(wrong: Path, arguments: list[str], says: str) -> None:
    untouched(run("check", *arguments, cwd=wrong.parent), wrong, says, 2)


def test_two_fixes_in_one_place(wrong: Path) -> None:
    """The one would take off the scheme, the other write another path."""
    text = WRONG.replace("/run/", "unix:///run/")
    wrong.write_text(text)
    ran = fix(wrong.parent)
    assert ran.err.count("two fixes want one place to be two things: mend one of them by hand") == 2
    assert ran.code == 1
    assert wrong.read_text() == text


LEFT = {
    "a template of Helm": (
        "values.yaml",
        "toolkit:\n  env:\n    - name: A\n      value: true\n    - name: B\n      value: {{ .Values.b }}\n",
        "a template writes this file",
    ),
    "a value that others take over": (
        "values.yaml",
        "toolkit:\n  env:\n    - {name: A, value: &on true}\n    - {name: B, value: *on}\n",
        "by the anchor &on",
    ),
    "a mapping that others take over": (
        "values.yaml",
        "shared: &shared\n  env:\n    - {name: A, value: true}\ntoolkit:\n  <<: *shared\n",
        "by the anchor &shared",
    ),
    "two entries that differ": (
        "values.yaml",
        "toolkit:\n  env:\n    - {name: A, value: b}\n    - {name: A, value: c}\n",
        "its remedy is a decision",
    ),
    "a comment at the second entry": (
        "values.yaml",
        "toolkit:\n  env:\n    - {name: A, value: b}\n    # for the new nodes\n    - {name: A, value: b}\n",
        "a comment stands at it",
    ),
    "nothing at all": (
        "values.yaml",
        "toolkit:\n  env:\n    - {name: A, value: null}\n",
        "its remedy is a decision",
    ),
    "a relative path": (
        "values.yaml",
        "toolkit:\n  env:\n    - {name: CONTAINERD_SOCKET, value: run/containerd.sock}\n",
        "its remedy is a decision",
    ),
    "a template of Terraform": (
        "user-data.tftpl",
        "#!/bin/sh\ncurl -sfL https://get.rke2.io | sh -\nsystemctl start rke2-agent\n",
        "the file is a template",
    ),
    "a command that goes on": (
        "user-data.sh",
        "#!/bin/sh\ncurl -sfL https://get.rke2.io | sh -\nsystemctl start rke2-agent && \\\n  echo started\n",
        "does not stand alone on its line",
    ),
    "a command that goes on from the line above": (
        "user-data.sh",
        "#!/bin/sh\ncurl -sfL https://get.rke2.io | sh -\ntrue &&\nsystemctl start rke2-agent\n",
        "does not stand alone on its line",
    ),
    "a word of a longer argument": (
        "scheduler.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: hami-scheduler, labels: {app.kubernetes.io/name: hami}}\n"
        "spec:\n  containers:\n    - name: extender\n      image: projecthami/hami:v2.6.1\n"
        "      command: [scheduler, --node-scheduler-policy=bin-pack]\n",
        "the file says it in another way than the finding",
    ),
    "a command behind another": (
        "user-data.sh",
        "#!/bin/sh\ncurl -sfL https://get.rke2.io | sh -; systemctl start rke2-agent\n",
        "does not stand alone on its line",
    ),
}


@pytest.mark.parametrize(("name", "text", "says"), LEFT.values(), ids=LEFT.keys())
def test_what_only_its_writer_can_know(tmp_path: Path, name: str, text: str, says: str) -> None:
    laid(tmp_path, {name: text})
    rules = ("toolkit-env-wellformed", "kubelet-survives-reboot", "hami-policy-known")
    ran = fix(tmp_path, name, "--strict", *(f"--rule={each}" for each in rules))
    assert f"not mended: {name}:" in ran.err
    assert says in ran.err
    assert ran.code == 1
    assert (tmp_path / name).read_text() == text


def test_a_file_beside_what_was_named(tmp_path: Path) -> None:
    """Its settings are wrong in the fleet's file, which nobody named."""
    fleet = K3S + "    operator: {values: {toolkit: {env: []}}}\n"
    laid(tmp_path, {"a/values.yaml": WRONG, "Pulumi.dev.yaml": fleet})
    assert fix(tmp_path, "a").code == 0
    assert (tmp_path / "Pulumi.dev.yaml").read_text() == fleet


def test_pools_that_need_two_paths(wrong: Path) -> None:
    both = K3S + "      cloud: {gpu: h100, distribution: microk8s, provision: false}\n"
    (wrong.parent / "Pulumi.dev.yaml").write_text(both)
    ran = fix(wrong.parent, "values.yaml")
    assert "not mended: values.yaml:5:14 containerd-paths" in ran.err
    assert wrong.read_text() == WRONG
    assert ran.code == 1


def test_a_pool_of_which_nothing_is_known(wrong: Path) -> None:
    both = K3S + "      cloud: {gpu: h100, os: ubuntu-22.04, provision: false}\n"
    (wrong.parent / "Pulumi.dev.yaml").write_text(both)
    ran = fix(wrong.parent, "values.yaml")
    assert "whether it is right for every pool is not known" in ran.err
    assert ran.code == 1
    assert wrong.read_text() == WRONG


def test_others_are_mended_all_the_same(wrong: Path) -> None:
    laid(wrong.parent, {"b/values.yaml": WRONG})
    wrong.chmod(0o444)
    ran = fix(wrong.parent)
    assert ran.code == 1
    assert "1 of 1 file written" in ran.err
    assert wrong.read_text() == WRONG
    assert SOCKET in (wrong.parent / "b" / "values.yaml").read_text()


def test_a_secret_beside_it_is_not_shown(tmp_path: Path) -> None:
    text = "toolkit:\n  env:\n    - name: TOKEN\n      value: ghp_0123456789abcdefghijABCDEFGHIJ012345\n"
    laid(tmp_path, {"values.yaml": f"{text}    - name: A\n      value: true\n"})
    ran = run("check", "values.yaml", "--rule", "toolkit-env-wellformed", "--fix", "--dry-run", cwd=tmp_path)
    assert '+      value: "true"' in ran.out
    assert "ghp_" not in ran.out + ran.err


def test_what_stands_in_the_baseline_is_left_alone(wrong: Path) -> None:
    assert run("baseline", ".", cwd=wrong.parent).code == 0
    untouched(fix(wrong.parent), wrong, "nothing to mend", 0)


def test_what_the_settings_leave_out_is_left_alone(wrong: Path) -> None:
    laid(wrong.parent, {".nodeworthy.yaml": "exclude: [values.yaml]\n"})
    untouched(fix(wrong.parent), wrong, "nothing to mend", 0)
