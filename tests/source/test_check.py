"""`check` as a user meets it: what it takes, what it says, how it ends."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run import run, run_json
from tests.source.texts import K3S, STOCK, fleet, values


def test_the_finding_shows_both_places(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / "Pulumi.edge.yaml").write_text(fleet())
    ran = run_json("check", "values.yaml")
    [found] = ran.findings
    assert ran.code == 1
    assert found["rule"] == "containerd-paths"
    assert found["where"] == {
        "path": "values.yaml",
        "line": 4,
        "column": 14,
        "subject": "toolkit.env[CONTAINERD_SOCKET]",
    }
    assert (found["is"], found["should"]) == (STOCK.socket, K3S.socket)
    [related] = found["related"]
    assert (related["path"], related["line"]) == ("Pulumi.edge.yaml", 6)
    assert K3S.socket in found["remedy"]
    assert "no runtime for" in found["cause"]


def test_what_is_no_path_is_not_compared(here: Path) -> None:
    (here / "Pulumi.edge.yaml").write_text(fleet("kubeadm"))
    # The last two are right but for their spelling: the operator would mount another folder all the same.
    for value in ("true", "relative.sock", "{a: 1}", "[a]", f"unix://{STOCK.socket}", f'"{STOCK.socket}\\n"'):
        (here / "values.yaml").write_text(values(value))
        verdicts = {
            found["rule"]: found["verdict"] for found in run_json("check", "values.yaml", "--show-passed").findings
        }
        assert verdicts["toolkit-env-wellformed"] == "fail"
        assert verdicts["containerd-paths"] == "skip"


@pytest.mark.parametrize(
    ("written", "is_"), [("1.10", "1.10"), ("0x1F", "0x1F"), ("yes", "yes"), ("[a]", "a list"), ("~", "~")]
)
def test_a_value_is_told_as_it_was_written(here: Path, written: str, is_: str) -> None:
    (here / "values.yaml").write_text(values(written))
    assert [found["is"] for found in run_json("check", "values.yaml").findings] == [is_]


def test_an_older_release_reads_no_nri_setting(here: Path) -> None:
    (here / "Pulumi.edge.yaml").write_text(fleet("rke2"))
    for version, code in (("v25.3.4", 1), ("v26.3.0", 0)):
        (here / "release.yaml").write_text(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n"
            f"  chart: {{spec: {{chart: gpu-operator, version: {version}}}}}\n"
            "  values: {cdi: {nriPluginEnabled: true}}\n"
        )
        assert run("check", "release.yaml").code == code


def test_text_says_it_all_and_ends_with_what_was_evaluated(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    ran = run("check", "values.yaml")
    assert ran.code == 0
    assert (
        "not judged by containerd-paths, one-driver, one-toolkit: there is no fleet to judge by: give --fleet FILE"
        in ran.out
    )
    assert re.search(r": \d+ pass, 0 fail, 0 unknown; \d+ rules had nothing to judge \(--show-skipped\)\n\Z", ran.out)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("gone.yaml", None, "gone.yaml: it can't be read: no such file or directory"),
        ("notes.txt", b"buy milk", "notes.txt: this is no kind of file that nodeworthy knows"),
        ("a.yaml", b"toolkit: [\n", "a.yaml:2:1: not YAML: "),
        ("a.yaml", b"\xff\xfet\x00o\x00", "it is UTF-16; save it as UTF-8"),
        ("a.yaml", b"toolkit: \x00\x01", "it is binary, not text"),
        ("a.yaml", b"toolkit:\n  \xff\xe9: 1", "it is not UTF-8 (line 2, byte 0xff)"),
        ("a.yaml", b"toolkit: " + b"x" * (50 * 1024 * 1024), "it is larger than 10 MiB"),
        ("a.yaml", b"toolkit: " + b"[" * 100_000, "nested deeper than 200 levels"),
        ("a.yaml", b"", "this is no kind of file that nodeworthy knows"),
    ],
)
def test_a_named_input_that_cannot_be_read_ends_with_2(here: Path, name: str, content: bytes | None, says: str) -> None:
    if content is not None:
        (here / name).write_bytes(content)
    ran = run("check", name)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_nothing_is_lost_beside_a_named_input_that_cannot_be_read(here: Path) -> None:
    (here / "values.yaml").write_text(values("relative.sock"))
    (here / "broken.yaml").write_text("a: [")
    ran = run_json("check", "values.yaml", "broken.yaml", "gone.yaml")
    assert ran.code == 2
    assert [found["rule"] for found in ran.findings] == ["toolkit-env-wellformed"]


def test_in_a_folder_it_is_a_finding_and_the_rest_goes_on(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / "broken.yaml").write_text("toolkit: [\n")
    (here / "picture.png").write_bytes(b"\x89PNG\r\n\x00\x00toolkit")
    ran = run_json("check", ".")
    assert ran.code == 3
    [found] = ran.findings
    assert (found["rule"], found["verdict"], found["where"]["path"]) == ("input-readable", "error", "broken.yaml")
    assert ran.report["summary"]["pass"] > 0
    assert ran.report["evaluated"]["unrecognised"] == 1


def test_a_template_is_no_broken_file(here: Path) -> None:
    (here / "values.yaml").write_text(values(STOCK.socket))
    (here / "deployment.yaml").write_text("{{- if .Values.on }}\na: {{ .Values.b }}\n{{- end }}\n")
    assert run("check", ".").code == 0


def test_nothing_evaluated_is_never_clean(here: Path) -> None:
    (here / "notes.txt").write_text("buy milk")
    ran = run("check", ".")
    assert ran.code == 3
    assert "nothing was evaluated" in ran.out
    assert run("check", ".", "--allow-unknown").code == 3


def test_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(values("unix:///x.sock").encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    ran = run_json("check", "-")
    assert ran.code == 1
    assert ran.findings[0]["where"]["path"] == "-"


def test_a_hook_passes_over_what_it_does_not_know(here: Path) -> None:
    (here / "notes.txt").write_text("buy milk")
    ran = run("check", "--changed", "notes.txt")
    assert (ran.code, ran.out) == (0, "")
    assert "none of 1 changed files" in ran.err
    assert run("check", "--changed").code == 0
    (here / "picture.png").write_bytes(b"\x89PNG\x00toolkit")
    (here / "template.yaml").write_text("{{- if .Values.on }}\na: [\n{{- end }}\n")
    (here / "weights.bin").write_bytes(b"x" * (11 * 1024 * 1024))
    assert run("check", "--changed", "picture.png", "template.yaml", "weights.bin").code == 0
    (here / "broken.yaml").write_text("a: [\n")
    assert run("check", "--changed", "broken.yaml").code == 3
    assert run("check", "--changed", "gone.yaml").code == 2
    (here / "values.yaml").write_text(values("relative.sock"))
    assert run("check", "--changed", "notes.txt", "values.yaml").code == 1


def test_crlf_and_a_byte_order_mark_change_nothing(here: Path) -> None:
    (here / "Pulumi.edge.yaml").write_text(fleet())
    (here / "values.yaml").write_bytes(b"\xef\xbb\xbf" + values(STOCK.socket).replace("\n", "\r\n").encode())
    ran = run_json("check", "values.yaml")
    assert [found["where"]["line"] for found in ran.findings] == [4]


def test_a_closed_pipe_ends_in_silence(here: Path) -> None:
    (here / "values.yaml").write_text(values("relative.sock"))
    command = [sys.executable, "-m", "nodeworthy", "check", "values.yaml"]
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 1), (">/dev/full", 2)])
def test_an_output_that_takes_nothing_is_no_crash(here: Path, redirection: str, code: int) -> None:
    (here / "values.yaml").write_text(values("relative.sock"))
    command = f"{sys.executable} -m nodeworthy check values.yaml {redirection}"
    ended = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == code
    assert "fault of nodeworthy's own" not in ended.stderr


def test_the_order_is_stable(here: Path) -> None:
    for name in ("b.yaml", "a.yaml"):
        (here / name).write_text(values("relative.sock") + "      \n    - name: CONTAINERD_CONFIG\n      value: x\n")
    places = [
        (found["where"]["path"], found["where"]["line"]) for found in run_json("check", "b.yaml", "a.yaml").findings
    ]
    assert places == sorted(places)
    assert len(places) == 4
