"""Launch lines: what runs behind launchers and wrappers, how often, and with what environment."""

from __future__ import annotations

import pytest

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.verdict import Place


def job_of(*lines: str, options: str = "-N 2 --ntasks-per-node=1") -> SlurmJob:
    return SlurmJob(Place("job.sh"), "\n".join(["#!/bin/bash", f"#SBATCH {options}", *lines]))


def only(*lines: str) -> Launch:
    (launch,) = job_of(*lines).python_launches
    return launch


@pytest.mark.parametrize(
    "line",
    [
        "python train.py",
        "python3.11 -u train.py --lr 1",
        "python -X faulthandler -W ignore train.py",
        "srun python -u train.py",
        "srun -N2 -n 4 --cpu-bind=cores -l python train.py",
        "srun --mpi=pmix --export=ALL,A=b python train.py",
        "mpirun -np 4 -x PATH python train.py",
        "srun apptainer exec --nv -B /data:/data img.sif python train.py",
        "singularity exec --nv --bind /scratch img.sif python train.py",
        "srun conda run --no-capture-output -n env python train.py",
        "poetry run python train.py",
        "uv run --extra cuda python train.py",
        "uv run train.py",
        "time python train.py",
        "/usr/bin/time -f %e python train.py",
        "numactl --cpunodebind=0 -m 0 python train.py",
        "timeout -s USR1 3500 python train.py",
        "nsys profile -t cuda,nvtx -o out --force-overwrite=true python train.py",
        "env A=b C=d python train.py",
        "A=b python train.py",
        "exec python train.py",
        "PY=python; $PY train.py",
        'CMD="python train.py"; srun $CMD',
        'CMD=(python train.py --x 1); srun "${CMD[@]}"',
        "bash -c 'python train.py'",
        "srun bash -lc 'cd $SLURM_SUBMIT_DIR && python train.py'",
        "run() { python train.py; }; run",
        "python \\\n  train.py",
        "python train.py > log 2>&1 &",
        "python train.py | tee log",
        "if true; then python train.py; fi",
    ],
)
def test_python_behind_wrappers(line: str) -> None:
    launch = only(line)
    assert launch.program == "python"
    assert launch.script is not None
    assert launch.script.known == "train.py"


@pytest.mark.parametrize(
    "wrapper",
    [
        *(
            "time -o t",
            "nohup",
            "exec -a x",
            "command",
            "env -u A -C /tmp B=1",
            "nice -n 5",
            "ionice -c 2 -n 3",
            "setsid",
        ),
        *(
            "stdbuf -o L",
            "unbuffer",
            "timeout -k 5 60",
            "taskset 0xf",
            "numactl -N 0 -m 1",
            "catchsegv",
            "strace -e open",
        ),
        *("ncu -o report --section x", "rocprof -i in.txt", "xvfb-run -s x", "sudo -u user", "conda run -n env"),
        *("mamba run -p /env", "micromamba run -r /root", "poetry run -C dir", "pipenv run", "pdm run -p dir"),
        *("pixi run -e cuda", "hatch run", "coverage run --rcfile f", "nsys profile -o report -t cuda"),
        *(
            "uv run --with torch --env-file .env",
            "apptainer exec -B /data image.sif",
            "singularity exec --pwd /w image.sif",
        ),
    ],
)
def test_every_wrapper_and_its_options_are_taken_off(wrapper: str) -> None:
    launch = only(f"srun {wrapper} python train.py" if not wrapper.startswith("coverage") else f"{wrapper} train.py")
    assert launch.script is not None
    assert launch.script.known == "train.py"


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("torchrun --nproc_per_node=4 train.py", "torchrun"),
        ("torchrun --nproc-per-node 4 --standalone train.py --nnodes 9", "torchrun"),
        ("python -m torch.distributed.run --nproc_per_node=4 train.py", "torchrun"),
        ("python -m torch.distributed.launch --use_env --nproc_per_node=4 train.py", "torch.distributed.launch"),
        ("accelerate launch --multi_gpu --num_processes 8 --mixed_precision bf16 train.py", "accelerate"),
        ("python -m accelerate.commands.launch --num_processes 8 train.py", "accelerate"),
        ("deepspeed --hostfile h --no_ssh train.py --deepspeed ds.json", "deepspeed"),
        ("srun $HOME/.local/bin/torchrun --nnodes 2 train.py", "torchrun"),
    ],
)
def test_launchers(line: str, program: str) -> None:
    launch = only(line)
    assert launch.program == program
    assert launch.script is not None
    assert launch.script.known == "train.py"


def test_modules_and_what_is_inline_name_no_script() -> None:
    assert only("torchrun -m pkg.train --lr 1").script is None
    assert only("python -m pkg.train").script is None
    assert only("python -c 'import torch'").inline
    assert only("python - <<X\nimport torch\nX").inline
    assert only("vllm serve x").program == only("python -m vllm.entrypoints.api_server").program == "vllm"


def test_who_expands_the_rank() -> None:
    early = only('srun bash -c "torchrun --node_rank $SLURM_NODEID --nnodes $SLURM_NNODES train.py"')
    late = only('srun bash -c "torchrun --node_rank \\$SLURM_NODEID --master_addr $(hostname) train.py"')
    assert early.options["node_rank"].known == "0"
    assert early.options["nnodes"].known == "2"
    assert late.options["node_rank"].known is None
    assert late.options["master_addr"].shown() == "$(hostname)"
    document = only("srun bash <<X\ntorchrun --node_rank \\$SLURM_NODEID train.py\nX")
    assert document.options["node_rank"].known is None
    assert document.place.line == 4


def test_the_environment() -> None:
    launch = only("export A=1 B", "C=3", "set -a", "D=4", "set +x", "E=5 python train.py")
    assert {name for name in "ABCDE" if name in launch.environment} >= {"A", "D", "E"}
    kept = only("OMP_NUM_THREADS=3", "python train.py")
    assert kept.ran.kept["OMP_NUM_THREADS"].line == 3
    assert only("python train.py --port $PORT").ran.unset == {"PORT"}
    assert only("source env.sh", "python train.py --port $PORT").ran.unset == frozenset()


def test_a_script_beside_it_is_read() -> None:
    from nodeworthy.facts.slurm.job import NamedFile

    text = "#!/bin/bash\n#SBATCH -N 2\nsource env.sh\nsrun bash node.sh\n"
    beside = {
        "node.sh": NamedFile("node.sh", "#!/bin/bash\n\ntorchrun --node_rank=$SLURM_NODEID train.py\n"),
        "env.sh": NamedFile("env.sh", "export OMP_NUM_THREADS=4\n"),
    }
    (launch,) = SlurmJob(Place("job.sh"), text, beside=beside).python_launches
    assert (launch.place.path, launch.place.line) == ("node.sh", 3)
    assert launch.environment["OMP_NUM_THREADS"].known == "4"
    assert launch.options["node_rank"].known is None
