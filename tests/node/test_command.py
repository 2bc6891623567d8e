"""`nodeworthy node` as a user meets it, over recordings and this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nodeworthy.collect.node import specs
from nodeworthy.collect.node.recording import as_text, load, recording_from_data
from tests.case_files import whole
from tests.run import run, run_json

from .recordings import INCIDENT, MENDED, but, named, part, without


def test_two_containerds_are_named_with_which_is_which() -> None:
    ran = run("node", f"replay:{INCIDENT}")
    assert ran.code == 1
    assert "ssh://gpu-01: fail containerd-paths" in ran.out
    assert "containerd.service (pid" in ran.out
    assert "snap.k8s.containerd.service (pid" in ran.out
    assert "of 1 host: " in ran.out


def test_a_folder_is_a_host_for_each_recording(tmp_path: Path) -> None:
    shutil.copy(INCIDENT, tmp_path / "one.json")
    mended = but(load(MENDED))
    (tmp_path / "two.json").write_text(as_text(mended).replace("ssh://gpu-01", "ssh://gpu-02"))
    ran = run_json("node", f"replay:{tmp_path}", "--show-passed")
    assert ran.code == 1
    assert ran.report["evaluated"]["hosts"] == 2
    about = ("containerd-paths", "toolkit-reaches-containerd")
    verdicts = {
        (each["where"]["host"], each["rule"]): each["verdict"] for each in ran.findings if each["rule"] in about
    }
    assert verdicts == {
        ("ssh://gpu-01", "containerd-paths"): "fail",
        ("ssh://gpu-01", "toolkit-reaches-containerd"): "skip",
        ("ssh://gpu-02", "containerd-paths"): "pass",
        ("ssh://gpu-02", "toolkit-reaches-containerd"): "pass",
    }


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe{\x00", "it is not JSON"),
        (b"[1]", "no recording"),
        (b'{"schema": "nodeworthy/recording/v9", "moment": "node"}', "nodeworthy/recording/v9"),
        (b'{"schema": "nodeworthy/recording/v1", "moment": "node", "host": "h"}', "malformed"),
        (b'{"schema": "nodeworthy/recording/v1", "moment": "node", "host": "h", "parts": [{"name": 1}]}', "malformed"),
        (b'{"schema": "nodeworthy/recording/v1", "moment": "node", "host": null, "parts": []}', "of which host it is"),
        (
            b'{"schema": "nodeworthy/recording/v1", "moment": "node", "host": "h", "parts": [1]}',
            "part 1 of it is malfo",
        ),
    ],
)
def test_a_named_file_that_is_no_recording(content: bytes, why: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    ran = run("node", f"replay:{bad}")
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert "Traceback" not in ran.err


def test_what_somebody_has_written_by_hand_may_be_a_text() -> None:
    data = json.loads(MENDED.read_text())
    for each in data["parts"]:
        each["stdout"] = "\n".join(each["stdout"])
    assert recording_from_data(data) == load(MENDED)


def test_a_hosts_name_shows_no_password(tmp_path: Path) -> None:
    data = json.loads(INCIDENT.read_text())
    for host, shown in (("ssh://bot:N3xus-Deploy@h1", "ssh://bot:(secret)@h1"), ("ssh://bot@h2", "ssh://bot@h2")):
        (tmp_path / f"{host[-2:]}.json").write_text(json.dumps({**data, "host": host}))
        for form in ("json", "text", "junit"):
            ran = run("node", f"replay:{host[-2:]}.json", "--format", form, "--show-passed", cwd=tmp_path)
            assert shown in ran.out
            assert "N3xus" not in f"{ran.out}{ran.err}"


def test_in_a_folder_the_others_are_judged_all_the_same(tmp_path: Path) -> None:
    shutil.copy(INCIDENT, tmp_path / "one.json")
    (tmp_path / "torn.json").write_text(INCIDENT.read_text()[:5000])
    ran = run_json("node", "replay:.", cwd=tmp_path)
    assert ran.code == 1
    assert [(each["rule"], each["verdict"]) for each in ran.findings] == [
        ("containerd-paths", "fail"),
        ("input-readable", "error"),
    ] or [(each["rule"], each["verdict"]) for each in ran.findings] == [
        ("input-readable", "error"),
        ("containerd-paths", "fail"),
    ]
    torn = next(each for each in ran.findings if each["rule"] == "input-readable")
    assert torn["where"]["path"] == "torn.json"


@pytest.mark.parametrize(
    "spec", ["h1", "ssm://h1", "ssh://", "replay:", "replay:nowhere.json", "winrm://h", "ssh://a b", "ssh://a,b"]
)
def test_what_is_no_host(spec: str) -> None:
    ran = run("node", spec)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1


def test_one_word_may_name_several_and_a_path_may_have_commas(tmp_path: Path) -> None:
    (tmp_path / "a,b.json").write_text(MENDED.read_text())
    found = specs.parse_all(["ssh://a,ssh://b:22", f"replay:{tmp_path}/a,b.json,local://", "ssh://a"])
    assert [each.recording or each.text for each in found] == [
        "ssh://a",
        "ssh://b:22",
        tmp_path / "a,b.json",
        "local://",
    ]


def test_an_unknown_spec_names_those_that_are() -> None:
    assert "ssh://[user@]host[:port], local://, docker://" in run("node", "salt://h1").err


@pytest.mark.parametrize(
    "options", [["--deadline", "soon"], ["--deadline", "0"], ["--max-workers", "0"], ["--pool", "x"]]
)
def test_usage(options: list[str]) -> None:
    assert run("node", f"replay:{INCIDENT}", *options).code == 2


def test_an_empty_folder_proves_nothing(tmp_path: Path) -> None:
    ran = run_json("node", f"replay:{tmp_path}")
    assert ran.code == 3
    assert [each["rule"] for each in ran.findings] == ["looked-at"]


def test_a_node_without_gpus_is_skipped_and_so_nothing_is_proven(tmp_path: Path) -> None:
    gpu = load(whole("toolkit-reaches-containerd/unknown-node-toolkit-not-due-yet") / "gpu-01.json")
    cpu = but(without(gpu, *(each.name for each in named(gpu, "process"))), part("gpus"))
    (tmp_path / "cpu.json").write_text(as_text(cpu))
    ran = run_json("node", f"replay:{tmp_path / 'cpu.json'}", "--show-passed")
    assert ran.code == 3
    assert {each["verdict"] for each in ran.findings} == {"skip"}


def test_a_node_of_cri_o_is_none_of_the_rules_about_containerd(tmp_path: Path) -> None:
    recording = load(INCIDENT)
    used = next(each for each in named(recording, "process") if "k8s-containerd" in each.stdout)
    crio = part(used.name.replace("containerd", "crio"), "/usr/bin/crio")
    (tmp_path / "crio.json").write_text(as_text(but(without(recording, used.name), crio)))
    about = [word for name in ("containerd-paths", "toolkit-reaches-containerd") for word in ("--rule", name)]
    ran = run_json("node", f"replay:{tmp_path / 'crio.json'}", "--show-passed", *about)
    assert ran.code == 3
    causes = {each["cause"] for each in ran.findings if "containerd" in each["rule"]}
    assert causes == {"kubelet talks to crio, and not to containerd"}


def test_what_a_host_refused_is_recorded_and_replayed(tmp_path: Path) -> None:
    first = run_json("node", "ssh://127.0.0.1:1", "--record", str(tmp_path / "kept"))
    assert [each.stat().st_mode & 0o777 for each in (tmp_path / "kept", *(tmp_path / "kept").iterdir())] == [
        0o700,
        0o600,
    ]
    assert first.code == 3
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.name == "ssh-127.0.0.1-1.json"
    again = run_json("node", f"replay:{kept}")
    assert (again.code, again.report) == (3, first.report)


def test_this_machine_is_recorded_and_replayed_the_same(tmp_path: Path) -> None:
    first = run_json("node", "local://", "--record", str(tmp_path), "--show-passed")
    (kept,) = tmp_path.iterdir()
    again = run_json("node", f"replay:{kept}", "--show-passed")
    assert (again.code, again.report) == (first.code, first.report)
    data = json.loads(kept.read_text())
    assert data["schema"] == "nodeworthy/recording/v1"
    assert {"who", "name", "done"} <= {each["name"] for each in data["parts"]}


def test_a_report_goes_into_a_pipe_and_not_in_its_place(tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run("node", f"replay:{INCIDENT}", "--output", str(pipe)).code == 1
    reader.join(5)
    assert "containerd-paths" in read[0]
    assert pipe.is_fifo()


def test_without_the_extra_it_is_one_sentence() -> None:
    blocked = (
        "import sys; sys.modules['testinfra'] = None; from nodeworthy.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", blocked, "node", "local://"], capture_output=True, text=True, timeout=30, check=False
    )
    assert ran.returncode == 2
    assert "pip install 'nodeworthy[nodes]'" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("settings", "options", "why"),
    [("strict: perhaps\n", [], "strict"), ("", ["--rule", "containerd-path"], "did you mean containerd-paths?")],
)
def test_what_can_not_be_judged_by_is_said_before_a_host_is_asked(
    settings: str, options: list[str], why: str, tmp_path: Path
) -> None:
    (tmp_path / ".nodeworthy.yaml").write_text(settings)
    ran = run("node", f"replay:{INCIDENT}", "--record", "kept", *options, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert not (tmp_path / "kept").exists()
