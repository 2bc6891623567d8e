"""`nodeworthy explain` answers from what is known, and its exit code says whether it could."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import containerd_of, distributions
from nodeworthy.rules import catalogue
from tests.run import Ran, run

EVIDENCE = 'no runtime for "nvidia" is configured'


def known(*what: str) -> list[dict[str, Any]]:
    ran = run("explain", *what, "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.report["schema"] == "nodeworthy/explain/v1"
    answers: list[dict[str, Any]] = ran.report["known"]
    return answers


def piped(log: bytes, monkeypatch: pytest.MonkeyPatch, *options: str) -> Ran:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log)))
    return run("explain", "-", *options)


@pytest.mark.parametrize("rule", [each.id for each in catalogue()])
def test_every_rule(rule: str) -> None:
    (answer,) = known(rule)
    assert (answer["kind"], answer["id"]) == ("rule", rule)
    assert answer["remedy"]
    assert answer["documentation"]
    assert answer["moments"]


@pytest.mark.parametrize("name", distributions())
def test_every_distribution(name: str) -> None:
    plain = known(name)[0]
    row = containerd_of(name)
    assert (plain["config"], plain["socket"], plain["units"]) == (row.config, row.socket, list(row.units))
    assert plain["source"]
    text = run("explain", name).out
    assert (row.socket or "units") in text


def test_k8s_snap_shows_its_three_variants() -> None:
    variants = known("k8s-snap")
    assert [each["variant"] for each in variants] == [
        "classic confinement, the default",
        "containerdBaseDir: BASE_DIR",
        "snapConfinement: strict",
    ]
    assert [each["socket"] for each in variants] == [
        containerd_of("k8s-snap").socket,
        containerd_of("k8s-snap", "BASE_DIR").socket,
        containerd_of("k8s-snap", strict=True).socket,
    ]


@pytest.mark.parametrize("spelt", ["h100", "H100", "nvidia h100", "NVIDIA-H100-80GB-HBM3"])
def test_a_gpu_in_any_spelling(spelt: str) -> None:
    (answer,) = known(spelt)
    assert (answer["kind"], answer["id"], answer["architecture"], answer["nvswitch"]) == ("gpu", "H100", "Hopper", True)
    assert answer["instance_types"] == ["p5.4xlarge", "p5.48xlarge"]


def test_a_file_is_read_and_several_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kubelet.log").write_text(f"line\n{EVIDENCE}\n", encoding="utf-8")
    Path("other.log").write_text("all is well\n", encoding="utf-8")
    (answer,) = known("kubelet.log")
    assert (answer["line"], answer["in"]) == (2, "kubelet.log")
    ran = run("explain", "kubelet.log", "other.log")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "kubelet.log:")
    assert "nothing in other.log is evidence" in ran.err
    assert run("explain", "other.log").code == 3
    missing = run("explain", "missing.log")
    assert missing.code == 2
    assert "there is no such file" in missing.err


def test_a_file_is_a_file_whatever_its_name_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("h100").write_text(EVIDENCE, encoding="utf-8")
    Path("h200").mkdir()
    assert known("h100")[0]["kind"] == "evidence"
    assert known("h200")[0]["kind"] == "gpu"
    Path("logs").mkdir()
    assert "logs is a folder: name its logs (logs/*.log)" in run("explain", "logs").err


def test_several_names_are_explained_each() -> None:
    assert [each["id"] for each in known("h100", "p5.48xlarge")] == ["H100", "p5.48xlarge"]


def test_what_is_piped_needs_no_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EVIDENCE.encode())))
    ran = run("explain")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("next: nodeworthy diagnose")


def test_a_rule_ends_with_what_judges_by_it() -> None:
    last = run("explain", "slurm-gpu-as-asked").out.splitlines()[-1]
    assert last == "next: nodeworthy check . --rule slurm-gpu-as-asked"


def test_instance_types() -> None:
    (answer,) = known("p5.48xlarge")
    assert (answer["gpu"], answer["count"], answer["efa"]) == ("H100", 8, 32)
    (other,) = known("c7i.4xlarge")
    assert other["gpu"] is None
    assert "we know of none in it" in run("explain", "c7i.4xlarge").out


@pytest.mark.parametrize(
    ("asked", "row"), [("25.10", "25.10"), ("v26.3.1", "26.3"), ("25.3.3", "25.3.3"), ("gpu-operator 23.9.2", "23.9")]
)
def test_operator_releases(asked: str, row: str) -> None:
    (answer,) = known(asked)
    assert (answer["kind"], answer["id"]) == ("operator-release", row)


def test_evidence_names_rule_cause_and_remedy() -> None:
    (answer,) = known(EVIDENCE)
    assert (answer["kind"], answer["rule"], answer["times"]) == ("evidence", "containerd-paths", 1)
    assert "a containerd that kubelet does not use" in answer["cause"]
    assert "CONTAINERD_SOCKET" in answer["remedy"]
    text = run("explain", *EVIDENCE.split()).out  # without the shell's quotes
    assert "containerd-paths" in text


def test_only_rules_that_exist_are_named() -> None:
    ids = {each.id for each in catalogue()}
    for line in ("UnexpectedAdmissionError", "QOSMaxCpuPerJobLimit", "CUDA out of memory"):
        for answer in known(line):
            assert answer["rule"] is None or answer["rule"] in ids


@pytest.mark.parametrize(
    ("what", "code", "says"),
    [
        (["k8snap"], 2, "did you mean k8s-snap?"),
        (["containerd-path"], 2, "did you mean containerd-paths"),
        (["h10"], 2, "did you mean h100"),
        (["p5.48xlrge"], 2, "did you mean p5.48xlarge"),
        (["xyzzy"], 2, "neither a rule (`nodeworthy rules`), distribution, GPU"),
        (["1.2.3"], 2, "is nothing we know"),
        ([""], 2, "is nothing we know"),
        (["all is well here"], 3, "nothing in these words is evidence that we know"),
        (["all", "is", "well"], 3, "nothing in these words is evidence that we know"),
    ],
)
def test_what_is_not_known(what: list[str], code: int, says: str) -> None:
    ran = run("explain", *what)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err


def test_a_log_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    log = b"\x00\xfe binary \n" * 10 + f"kubelet: {EVIDENCE}\n".encode() * 279 + b"Insufficient nvidia.com/gpu\n"
    ran = piped(log, monkeypatch, "--format", "json")
    assert ran.code == 0
    first, second = ran.report["known"]
    assert (first["id"], first["times"], first["line"]) == ("no-runtime-configured", 279, 11)
    assert second["id"] == "insufficient-gpu"
    assert "found   279 times, first in line 11: kubelet: no runtime" in piped(log, monkeypatch).out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_log_from_windows(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = piped(f"one\r\n{EVIDENCE}\r\n".encode(encoding), monkeypatch, "--format", "json")
    assert [(each["id"], each["line"]) for each in ran.report["known"]] == [("no-runtime-configured", 2)]


@pytest.mark.parametrize("log", [b"all is well\n" * 1000, b"\xff" * 3000])
def test_a_log_with_nothing_known(log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = piped(log, monkeypatch)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.splitlines() == [
        "nodeworthy explain: nothing in this log is evidence that we know",
        "next: nodeworthy diagnose, which reads the cluster itself",
    ]


def test_a_log_with_nothing_known_is_told_what_comes_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = piped(b"kubelet: Unable to attach and mount the volumes of this pod\n", monkeypatch)
    assert (ran.code, ran.out) == (3, "")
    assert "nearest: volume-not-mounted: Unable to attach or mount volumes" in ran.err
    (answer,) = known("volume-not-mounted")
    assert (answer["kind"], answer["id"]) == ("evidence", "volume-not-mounted")
    assert "prove" in run("explain", "volume-not-mounted").out


def test_an_xid_is_told_with_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    log = b"NVRM: Xid (PCI:0000:3b:00): 48, pid=1, DBE\nNVRM: Xid (PCI:0000:3b:00): 9999, x\n"
    first, second = piped(log, monkeypatch, "--format", "json").report["known"]
    assert (first["xid"]["number"], first["xid"]["whose"]) == (48, "hardware")
    assert "drain the node" in first["xid"]["remedy"]
    assert second["xid"] == {"number": 9999, "says": None, "whose": None, "remedy": None}
    out = piped(log, monkeypatch).out
    assert "Xid 48" in out
    assert "is not in our table" in out


def test_secrets_of_a_pasted_log_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "ghp_" + "Ab1" * 12
    log = f"token={secret} password=hunter2hunter Failed to pull image: x509: certificate signed by unknown authority\n"
    out = " ".join(piped(log.encode(), monkeypatch).out.split())
    assert "certificate signed by unknown authority" in out
    assert secret not in out
    assert "hunter2" not in out
