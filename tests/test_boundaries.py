"""Where a rule says "at most", "at least" or a number of minutes, both sides of it are pinned.

Each line is a case of tests/cases in which one thing is written otherwise, and what its rule then tells: a word of the
finding, or nothing. A limit that moves by one, or by a factor of ten, is seen here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nodeworthy.own_rules.cases import case_at
from tests.case_files import CASES
from tests.run import run

NOTHING = ""
# The case tells something else, too.
NOT = "!"
ALL_IS_WELL = ("pass", "skip")


class Turned(NamedTuple):
    case: str
    file: str
    written: str
    # What stands there instead, and what is told of that.
    told: dict[str, str]


BOUNDARIES = (
    Turned(
        "clock-right/bad-node-seconds-off",
        "node.json",
        "41.220713000 seconds slow",
        {"1.000000000 seconds slow": NOTHING, "1.000001000 seconds slow": "the clock is wrong"},
    ),
    Turned(
        "disk-has-room/bad-node-root-is-full",
        "node.json",
        "209702892 199102892 10600000      94% /",
        {
            "200000000 180000000 20000000      90% /": NOTHING,
            "200000000 180000001 19999999      91% /": "/ is nearly full",
        },
    ),
    Turned(
        "disk-has-room/bad-node-no-inodes",
        "node.json",
        "6553600 6490212    63388  100% /",
        {
            "6000000 5700000   300000   95% /": NOTHING,
            "6000000 5700001   299999   96% /": "/ has nearly no inodes left",
        },
    ),
    Turned(
        "metrics-fit-their-disk/bad-source-prometheus-resource",
        "prometheus.yaml",
        "55GiB",
        {"46080MiB": NOTHING, "46081MiB": "retentionSize leaves no room"},
    ),
    Turned(
        "metrics-fit-their-disk/bad-source-time-alone",
        "values.yaml",
        "365d",
        {"50d": NOTHING, "51d": "does not fit its volume"},
    ),
    Turned(
        "slurm-checkpoint-in-time/bad-half-a-minute",
        "train.sh",
        "USR1@30",
        {"USR1@59": "comes 59 s before the end", "USR1@60": NOTHING},
    ),
    Turned(
        "slurm-checkpoint-in-time/bad-half-a-minute",
        "train.sh",
        "--time=04:00:00\n#SBATCH --signal=USR1@30",
        {
            "--time=00:10:00\n#SBATCH --signal=USR1@600": "due before the job begins",
            "--time=00:10:00\n#SBATCH --signal=USR1@599": NOTHING,
        },
    ),
    Turned(
        "slurm-checkpoint-in-time/bad-negative-timeout",
        "train.sh",
        "BUFFER_SECONDS=600",
        {
            "BUFFER_SECONDS=481": "TIMEOUT is negative",
            "BUFFER_SECONDS=480": "TIMEOUT leaves less than 60 s",
            "BUFFER_SECONDS=421": "TIMEOUT leaves less than 60 s",
            "BUFFER_SECONDS=420": NOTHING,
            "BUFFER_SECONDS=60": NOTHING,
            "BUFFER_SECONDS=59": "comes too late",
        },
    ),
    Turned(
        "slurm-gpu-as-asked/bad-more-than-a-node-has",
        "train.sh",
        "gpu:h100:16",
        {"gpu:h100:9": "no node has 9 H100s", "gpu:a100:16": NOTHING, "gpu:a100:17": "no node has 17 A100s"},
    ),
    Turned(
        "slurm-gpu-as-asked/bad-eight-processes-on-four",
        "train.sh",
        "nproc_per_node=8",
        {"nproc_per_node=4": NOTHING, "nproc_per_node=5": "takes more GPUs than the job asks for"},
    ),
    Turned(
        "slurm-gpu-as-asked/bad-eight-processes-on-four",
        "train.sh",
        "torchrun --standalone --nproc_per_node=8",
        {
            "CUDA_VISIBLE_DEVICES=0,1,2,3 python": NOTHING,
            "CUDA_VISIBLE_DEVICES=0,1,2,3,4 python": "CUDA_VISIBLE_DEVICES names more GPUs",
        },
    ),
    Turned(
        "fabric-manager-runs/unknown-node-fabric-on-its-way",
        "node.json",
        '"stdout": [\n    "9"\n',
        {
            '"stdout": [\n    "299"\n': "not set up yet: look again in a minute",
            '"stdout": [\n    "300"\n': "fabric manager runs, and the fabric of",
        },
    ),
    Turned(
        "pending-explained/good-cluster-new-gated-and-growing",
        "dump/events.json",
        "2025-10-14T18:25:00Z",
        {"2025-10-14T18:15:01Z": NOTHING, "2025-10-14T18:15:00Z": "a pod waits for GPUs"},
    ),
    Turned(
        "pending-explained/good-cluster-new-gated-and-growing",
        "dump/pods.json",
        "2025-10-14T18:29:40Z",
        {"2025-10-14T18:25:01Z": NOTHING, "2025-10-14T18:25:00Z": "a pod waits for GPUs"},
    ),
    Turned(
        "verification-yields/bad-cluster-longer-than-its-bound",
        "dump/jobs.json",
        "1200",
        {"1860": NOTHING, "1859": "longer than its 1859 s"},
    ),
    Turned(
        "hami-capacity-adds-up/bad-source-more-than-one-gpu",
        "serving.yaml",
        "gpumem: 40000",
        {
            "gpumem: 24576": "! GPU memory than any GPU has",
            "gpumem: 24577": "asks for more GPU memory than any GPU has",
        },
    ),
    Turned(
        "hami-capacity-adds-up/bad-source-more-than-one-gpu",
        "serving.yaml",
        "nvidia.com/gpu: 8,",
        {
            "nvidia.com/gpu: 4,": "! more GPUs than any node has",
            "nvidia.com/gpu: 5,": "shares of more GPUs than any node has",
        },
    ),
    Turned(
        "heredoc-expands-late/bad-inner-script",
        "user-data.sh",
        'if [ "$count" -lt 8 ]; then\n    logger -t gpu-health "only $count GPUs"\n  fi\n  sleep "${interval:-30}"',
        {
            'echo "$count"': "`$1`, `$(ls -d /dev/nvidia[0-9]* | wc -l)` and `$count` are expanded",
            'echo "$count" "$interval"': "`$(ls -d /dev/nvidia[0-9]* | wc -l)`, `$count` and 1 more are expanded",
            'test -e "${interval_between_two_looks_at_the_gpu}"': "`${interval_between_two_looks_at_the_gpu}`",
            'test -e "${interval_between_two_looks_at_the_gpus}"': "`${interval_between_two_looks_at_the_gpu…`",
        },
    ),
    Turned(
        "slurm-rendezvous/bad-plain-python",
        "train.slurm",
        "--nodes=2",
        {"--nodes=1": NOTHING},
    ),
    Turned(
        "verification-yields/good-source-gpu-burn-by-hand",
        "burn.yaml",
        "-tc 300",
        {"-tc 3600": NOTHING, "-tc 3601": "nothing bounds how long"},
    ),
)


@pytest.mark.parametrize(
    ("turned", "instead"),
    [pytest.param(each, instead, id=f"{each.case}-{instead}") for each in BOUNDARIES for instead in each.told],
)
def test_on_both_sides(turned: Turned, instead: str, tmp_path: Path) -> None:
    case = case_at(CASES / turned.case)
    folder = case.lay_out(tmp_path / "case")
    file = folder / turned.file
    text = file.read_text(encoding="utf-8")
    assert turned.written in text
    file.write_text(text.replace(turned.written, instead), encoding="utf-8")
    ran = run(*case.command, "--format", "json", cwd=folder)
    told = [said(each) for each in ran.told_by(case.rule) if each["verdict"] not in ALL_IS_WELL]
    expected = turned.told[instead]
    if expected.startswith(NOT):
        assert expected.removeprefix(NOT) not in " ".join(told)
    else:
        assert expected in " ".join(told)
        assert bool(expected) == bool(told)


def said(finding: dict[str, Any]) -> str:
    return f"{finding['verdict']} {finding['message']}"
