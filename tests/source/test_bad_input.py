"""Whatever a folder holds, the rest of it is judged, and what could not be looked at is said."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.source.files import Source, Unreadable, read_bytes
from tests.run import Ran, run, run_json
from tests.source.texts import STOCK, fleet, values

GOOD = values(STOCK.socket)
# A root without the powers by which it may read everything.
SETPRIV = shutil.which("setpriv")
WITHOUT_POWERS = [str(SETPRIV), "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def told(ran: Ran) -> dict[str, str]:
    """What is said of the inputs that could not be looked at."""
    found = [each for each in ran.findings if each["rule"] == "input-readable"]
    assert all(each["verdict"] == "error" for each in found)
    return {each["where"]["path"]: each["message"] for each in found}


def as_anybody(*arguments: str, cwd: Path) -> Ran:
    if WITHOUT_POWERS and SETPRIV is None:
        pytest.skip("root may read everything, and there is no setpriv")
    command = [*WITHOUT_POWERS, sys.executable, "-m", "nodeworthy", "check", *arguments, "--format", "json"]
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@pytest.fixture
def closed(here: Path) -> Iterator[Path]:
    (here / "values.yaml").write_text(GOOD)
    (here / "secret").mkdir()
    (here / "secret").chmod(0)
    yield here
    (here / "secret").chmod(0o700)


def test_a_folder_that_may_not_be_looked_into_is_told(closed: Path) -> None:
    ran = as_anybody(".", cwd=closed)
    assert (ran.code, told(ran)) == (3, {"secret": "it can't be read: permission denied"})
    assert ran.report["evaluated"]["files"] == 1


def test_one_that_was_named_is_a_mistake(closed: Path) -> None:
    ran = as_anybody("secret", cwd=closed)
    assert (ran.code, ran.err) == (2, "nodeworthy check: secret: it can't be read: permission denied\n")


def test_a_file_that_may_not_be_read_could_be_ours(here: Path) -> None:
    for name in ("values.yaml", "user-data.sh"):
        (here / name).write_text(GOOD)
        (here / name).chmod(0)
    ran = as_anybody(".", cwd=here)
    assert ran.code == 3
    assert told(ran) == dict.fromkeys(("values.yaml", "user-data.sh"), "it can't be read: permission denied")


def test_links_in_a_circle(here: Path) -> None:
    (here / "loop").symlink_to("loop")
    (here / "nowhere.yaml").symlink_to("gone.yaml")
    (here / "inside").mkdir()
    (here / "inside" / "again").symlink_to("..")
    (here / "inside" / "values.yaml").write_text(GOOD)
    (here / "same.yaml").symlink_to("inside/values.yaml")
    assert run_json("check", ".").report["evaluated"]["files"] == 1
    named = run("check", "loop")
    assert named.code == 2
    assert named.err == "nodeworthy check: loop: it can't be read: too many levels of symbolic links\n"


def _fleet(folder: Path) -> str:
    folder.mkdir()
    (folder / "Pulumi.y.yaml").write_text(fleet("kubeadm"))
    return str(folder / "Pulumi.y.yaml")


def test_what_has_no_end_is_not_waited_for(here: Path) -> None:
    for name in ("Pulumi.x.yaml", ".nodeworthy.yaml", "values.yaml", "user-data.sh"):
        os.mkfifo(here / name)
    (here / "good.yaml").write_text(GOOD)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("listening")
        ran = run("check", ".")
        assert (ran.code, ran.err) == (2, "nodeworthy check: .nodeworthy.yaml is a pipe or a device, not a file\n")
        (here / ".nodeworthy.yaml").unlink()
        ran = run("check", ".")
        assert (ran.code, ran.err) == (2, "nodeworthy check: Pulumi.x.yaml is a pipe or a device, not a file\n")
        assert run("check", ".", "--fleet", _fleet(here / "elsewhere")).code == 0
        for name in ("listening", "values.yaml", "/dev/zero"):
            ran = run("check", name)
            assert (ran.code, ran.err) == (2, f"nodeworthy check: {name}: it is a pipe or a device, not a file\n")
    for named in ("Pulumi.x.yaml", "/dev/zero"):
        ran = run("check", "good.yaml", "--fleet", named)
        assert (ran.code, ran.err) == (2, f"nodeworthy check: {named} is a pipe or a device, not a file\n")


def test_a_file_that_changes_while_it_is_read_is_read_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = here / "values.yaml"
    path.write_text(GOOD)
    status = os.fstat
    writes = iter(["a: 1\n", "b: 22\n", "c: 333\n", "d: 4444\n", "e: 55555\n", "f: 666666\n"])

    def changing(handle: int) -> os.stat_result:
        found = status(handle)
        path.write_text(next(writes, "settled: 1\n"))
        return found

    monkeypatch.setattr(os, "fstat", changing)
    with pytest.raises(Unreadable, match="changes while it is read"):
        read_bytes(Source(path, "values.yaml", named=True))
    monkeypatch.setattr(os, "fstat", status)
    assert read_bytes(Source(path, "values.yaml", named=True)) == b"f: 666666\n"


LONG_NUMBER = "9" * 5_000
NUMBERS = {
    "job.sbatch": f"#!/bin/bash\n#SBATCH --gres=gpu:{LONG_NUMBER}\nsrun true\n",
    "values.yaml": f"{GOOD}x: {LONG_NUMBER}\n",
    "user-data.sh": f"#!/bin/bash\nx=$((1 + {LONG_NUMBER}))\nufw insert {LONG_NUMBER} allow 22\nmodprobe nvidia\n",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_of_thousands_of_digits_is_none(here: Path, name: str) -> None:
    (here / name).write_text(NUMBERS[name])
    why = "it holds a number of more than 4,300 digits, which no program takes"
    assert told(run_json("check", ".")) == {name: why}
    assert run("check", name).code == 2
    (here / name).write_text(NUMBERS[name].replace(LONG_NUMBER, LONG_NUMBER[:10]))
    assert told(run_json("check", ".")) == {}


def test_markup_may_hold_such_a_number(here: Path) -> None:
    """A drawing, a map of a game: it lies in the folder, and nobody asks for it."""
    (here / "map.xml").write_text(f"<map>\n<terrain>{'01' * 2_500}</terrain>\n</map>\n")
    assert told(run_json("check", ".")) == {}
    assert run("check", "map.xml").code == 2


def test_what_is_huge_is_not_read(here: Path) -> None:
    for name in ("values.yaml", "image.bin", "Pulumi.x.yaml"):
        with (here / name).open("wb") as file:
            file.truncate(1 << 40)  # no memory holds it
    ran = run_json("check", ".", "--skip-rule", "gpu-exists")
    assert told(ran)["values.yaml"] == "it is larger than 10 MiB, the most that is read of a file"
    assert run("check", "image.bin").code == 2


LONG = {
    "values": GOOD + "".join(f"part{n}:\n  a: {n}\n  b: [x, y]\n  c: text\n" for n in range(25_000)),
    "a template": "{{- if .a }}\n" + "".join(f"part{n}:\n  a: {{{{ .b }}}}\n" for n in range(50_000)) + GOOD,
    "objects": "".join(f"---\nkind: ConfigMap\nmetadata:\n  name: c{n}\n" for n in range(25_000)) + f"---\n{GOOD}",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_hundred_thousand_lines(here: Path, text: str) -> None:
    (here / "values.yaml").write_text(text)
    began = time.process_time()
    assert run_json("check", ".").report["evaluated"]["files"] == 1
    # A test must not fail on a machine that is busy or slow; the bench holds the limit of five seconds.
    assert time.process_time() - began < 120


ALIASES = "".join(f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True))  # fmt: skip
ODD = {
    "brackets": ("a: " + "[" * 10_000, 3),
    "braces": ("toolkit: " + "{a: " * 10_000, 3),
    "an alias bomb": (f"a: &a [lol, lol]\n{ALIASES}{GOOD}", 3),
    "an object that holds itself": (f"x: &x\n  y: *x\n{GOOD}", 3),
    "carriage returns": (GOOD.replace("\n", "\r\n"), 0),
    "a byte order mark": (f"\ufeff{GOOD}", 0),
    "a NUL": (f"{GOOD}\0", 3),
}


@pytest.mark.parametrize(("text", "code"), ODD.values(), ids=ODD)
def test_odd_text_in_a_folder(here: Path, text: str, code: int) -> None:
    (here / "values.yaml").write_text(text, newline="")
    ran = run_json("check", ".")
    assert (ran.code, bool(told(ran))) == (code, code == 3)


def test_another_encoding_is_named(here: Path) -> None:
    (here / "values.yaml").write_bytes(GOOD.encode("utf-16"))
    assert told(run_json("check", ".")) == {"values.yaml": "it is UTF-16; save it as UTF-8"}


_OF_PACKER = (
    b'{"builders": [{"ami_name": "\x9f"}], "provisioners": [{"type": "shell", "inline": ["apt-get install cuda"]}]}'
)
_OF_AWS = b'AWSTemplateFormatVersion: "2010-09-09"\nResources: {A: {Type: "AWS::EC2::Instance", Properties: {ImageId: "\x9f"}}}\n'
_OF_PULUMI = b"name: x\nruntime: yaml\nresources: {a: {type: aws:eks:Cluster}}\n"
_NO_TEXT = {"Pulumi.yaml": _OF_PULUMI + b"# \x9f\n", "t.yaml": _OF_AWS, "p.json": _OF_PACKER}


@pytest.mark.parametrize("name", _NO_TEXT)
def test_what_is_of_a_kind_that_is_known_and_no_text_is_told(here: Path, name: str) -> None:
    (here / "values.yaml").unlink(missing_ok=True)
    (here / name).write_bytes(_NO_TEXT[name])
    [why] = told(run_json("check", ".")).values()
    assert "is not UTF-8" in why


def test_a_stack_that_is_no_text_says_nothing_to_its_program(here: Path) -> None:
    (here / "Pulumi.yaml").write_bytes(_OF_PULUMI)
    (here / "Pulumi.dev.yaml").write_bytes(b"config: {a: \x9f}\n")
    assert "fault of nodeworthy" not in run("check", "Pulumi.yaml").err


FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html")


@pytest.mark.parametrize("form", FORMATS)
def test_no_terminal_obeys_a_name_or_a_value(here: Path, form: str) -> None:
    for name in ("\x1b[31mred\n.yaml", "\x9b31m\u202e.yaml", os.fsdecode(b"\xff\xfe.yaml")):
        (here / name).write_text(values('"\\e[2Jx"'))
    for arguments in ((".", "--show-passed"), ("\x1b[31mred\n.yaml", "\x1b[31mgone")):
        ran = run("check", *arguments, "--format", form, "--output", "report")
        written = (here / "report").read_text(encoding="utf-8") + ran.err
        assert written.isascii() or not {"\x1b", "\x9b", "\u202e"}.intersection(written)


def test_a_path_that_is_no_text_is_looked_at(here: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.yaml")
    (here / name).write_text(GOOD)
    ran = run("check", ".", "--format", "json", "--show-passed")
    assert ran.code == 0
    assert {each["where"]["path"] for each in json.loads(ran.out)["findings"] if "where" in each} >= {name}


TEMPLATES = {
    "ingress.yaml": 'controller:\n  families:\n    - ${v6 ? "IPv6" : "IPv4"}\n',
    "spark.yaml": "spark:\n%{ if ui ~}\n  ui: true\n%{ endif ~}\n",
    "chart.yaml": "toolkit:\n  {{ if .Values.x }}\n  x: [\n  {{ end }}\n",
    "deploy.yaml": "kind: Deployment\nspec:\n{{ if .x }}\ncontainers: [\n{{ end }}\n",
}


def test_a_template_is_no_broken_file(here: Path) -> None:
    """What stands there is YAML once it is filled in; only one that holds values of ours is told of."""
    for name, text in TEMPLATES.items():
        (here / name).write_text(text)
    (here / "good.yaml").write_text(GOOD)
    assert told(run_json("check", ".")) == {}
    (here / "operator.yaml").write_text('toolkit:\n  env:\n    - ${wide ? "a" : "b"}\n  x: [\n')
    (here / "broken.yaml").write_text("a: [\n")
    said = told(run_json("check", "."))
    assert list(said) == ["broken.yaml", "operator.yaml"]
    assert said["operator.yaml"].startswith("this template can't be read before it is filled in: not YAML:")


def test_lines_that_a_program_adds_to_its_template_break_no_file(here: Path) -> None:
    """By the template's name, and a word in capitals with nothing before it but a colon or a quote."""
    adds = "kind: Job\nspec:\n  containers:\n  - name: train\n    env:EXTRA_VARIABLES\n    - {name: A, value: b}\n"
    (here / "train-template.yaml").write_text(adds)
    (here / "job-template.yaml").write_text('kind: Job\nspec:\n  cleanPodPolicy: "All"MORE_LINES\n')
    (here / "good.yaml").write_text(GOOD)
    assert told(run_json("check", ".")) == {}
    (here / "train.yaml").write_text(adds)
    (here / "other-template.yaml").write_text("kind: Job\nspec: [\n")
    assert list(told(run_json("check", "."))) == ["other-template.yaml", "train.yaml"]


def test_a_program_that_speaks_of_the_operator_is_no_broken_yaml(here: Path) -> None:
    program = (
        'const gpu = new k8s.helm.v3.Release("gpu-operator", {\n  chart: "gpu-operator",\n  values: {toolkit: {}}});\n'
    )
    for name in ("index.ts", "notes.md"):
        (here / name).write_text(program)
        ran = run("check", name)
        assert (ran.code, ran.err) == (2, f"nodeworthy check: {name}: this is no kind of file that nodeworthy knows\n")
    (here / "backend.hcl").write_text(program)
    assert "of HCL only Terraform's and Packer's own files are read" in run("check", "backend.hcl").err
    for name, reader in (("image.pkr.hcl", "Packer"), ("gpu.tf", "Terraform")):
        (here / name).write_text(program)
        why = f"{name}:1:11: this is no HCL that {reader} reads: `=` or `{{` is expected here, and not '='"
        ran = run("check", name)
        assert (ran.code, ran.err) == (2, f"nodeworthy check: {why}\n")
    (here / "values").write_text("toolkit: [\n")
    assert "not YAML" in run("check", "values").err


def test_what_a_tool_keeps_for_itself_is_no_clusters(here: Path) -> None:
    (here / ".github").mkdir()
    for name in (".github/form.yml", ".pre-commit-config.yaml"):
        (here / name).write_text("label: this: that\n")
    (here / "good.yaml").write_text(GOOD)
    assert told(run_json("check", ".")) == {}
