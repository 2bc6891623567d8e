"""What a job's programs find set, and what a MIG job asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.slurm_check import told, verdicts

GPU = "#!/bin/bash\n#SBATCH --gres=gpu:a100:1 --cpus-per-task=4\n"
SET = "export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false\n"
SETTINGS = {
    f"{SET}python train.py": 0,
    "python train.py": 2,
    "torchrun train.py": 2,
    "export OMP_NUM_THREADS=4\npython train.py": 1,
    "OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false python train.py": 0,
    "env OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false python train.py": 0,
    "srun --export=ALL,OMP_NUM_THREADS=4,TOKENIZERS_PARALLELISM=false python train.py": 0,
    "srun bash -c 'export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=0; python train.py'": 0,
    "set -a\nOMP_NUM_THREADS=4\nTOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "OMP_NUM_THREADS=4\nTOKENIZERS_PARALLELISM=0\npython train.py": 2,
    "declare -x OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "if true; then export OMP_NUM_THREADS=4; fi\nexport TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "gmx mdrun": 0,
    f"{SET}vllm serve x": 2,
    f"{SET}export XDG_CACHE_HOME=/scratch/x\nvllm serve x": 0,
    f"{SET}export HF_HOME=/scratch/x VLLM_CACHE_ROOT=/scratch/y\nvllm serve x": 0,
    f"{SET}export HF_HOME=/scratch/x VLLM_CACHE_DIR=/scratch/y\nvllm serve x": 1,
    f"{SET}export HOME=/scratch/x\nvllm serve x": 0,
    f"{SET}export HF_HOME=~/hf\npython train.py": 1,
    f"{SET}export TORCH_HOME=$HOME/.cache/torch\npython train.py": 1,
    f"{SET}export HF_HOME=/home/me/hf\npython train.py": 1,
    f"{SET}export HF_HOME=$SCRATCH/home/hf\npython train.py": 0,
    f"{SET}export HF_HOME=/scratch/home/me\npython train.py": 0,
    f"{SET}python train.py --model_name_or_path meta-llama/Llama-3.1-8B": 1,
}


@pytest.mark.parametrize("body", SETTINGS)
def test_what_is_set(tmp_path: Path, body: str) -> None:
    assert len(told(tmp_path, "slurm-environment", f"{GPU}{body}\n")) == SETTINGS[body]


def test_without_gpus_nothing_is_claimed(tmp_path: Path) -> None:
    assert verdicts(tmp_path, "slurm-environment", "#!/bin/bash\n#SBATCH -n 1\npython table.py\n") == []


def test_what_a_file_beside_it_sets(tmp_path: Path) -> None:
    only = f"{GPU}source env.sh\npython train.py\n"
    assert verdicts(tmp_path, "slurm-environment", only, env_sh=SET) == []
    assert verdicts(tmp_path, "slurm-environment", only.replace("env.sh", "far.sh")) == ["unknown", "unknown"]
    assert (
        verdicts(tmp_path, "slurm-environment", f"{GPU}source ~/venv/bin/activate\npython train.py\n") == ["fail"] * 2
    )


SLICES = {
    "--gres=gpu:1g.10gb:1 -c 1 --mem=16G": 0,
    "--gres=gpu:1g.10gb:1 -c 1 --mem=16384": 0,
    "--gres=gpu:1g.10gb:1 -c 1 --mem-per-cpu=8G": 0,
    "--gres=gpu:1g.10gb:1 -c 1 --mem-per-gpu=16G": 0,
    "--gres=gpu:1g.10gb:1 --cpus-per-gpu=1 --mem=1G": 0,
    "--gres=gpu:1g.10gb:1 -c 1 --mem=17G": 1,
    "--gres=gpu:1g.10gb:1 -c 1 --mem=0": 1,
    "--gres=gpu:1g.10gb:1 -c 1": 1,
    "--gres=gpu:1g.10gb:1 --mem=8G": 1,
    "--gres=gpu:1g.10gb:1 -c 1 -n 2 --mem=8G": 1,
    "--gres=gpu:1g.10gb:1 -c 2 --mem=54G": 2,
    "-p gpu-mig --gres=gpu:1": 2,
    "--gpus=a100_1g.5gb:1": 2,
    "-C mig --gres=gpu:1 -c 1 --mem=4G": 0,
    "--gres=gpu:a100:1": 0,
    "-p migration": 0,
}


@pytest.mark.parametrize("options", SLICES)
def test_slices(tmp_path: Path, options: str) -> None:
    text = f"#!/bin/bash\n#SBATCH {options}\npython train.py\n"
    assert verdicts(tmp_path, "slurm-mig-request", text) == ["fail"] * SLICES[options]


def test_the_part_of_a_heterogeneous_job_that_is_a_slice(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH -c 8 --mem=64G\n#SBATCH hetjob\n#SBATCH --gres=gpu:1g.10gb:1 -c 1\ntrue\n"
    (found,) = told(tmp_path, "slurm-mig-request", text)
    assert found["where"]["line"] == 4
