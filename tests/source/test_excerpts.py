"""The lines that a page shows of a file: those around the place, as they are now, and no secret among them."""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path

import pytest

from nodeworthy.collect.source.files import Unreadable
from nodeworthy.commands.excerpts import LIMIT, MOST, excerpts, shown_lines
from nodeworthy.verdict import Finding, Place, Related, Verdict
from tests.case_files import whole
from tests.run import run

VALUES = "".join(f"line{number}: {number}\n" for number in range(1, 11))
# Put together, so that nobody who searches this file for tokens finds one.
TOKEN = "ghp_" + "R7kQ2mZx9LbT4vWc8NfY1sDg6HjP3aE5uKoq"
KEY = "-----BEGIN {0} KEY-----\nMIIEpAIBAAKCAQEA7bq\nZx9LbT4vWc8NfY1sDg6\n-----END {0} KEY-----\n".format("RSA PRIVATE")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write("values.yaml", VALUES)


def _write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    os.utime(name, (1, 1))


def _found(line: int = 5, path: str = "values.yaml", is_: str | None = None, host: str | None = None) -> Finding:
    other = Related(Place(path="other.yaml", line=1), "the other end")
    return Finding(Verdict.FAIL, "wrong", Place(path=path, line=line, host=host), is_=is_, related=(other,))


def test_the_lines_of_both_places() -> None:
    _write("other.yaml", "a: 1\nb: 2\n")
    shown = excerpts([_found()], time.time())
    assert shown["values.yaml", 5].first == 3
    assert shown["values.yaml", 5].lines == ("line3: 3", "line4: 4", "line5: 5", "line6: 6", "line7: 7")
    assert (shown["other.yaml", 1].first, shown["other.yaml", 1].lines) == (1, ("a: 1", "b: 2"))
    assert {each.says for each in shown.values()} == {""}


def test_a_file_that_is_gone_or_shorter_or_newer_is_said_to_be() -> None:
    began = time.time() - 60
    assert "can't be read" in excerpts([_found()], began)["other.yaml", 1].says
    assert excerpts([_found(99)], began)["values.yaml", 99].says == "the file has no line 99"
    os.utime("values.yaml")
    assert "has changed since" in excerpts([_found()], began)["values.yaml", 5].says
    assert "has changed since" in excerpts([_found(99)], began)["values.yaml", 99].says


@pytest.mark.parametrize(
    "data",
    [b"\x00\x01", b"\xff\xfea\x00", b"caf\xe9\n", b"a\n" * LIMIT],
    ids=["bytes", "UTF-16", "Latin-1", "more than is read"],
)
def test_what_is_no_text_is_not_shown(data: bytes) -> None:
    Path("values.yaml").write_bytes(data)
    shown = excerpts([_found(1)], time.time())["values.yaml", 1]
    assert shown.lines == ()
    assert shown.says.startswith("its lines are not shown: values.yaml is ")


def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("pipe")
    assert excerpts([_found(1, "pipe")], time.time())["pipe", 1].lines == ()
    with pytest.raises(Unreadable):
        shown_lines("pipe")


def test_a_file_of_another_machine_is_not_looked_for_here() -> None:
    assert ("values.yaml", 5) not in excerpts([_found(host="ssh://h1")], time.time())


def test_a_secret_is_hidden_and_lines_stay_where_they_are() -> None:
    _write("values.yaml", f"a: 1\ntoken: {TOKEN}\nkey: |\n{KEY}last: 1\n")
    lines = shown_lines("values.yaml")
    assert TOKEN not in "\n".join(lines)
    assert "MIIEpAIBAAKCAQEA7bq" not in "\n".join(lines)
    assert (lines[0], lines[1], lines[7]) == ("a: 1", "token: (secret)", "last: 1")


def test_a_secret_that_only_its_place_tells_is_hidden_from_its_neighbours() -> None:
    shown = excerpts([_found(5, is_="(secret)"), _found(6)], time.time())
    assert shown["values.yaml", 6].lines == ("line4: 4", "(secret)", "line6: 6", "line7: 7", "line8: 8")
    assert shown["values.yaml", 5].lines[2] == "(secret)"


def test_an_object_that_is_a_secret_shows_its_keys() -> None:
    document = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  colour: Ymx1ZQ==\n  more: |\n    cmVk\ntype: x\n"
    )
    _write(
        "values.yaml", f"kind: ConfigMap\ndata:\n  a: seen\n---\n{document}---\nkind: Secret\ndata: {{a: Ymx1ZQ==}}\n"
    )
    text = "\n".join(shown_lines("values.yaml"))
    assert "  a: seen" in text
    assert "  colour: (secret)\n  more: (secret)\n    (secret)\ntype: x" in text
    assert "Ymx1ZQ==" not in text
    assert len(shown_lines("values.yaml")) == 15


def test_what_is_packed_is_not_shown_and_digests_are() -> None:
    packed, digest = base64.b64encode(b"#!/bin/bash\n" + b"echo 1\n" * 20).decode(), "sha256:" + "0a" * 32
    _write("values.yaml", f"userData: {packed}\nimage: {digest}\n")
    assert shown_lines("values.yaml") == ["userData: (packed)", f"image: {digest}"]


def test_what_came_through_a_pipe_is_not_looked_for() -> None:
    assert ("-", 5) not in excerpts([_found(path="-")], time.time())


def test_a_secret_in_json() -> None:
    _write("dump.json", '{"items": [\n {\n  "data": {\n   "a": "Ymx1ZQ=="\n  },\n  "kind": "Secret"\n }\n]}\n')
    assert shown_lines("dump.json")[3] == '   "a": (secret)'


def test_more_places_than_anybody_reads_are_not_read() -> None:
    _write("values.yaml", "a: 1\n" * (MOST + 10))
    many = [_found(line) for line in range(1, MOST + 10)]
    assert len(excerpts(many, time.time())) == MOST


def test_a_page_of_check_shows_them(tmp_path: Path) -> None:
    case = whole("containerd-paths/bad-source-incident")
    page = run("check", ".", "--format", "html", cwd=case).out
    assert "<mark><i>8</i><b>  env: []</b></mark>" in page
    assert "<b>        containerdBaseDir: /var/lib/k8s-containerd/k8s-containerd</b></mark>" in page
