"""A baseline: learnt of what is well, judged by afterwards, and never learnt of what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.accept.recordings import between_marks, end, gpu, job, line, write
from tests.run import run, run_json

TEST = "gpu-sanity"
NODES = ("gpu-1", "gpu-2", "gpu-3", "gpu-4")


def recorded(
    folder: Path, rate: float = 700.0, *, driver: str = "580.95.05", nodes: tuple[str, ...] = NODES, **more: Any
) -> Path:
    folder.mkdir()
    logs = {}
    for number, node in enumerate(nodes):
        said = [line(TEST, "driver", driver, host=node), line(TEST, "torch", "2.9.0", host=node)]
        for each in (1, 2):
            at = {"dtype": "bf16", "round": each}
            said.append(line(TEST, "gemm_tflops", rate + number, "TFLOPS", host=node, gpu=gpu(number), at=at, **more))
        logs[f"{node}.log"] = between_marks([*said, end(TEST, host=node)])
    jobs = [{**job(TEST, nodes=[each]), "name": each} for each in nodes]
    return write(folder, jobs, logs)


def learnt(folder: Path) -> Path:
    file = folder / "baseline.toml"
    ran = run("accept", "--from", str(recorded(folder / "monday")), "--save-baseline", str(file), cwd=folder)
    assert (ran.code, file.exists()) == (0, True), ran.err
    return file


@pytest.mark.parametrize(("rate", "failed"), [(653.0, set()), (647.0, {"gpu-fast-enough"})])
def test_seven_percent_below_it_fails(rate: float, failed: set[str], tmp_path: Path) -> None:
    """The median is 701.5, of which 0.93 is 652.4; the best of the four is 3 above the first."""
    tuesday = recorded(tmp_path / "tuesday", rate)
    found = run_json("accept", "--from", str(tuesday), "--baseline", str(learnt(tmp_path)), cwd=tmp_path).findings
    assert {each["rule"] for each in found if each["verdict"] == "fail"} == failed


def test_of_another_driver_it_decides_nothing(tmp_path: Path) -> None:
    tuesday = recorded(tmp_path / "tuesday", driver="570.1")
    ran = run_json("accept", "--from", str(tuesday), "--baseline", str(learnt(tmp_path)), cwd=tmp_path)
    assert ran.code == 3
    assert {(each["rule"], each["verdict"]) for each in ran.findings} == {("gpu-fast-enough", "unknown")}
    assert "the baseline is of driver 580" in ran.findings[0]["message"]


def test_what_is_written_is_read_and_merged(tmp_path: Path) -> None:
    file = learnt(tmp_path)
    before = file.read_text()
    run("accept", "--from", str(tmp_path / "monday"), "--save-baseline", str(file), cwd=tmp_path)
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"rate": 400.0}, "gpu-fast-enough says that not all is well"),
        ({"throttle": ["SW power cap"]}, "was held back: SW power cap"),
        ({"nodes": NODES[:2]}, "2 nodes tell more of themselves than of their kind"),
    ],
)
def test_nothing_is_learnt_of_what_is_not_well(more: dict[str, Any], why: str, tmp_path: Path) -> None:
    file, bad = tmp_path / "baseline.toml", recorded(tmp_path / "bad", **more)
    ran = run("accept", "--from", str(bad), "--save-baseline", str(file), cwd=tmp_path)
    assert (ran.code, file.exists(), why in ran.err) == (3, False, True), ran.err


@pytest.mark.parametrize("text", ["", "schema = 1", "schema = 'nodeworthy/accept-baseline/v1'\nmeasure = 3", "a = ["])
def test_a_malformed_one_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(text)
    ran = run("accept", "--from", str(recorded(tmp_path / "m")), "--baseline", "b.toml", cwd=tmp_path)
    assert (ran.code, "--baseline b.toml" in ran.err) == (2, True), ran.err


def test_gauges_of_prometheus(tmp_path: Path) -> None:
    out = run("accept", "--from", str(recorded(tmp_path / "m")), "--format", "prometheus", cwd=tmp_path).out
    assert 'nodeworthy_accept_passed{test="gpu-sanity",node="gpu-1",state="pass"} 1' in out
    assert 'name="gemm_tflops",unit="TFLOPS",device="GPU-0000",node="gpu-1",at_dtype="bf16",at_round="1"} 700' in out
    assert all(each.startswith(("#", "nodeworthy_")) for each in out.splitlines())


def beside(folder: Path, rate: float, form: str) -> str:
    found = recorded(folder / "tuesday", rate)
    return run("accept", "--from", str(found), "--baseline", str(learnt(folder)), "--format", form, cwd=folder).out


@pytest.mark.parametrize(("rate", "is_old"), [(803.0, False), (808.0, True)])
def test_one_that_is_far_exceeded_is_said_to_be_old(rate: float, is_old: bool, tmp_path: Path) -> None:
    """1.15 of 701.5 is 806.7, and the middle of the four is 1.5 above the first."""
    assert ("the baseline is old: gemm_tflops dtype=bf16 is 15% better" in beside(tmp_path, rate, "text")) is is_old


@pytest.mark.parametrize(("rate", "cell"), [(700.0, "<td>+0.0%</td>"), (560.0, '<td class="slow-2">-20.0%</td>')])
def test_the_page_shows_it_beside_what_was_measured(rate: float, cell: str, tmp_path: Path) -> None:
    page = beside(tmp_path, rate, "html")
    assert ("<h2>Beside the baseline</h2>" in page, cell in page) == (True, True), page[-3000:]


def test_the_report_says_by_what_each_speed_is_judged(tmp_path: Path) -> None:
    found = recorded(tmp_path / "tuesday", driver="570.1")
    ran = run_json("accept", "--from", str(found), "--baseline", str(learnt(tmp_path)), cwd=tmp_path)
    other = [one for each in ran.report["runs"] for one in each["measures"] if one["name"] == "gemm_tflops"]
    assert {(each["baseline"], each["floor"]) for each in other} == {(None, None)}
    ran = run_json("accept", "--from", str(tmp_path / "monday"), cwd=tmp_path)
    same = [one for each in ran.report["runs"] for one in each["measures"] if one["name"] == "gemm_tflops"]
    assert {(each["floor"], each["floor_source"].partition(":")[0]) for each in same} == {(595, "derived")}
