"""What verifies by its name or by what it runs, and what only sounds like it."""

from __future__ import annotations

import pytest

from nodeworthy.known.verification import signs


@pytest.mark.parametrize(
    "name",
    [
        "nccl-burnin",
        "gpu-burn",
        "gpu-burn-7x2k9",
        "gpu-burn:latest",
        "node-burn-in-12",
        "dcgm-diag",
        "hpc-verification-short-8fk2-nhc-run-1",
        "cw-hpc-verification",
        "superbench:v0.11.0-cuda12.4",
    ],
)
def test_names_that_say_so(name: str) -> None:
    assert signs(comes_again=False).names.search(name)


@pytest.mark.parametrize(
    "name", ["nccl-plugin", "dcgm-exporter", "burner", "afterburn-intro", "nvidia-operator-validator"]
)
def test_names_of_other_work(name: str) -> None:
    assert not signs(comes_again=True).names.search(name)


@pytest.mark.parametrize(
    "said",
    [
        "dcgmi diag -r 3",
        "bash -c 'dcgmi  diag -r 4 -j'",
        "/usr/sbin/nhc -a",
        "./gpu_burn -tc 3600",
    ],
)
def test_what_runs_says_so(said: str) -> None:
    assert signs(comes_again=False).programs.search(said)


@pytest.mark.parametrize("said", ["dcgmi discovery -l", "python reduce_perf_numbers.py", "gpu_burn_report --last"])
def test_what_other_work_runs(said: str) -> None:
    assert not signs(comes_again=True).programs.search(said)


@pytest.mark.parametrize("name", ["nvbandwidth", "nccl-tests:12.8.1"])
def test_a_measurement_verifies_where_it_comes_again(name: str) -> None:
    assert not signs(comes_again=False).names.search(name)
    assert signs(comes_again=True).names.search(name)


@pytest.mark.parametrize(
    "said",
    [
        "mpirun xhpl",
        "mpirun -np 16 ./build/all_reduce_perf -b 8 -e 8G",
        "sh -c cd nccl-tests/build && ./sendrecv_perf -g 8",
    ],
)
def test_what_measures_verifies_where_it_comes_again(said: str) -> None:
    assert not signs(comes_again=False).programs.search(said)
    assert signs(comes_again=True).programs.search(said)
