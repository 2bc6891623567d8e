"""`#SBATCH` lines are read as sbatch reads them."""

from __future__ import annotations

import pytest

from nodeworthy.facts.slurm.lines import options_of
from nodeworthy.facts.slurm.request import SlurmRequest, least, megabytes, seconds
from nodeworthy.known.slurm import gpu_of_type, gpus_in, near, says_mig
from nodeworthy.verdict import NotKnown, Place

HERE = Place("job.sh")


def request_of(*lines: str) -> SlurmRequest:
    return SlurmRequest(HERE, options_of("\n".join(["#!/bin/bash", *lines]), HERE))


@pytest.mark.parametrize(
    "line",
    [
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --cpus-per-task 4",
        "#SBATCH -c4",
        "#SBATCH -c 4  # four",
        '#SBATCH --cpus-per-task="4"',
        "#SBATCH --requeue --exclusive -c 4 --no-kill",
        "#SBATCH\t-c\t4",
        "#SBATCH --cpus-per-task=2 -c 4#more",
    ],
)
def test_every_spelling(line: str) -> None:
    assert request_of(line).count("cpus-per-task") == 4


@pytest.mark.parametrize("line", ["##SBATCH -c 4", "# SBATCH -c 4", " #SBATCH -c 4", "#sbatch -c 4", "#SBATCH # -c 4"])
def test_what_is_a_comment(line: str) -> None:
    assert request_of(line).option("cpus-per-task") is None


def test_the_last_one_counts_and_nothing_behind_a_command() -> None:
    request = request_of(
        "#SBATCH -N 1", "", "# a comment", "#SBATCH --nodes=2", "module load cuda", "#SBATCH -N 3 -t 5"
    )
    assert request.nodes == 2
    dead = request.dead("time")
    assert dead is not None
    assert (dead.place.line, dead.place.column) == (7, 14)


def test_a_heterogeneous_job_has_parts() -> None:
    options = options_of("#!/bin/bash\n#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH -n 8 --gres=gpu:2\n", HERE)
    assert [(each.name, each.part) for each in options] == [("ntasks", 0), ("ntasks", 1), ("gres", 1)]


@pytest.mark.parametrize("value", ["{{ nodes }}", "${nodes}", "$N", "<nodes>", "@NODES@", "{nodes}", "%{ if x }4"])
def test_what_is_filled_in_is_not_known(value: str) -> None:
    with pytest.raises(NotKnown):
        _ = request_of(f"#SBATCH --nodes={value}").nodes


@pytest.mark.parametrize(
    ("lines", "nodes", "tasks_per_node", "gpus"),
    [
        (["#SBATCH --gres=gpu:4"], 1, 1, 4),
        (["#SBATCH --gres=gpu"], 1, 1, 1),
        (["#SBATCH --gres=lscratch:100,gpu:a100:2(S:0-1)"], 1, 1, 2),
        (["#SBATCH -N 2-4 --ntasks-per-node=4 --gpus-per-node=v100:4"], 2, 4, 4),
        (["#SBATCH -n 8 --ntasks-per-node=4 --gpus-per-task=1"], 2, 4, 4),
        (["#SBATCH -G 16 --gpus-per-node=8"], 2, 1, 8),
        (["#SBATCH --nodes=4 --ntasks=4 --gpus-per-task=1"], 4, 1, 1),
        (["#SBATCH -N2 -G a100:8"], 2, 1, 4),
        (["#SBATCH -n 1"], 1, 1, None),
    ],
)
def test_what_is_asked_for(lines: list[str], nodes: int, tasks_per_node: int, gpus: int | None) -> None:
    request = request_of(*lines)
    assert (request.nodes, request.tasks_per_node, request.gpus_per_node) == (nodes, tasks_per_node, gpus)


@pytest.mark.parametrize(
    "line",
    ["--gres=gpu:1g.10gb:1", "--gres=gpu:nvidia_a100_3g.20gb:1", "--gres=gpu:mig:1", "-p gpu-mig", "-C mig", "-p mig1"],
)
def test_slices(line: str) -> None:
    assert request_of(f"#SBATCH {line}").mig is not None


@pytest.mark.parametrize("line", ["--gres=gpu:a100:1", "-p migration", "-p gpu", "-J mig-test"])
def test_no_slices(line: str) -> None:
    assert request_of(f"#SBATCH {line}").mig is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("30", 1800), ("90:30", 5430), ("1:00:00", 3600), ("1-0", 86400), ("2-12:30", 217800), ("1-00:00:30", 86430)],
)
def test_times(text: str, expected: int) -> None:
    assert seconds(text) == expected


def test_quantities() -> None:
    assert [megabytes(each) for each in ("16G", "16384", "16384M", "1T", "512K", "2GB", "x")] == [
        16384, 16384, 16384, 1024 * 1024, 0, 2048, None,
    ]  # fmt: skip
    assert [seconds(each) for each in ("UNLIMITED", "1:2:3:4", "")] == [None, None, None]
    assert [least(each) for each in ("4", "2-4", "1k", "many")] == [4, 2, 1024, None]


def test_names_of_gpus() -> None:
    for spelt, gpu in {
        "a100": "A100", "A100_80gb": "A100", "v100l": "V100", "v100-32g": "V100", "nvidia_h100_80gb_hbm3": "H100",
        "rtx_a6000": "A6000", "2080ti": "RTX2080Ti", "rtx3090": "RTX3090", "mi250": "MI250", "nvidia_a100_1g.10gb": "A100",
        "t2080ti": "RTX2080Ti", "q8000": "RTX8000", "gpu-a6000": "A6000",
    }.items():  # fmt: skip
        assert gpu_of_type(spelt) == gpu, spelt
    assert [gpu_of_type(each) for each in ("h1000", "bigmem", "v1000", "x")] == [None, None, None, None]
    assert near("h1000") == ("H100",)
    assert near("bigmem") == ()
    assert gpus_in("v100|rtx8000") == ("V100", "RTX8000")
    assert not says_mig("migration")
