"""What a job's programs find set, and what a MIG job asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.slurm_check import told, verdicts

GPU = "#!/bin/bash\n#SBATCH --gres=gpu:a100:1 --cpus-per-task=4\n"
SET = "export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false\n"
SETTINGS = {
    f"{SET}python train.py": 0,
    # Slurm binds it to the CPUs that the job asks for, and nothing speaks of tokenizers.
    "python train.py": 0,
    "torchrun train.py": 0,
    "export OMP_NUM_THREADS=4\npython train.py": 0,
    "OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false python train.py": 0,
    "env OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false python train.py": 0,
    "srun --export=ALL,OMP_NUM_THREADS=4,TOKENIZERS_PARALLELISM=false python train.py": 0,
    "srun bash -c 'export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=0; python train.py'": 0,
    "set -a\nOMP_NUM_THREADS=4\nTOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "OMP_NUM_THREADS=4\nTOKENIZERS_PARALLELISM=0\npython train.py": 1,
    "declare -x OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "if true; then export OMP_NUM_THREADS=4; fi\nexport TOKENIZERS_PARALLELISM=0\npython train.py": 0,
    "gmx mdrun": 0,
    f"{SET}vllm serve x": 1,
    f"{SET}export XDG_CACHE_HOME=/scratch/x\nvllm serve x": 0,
    f"{SET}export HF_HOME=/scratch/x VLLM_CACHE_ROOT=/scratch/y\nvllm serve x": 0,
    f"{SET}export HF_HOME=/scratch/x VLLM_CACHE_DIR=/scratch/y\nvllm serve x": 1,
    f"{SET}export HOME=/scratch/x\nvllm serve x": 0,
    f"{SET}export HF_HOME=~/hf\npython train.py": 1,
    f"{SET}export TORCH_HOME=$HOME/.cache/torch\npython train.py": 1,
    f"{SET}export HF_HOME=/home/me/hf\npython train.py": 1,
    "export HF_HOME=$HOME/hf\nlm_eval --model hf": 1,
    "export HF_HOME=$SCRATCH/hf\nlm_eval --model hf": 0,
    f"{SET}export HF_HOME=$HOME/hf\napptainer exec --nv x.sif python train.py": 1,
    f"{SET}export HF_HOME=/root/hf\napptainer exec --nv x.sif python train.py": 0,
    f"{SET}export HF_HOME=$HOME/hf\nsrun --container-image=x.sqsh python train.py": 0,
    "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B": 1,
    "export TOKENIZERS_PARALLELISM=false HF_HOME=/scratch/hf\ntrl sft --model_name_or_path Qwen/Qwen2.5-0.5B": 0,
    f"{SET}export HF_HOME=$SCRATCH/home/hf\npython train.py": 0,
    f"{SET}export HF_HOME=/scratch/home/me\npython train.py": 0,
    f"{SET}python train.py --model_name_or_path meta-llama/Llama-3.1-8B": 1,
}


@pytest.mark.parametrize("body", SETTINGS)
def test_what_is_set(tmp_path: Path, body: str) -> None:
    assert len(told(tmp_path, "slurm-environment", f"{GPU}{body}\n")) == SETTINGS[body]


def test_without_gpus_nothing_is_claimed(tmp_path: Path) -> None:
    assert verdicts(tmp_path, "slurm-environment", "#!/bin/bash\n#SBATCH -n 1\npython table.py\n") == []


TOKENIZES = "from transformers import AutoTokenizer, Trainer\n"


def test_what_a_file_beside_it_sets(tmp_path: Path) -> None:
    only = f"{GPU}source env.sh\npython train.py\n"
    far = only.replace("env.sh", "far.sh")
    own = f"{GPU}source ~/venv/bin/activate\npython train.py\n"
    assert verdicts(tmp_path, "slurm-environment", only, env_sh=SET, train_py=TOKENIZES) == []
    assert verdicts(tmp_path, "slurm-environment", far, train_py=TOKENIZES) == ["unknown"]
    assert verdicts(tmp_path, "slurm-environment", own, train_py=TOKENIZES) == ["fail"]
    # Nobody asks what it sets where nothing needs it.
    assert verdicts(tmp_path, "slurm-environment", far, train_py="import torch\n") == []


THREADS = {
    # Who starts several processes sets it for them.
    ("--ntasks-per-node=1 -c 8", "srun torchrun --nproc_per_node=4 train.py"): [],
    ("--ntasks-per-node=1 --exclusive", "torchrun --nproc-per-node $SLURM_GPUS_ON_NODE train.py"): [],
    ("--exclusive", "accelerate launch --num_processes 4 train.py"): [],
    ("--exclusive", "deepspeed train.py"): [],
    ("--exclusive", "OMP_NUM_THREADS=8\ntorchrun --nproc_per_node=4 train.py"): ["fail"],
    ("--exclusive", "export OMP_NUM_THREADS=\ntorchrun --nproc_per_node=4 train.py"): ["fail"],
    # Slurm binds tasks to the CPUs that they ask for.
    ("--ntasks-per-node=4 -c 8", "srun python train.py"): [],
    ("--ntasks-per-node=4 --cpus-per-gpu=8", "srun python train.py"): [],
    ("--ntasks-per-node=4 --exclusive", "srun -c 8 python train.py"): [],
    ("--ntasks-per-node=4 --exclusive", "srun python train.py"): ["fail"],
    ("--ntasks-per-node=1 --exclusive", "srun python train.py"): [],
    ("--ntasks-per-node=4 -c 8", "srun --cpu-bind=none python train.py"): ["fail"],
    # What runs in the background shares them all.
    ("-c 8", "for i in 0 1 2 3; do CUDA_VISIBLE_DEVICES=$i python train.py --fold $i & done; wait"): ["fail"],
    ("-c 8", "python train.py --fold 0 &\npython train.py --fold 1 &\nwait"): ["fail"],
    ("-c 8", "python train.py &\nwait"): [],
    ("-c 8", "for i in 0 1 2 3; do srun -n1 -c2 --exact python train.py --fold $i & done; wait"): [],
}


@pytest.mark.parametrize("case", THREADS, ids=" ".join)
def test_who_says_how_many_threads(tmp_path: Path, case: tuple[str, str]) -> None:
    options, body = case
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:a100:4 {options}\n{body}\n"
    assert verdicts(tmp_path, "slurm-environment", text, train_py="import torch\n") == THREADS[case]


def test_a_program_that_sees_to_its_threads(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:4 --ntasks-per-node=4 --exclusive\nsrun python train.py\n"
    assert verdicts(tmp_path, "slurm-environment", text, train_py="torch.set_num_threads(8)\n") == []


@pytest.mark.parametrize(
    ("script", "told"),
    [("import jax\n", []), ("import torch\nimport jax\n", ["fail"]), ("# as jax does\nimport numpy\n", ["fail"])],
)
def test_jax_computes_in_threads_of_its_own(tmp_path: Path, script: str, told: list[str]) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:4 --ntasks-per-node=4 --exclusive\nsrun python train.py\n"
    assert verdicts(tmp_path, "slurm-environment", text, train_py=script) == told
    assert verdicts(tmp_path, "slurm-environment", text.replace("train.py", "-m paxml.main"), train_py=script) == []


SIGNS = {
    (TOKENIZES, ""): ["fail"],
    ("import transformers\n", ""): [],
    ("import trl\nfrom x import tokenizer\ndata = data.map(tokenizer, num_proc=8)\n", ""): ["fail"],
    # Nothing forks.
    ("from transformers import AutoTokenizer, pipeline\n", ""): [],
    (f"{TOKENIZES}os.environ['TOKENIZERS_PARALLELISM'] = 'false'\n", ""): [],
    ("import torch\n", "# this environment has transformers\n"): [],
    (None, "# this environment has transformers\n"): ["fail"],
    (None, "pip install torch transformers\n"): ["fail"],
    (None, "cd /data/src/transformers\n"): [],
    (None, "# see /docs/transformers/ and transformers_clone\n"): [],
}


@pytest.mark.parametrize("case", SIGNS, ids=str)
def test_signs_of_tokenizers(tmp_path: Path, case: tuple[str | None, str]) -> None:
    script, above = case
    files = {} if script is None else {"train_py": script}
    assert verdicts(tmp_path, "slurm-environment", f"{GPU}{above}python train.py\n", **files) == SIGNS[case]


def test_one_finding_a_job_at_what_is_wrong(tmp_path: Path) -> None:
    body = "export HF_HOME=$HOME/hf\nexport OMP_NUM_THREADS=4\nsrun python train.py\n"
    (found,) = told(tmp_path, "slurm-environment", f"{GPU}{body}", train_py=TOKENIZES)
    assert found["where"]["line"] == 3
    assert "HF_HOME points into the home folder; TOKENIZERS_PARALLELISM is not set" in found["message"]
    assert [each["line"] for each in found["related"]] == [4, 5]
    assert found["remedy"] == (
        'line 3: export HF_HOME="$SCRATCH/hf"; behind line 4: export TOKENIZERS_PARALLELISM="false"'
    )
    assert "OMP_NUM_THREADS" not in found["should"]


def test_where_what_is_missing_belongs(tmp_path: Path) -> None:
    branch = 'if [ -n "$DEBUG" ]; then\nexport NCCL_DEBUG=INFO\nfi\n'
    (found,) = told(tmp_path, "slurm-environment", f"{GPU}{branch}srun python train.py\n", train_py=TOKENIZES)
    assert (found["where"]["line"], found["remedy"][:12]) == (6, "above line 6")


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
    "--gres=gpu:h100_3g.40gb:1 -c 8 --mem=64G": 0,
    "--gres=gpu:h100_3g.40gb:1 -c 8 --mem=0": 1,
    "--gres=gpu:h100_3g.40gb:1": 2,
    "-p gpu-mig --gres=gpu:1 -c 8 --mem=64G": 2,
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


def test_what_a_site_allows_its_jobs_say(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:1g.10gb:1 -c 8 --mem=64G\npython train.py\n"
    assert verdicts(tmp_path, "slurm-mig-request", text) == ["fail", "fail"]
    for other in ("a", "b"):
        (tmp_path / f"{other}.slurm").write_text(text)
    assert set(verdicts(tmp_path, "slurm-mig-request", text)) == {"fail"}
    (tmp_path / "c.slurm").write_text(text)
    assert verdicts(tmp_path, "slurm-mig-request", text) == []
