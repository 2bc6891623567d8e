"""What a job asks for, whether there is such a thing, and whether what it starts is there and fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.slurm_check import check, told, verdicts

FOUND = {
    "python train.py": [],
    "python ./train.py": [],
    "python $PWD/train.py": [],
    'python "$SLURM_SUBMIT_DIR/train.py"': [],
    "DIR=src; python $DIR/model.py": [],
    "cd src && python model.py": [],
    "cd src; cd ..; python train.py": [],
    "pushd src; python model.py; popd; python train.py": [],
    "python trian.py": ["fail"],
    # Below the folder of the job: it may be submitted from there.
    "python model.py": [],
    "python src/train.py": ["fail"],
    "torchrun --nproc_per_node=1 trian.py": ["fail"],
    "torchrun --nproc_per_node=1": ["fail"],
    "python -m src.model": [],
    "python -c 'import this'": [],
    "python $SCRIPT": ["unknown"],
    "python /project/train.py": [],
    "python ~/train.py": [],
    "python $HOME/train.py": [],
    "python /data/$USER/train.py": [],
    "srun --container-image=x.sqsh python /workspace/train.py": [],
    # Only the cluster knows where these lead.
    "cd $WHERE; python train.py": [],
    "python $CODE/train.py": [],
    "cd $CODE/x; python `pwd`/train.py": [],
    "cd ~/code; python $PWD/train.py": [],
    "python $1": [],
    "python ${1:-trian.py}": ["fail"],
    "case $1 in a) S=train.py;; *) S=trian.py;; esac; python $S": ["fail"],
    "case $1 in a) S=train.py;; *) S=src/model.py;; esac; python $S": [],
    "cd /scratch/$USER/code; python train.py": [],
    "cd /scratch/$USER; cd code; python train.py": [],
    "#SBATCH --chdir=/scratch/me\npython train.py": [],
    "cat > $TMPDIR/new.py <<X\nprint(1)\nX\npython $TMPDIR/new.py": [],
    "if true; then\npython trian.py": ["unknown"],
    "cd /project; python train.py": [],
    "git clone https://example.org/x; python x/train.py": ["unknown"],
    "cat > new.py <<X\nprint(1)\nX\npython new.py": [],
    "python $(dirname $0)/train.py": ["fail"],
    'cd "$(dirname "$0")/.."; python train.py': ["fail"],
    "bash node.sh": [],
    "bash nodes.sh": ["fail"],
    "srun ./node.sh": [],
    "nvidia-smi": [],
    "python train.py \\\n  --lr 1\n  --epochs 3": ["fail"],
    "C='\n train.py\n --lr 1'; srun bash -c \"python $C\"": ["fail"],
    "python train.py \\\n  --lr 1 \\\n  --epochs 3": [],
}


@pytest.mark.parametrize("line", FOUND)
def test_which_scripts_are_there(tmp_path: Path, line: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text("import torch")
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:1\n{line}\n"
    assert verdicts(tmp_path, "slurm-script-found", text, train_py="import torch", node_sh="true\n") == FOUND[line]


def test_a_job_that_lies_alone(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:1\npython train.py\n"
    assert verdicts(tmp_path, "slurm-script-found", text) == []
    assert verdicts(tmp_path, "slurm-script-found", text, other_py="import torch") == ["fail"]


def test_the_tree_of_a_job(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    jobs, text = tmp_path / "cluster" / "a100", "#!/bin/bash\n#SBATCH --gres=gpu:1\npython train.py\n"
    jobs.mkdir(parents=True)
    (tmp_path / "setup.py").write_text("")
    assert verdicts(jobs, "slurm-script-found", text) == ["fail"]
    (tmp_path / "README.md").write_text("curl -O https://example.org/code/train.py\n")
    assert verdicts(jobs, "slurm-script-found", text) == []
    (tmp_path / "README.md").unlink()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("import torch")
    assert verdicts(jobs, "slurm-script-found", text) == []
    assert verdicts(jobs, "slurm-script-found", text.replace("train.py", "src/eval.py")) == ["fail"]


def test_what_a_submodule_brings(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.py").write_text("")
    (tmp_path / ".gitmodules").write_text('[submodule "m"]\n\tpath = libs/megatron\n\turl = https://example.org/m\n')
    text = "#!/bin/bash\n#SBATCH --gres=gpu:1\npython libs/megatron/pretrain.py\n"
    assert verdicts(tmp_path, "slurm-script-found", text) == []


def test_what_the_repository_does_not_keep(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "jobs").mkdir()
    text = "#!/bin/bash\n#SBATCH --gres=gpu:1\npython drafts/scripts/train.py\n"
    assert verdicts(tmp_path / "jobs", "slurm-script-found", text) == ["fail"]
    (tmp_path / ".gitignore").write_text("# elsewhere\n/drafts/\n")
    assert verdicts(tmp_path / "jobs", "slurm-script-found", text) == []
    (tmp_path / ".gitignore").write_text("draft/\n*.log\n")
    assert verdicts(tmp_path / "jobs", "slurm-script-found", text) == ["fail"]


LINES = {
    "--nodes=$1": ["fail"],
    "-N ${NODES:-2}": ["fail"],
    "--ntasks=$SLURM_NNODES": ["fail"],
    "--mem=$((4 * 8))G": ["fail"],
    "--time=`cat limit`": ["fail"],
    "--array=1-$(wc -l <list)": ["fail"],
    "--array=0-${#FILES[@]}": ["fail"],
    "--gres=gpu:$COUNT": ["fail"],
    # The last one counts where Slurm looks, the first one where sbatch does.
    "--gres=gpu:$COUNT\n#SBATCH --gres=gpu:2": [],
    "--nodes=$COUNT\n#SBATCH --nodes=2": ["fail"],
    # A program may fill it in before there is a job: the first is Python's, the second a template's, the third make's.
    "--nodes=$nodes": [],
    "--nodes=${NODES}": [],
    "--nodes=$(NODES)": [],
    "--nodes=${NODES:-2}\n{% if mail %}\n{% endif %}": [],
    "--nodes=${NODES:-2}\n${EXTRA_LINES}": [],
    # pyxis is given it as it stands, and the last one counts.
    "--container-image=${IMAGE:-team/train}": ["fail"],
    "--container-image=$(pwd)/train.sqsh": ["fail"],
    "--container-image=image-$COUNT.sqsh": ["fail"],
    "--container-image=$1\n#SBATCH --container-image=train.sqsh": [],
    "--container-image=$IMAGE": [],
    "--container-mounts=${DATA:-/data}:/data": [],
    # Taken as they stand.
    "--job-name=$(whoami)": [],
    "--output=log-$1.txt": [],
    "--comment=`date`": [],
    "--nodes=2 # $(nproc)": [],
    # Behind the first command it is no request, and that is told.
    "true\n#SBATCH --nodes=$1": ["fail"],
}


@pytest.mark.parametrize("line", LINES)
def test_sbatch_fills_in_nothing(tmp_path: Path, line: str) -> None:
    head = "" if line.startswith("true") else "#SBATCH "
    text = f"#!/bin/bash\n#SBATCH --time=10\n{head}{line}\nCOUNT=4\nsrun ./work $COUNT\n"
    assert verdicts(tmp_path, "slurm-script-found", text) == LINES[line]


def test_who_submits_it_as_it_stands(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --nodes=${NODES}\nsrun ./work\n"
    assert verdicts(tmp_path, "slurm-script-found", text.replace("srun", "# NODES=2 sbatch job.sh\nsrun")) == ["fail"]
    calls = {
        "NODES=2 sbatch job.sh": ["fail"],
        "sbatch --parsable ./job.sh 7": ["fail"],
        "sbatch elsewhere/job.sh": [],
        "sbatch other-job.sh": [],
        "envsubst <job.sh | sbatch": [],
        "sed -i s/x/y/ job.sh; sbatch job.sh": [],
    }
    for call, said in calls.items():
        assert verdicts(tmp_path, "slurm-script-found", text, call_sh=f"{call}\n") == said, call


def test_what_is_filled_in_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/bash\n#SBATCH --gres=gpu:${GPUS}\n#SBATCH --time=10\nsrun python x.py\n")
    found = [each["message"] for each in check(tmp_path).findings if each["verdict"] == "unknown"]
    assert found
    assert len(found) == len(set(found))


def test_words_for_where_it_begins(tmp_path: Path) -> None:
    text = '#!/bin/bash\n#SBATCH --gres=gpu:1\npython "$SLURM_SUBMIT_DIR/trian.py"\n'
    (found,) = told(tmp_path, "slurm-script-found", text, train_py="import torch")
    assert found["message"] == "$SLURM_SUBMIT_DIR/trian.py is not there"
    assert "@job" not in str(found)


CHECKPOINTS = {
    ("--signal=USR1@60", "--time=10", "srun python train.py"): [],
    ("--signal=USR1", "--time=10", "srun python train.py"): [],
    ("--signal=USR1@59", "--time=10", "srun python train.py"): ["fail"],
    ("--signal=B:10@120", "--time=10", "trap f USR1\nsrun python train.py & wait"): [],
    ("--signal=B:TERM@120", "--time=10", "trap f SIGTERM\nsrun python train.py &\nwait $!"): [],
    ("--signal=B:TERM@120", "--time=10", "trap f USR1\nsrun python train.py & wait"): ["fail"],
    ("--signal=B:TERM@120", "--time=10", "exec python train.py"): [],
    ("--signal=B:USR1@120", "--time=10", "source lib.sh\nsrun python train.py & wait"): ["unknown"],
    ("--signal=R:USR1@120", "--time=1-0", "srun python train.py"): [],
    ("--signal=USR1@600", "--time=10", "srun python train.py"): ["fail"],
    ("--signal=USR1@600", "--time=UNLIMITED", "srun python train.py"): [],
    ("--signal=USR1@600", "--mem=1G", "srun python train.py"): ["unknown"],
    ("--mem=1G", "--time=10", "TIMEOUT=$((600 - 300))\ntimeout $TIMEOUT python train.py"): [],
    ("--mem=1G", "--time=10", "TIMEOUT=$((600 - 600))\ntimeout $TIMEOUT python train.py"): ["fail"],
    ("--mem=1G", "--time=10", "LEFT=$((300 - 600))\ntimeout $LEFT python train.py"): ["fail"],
    ("--mem=1G", "--time=10", "TIMEOUT=$((W - 600))\n(( TIMEOUT < 60 )) && TIMEOUT=60\npython train.py"): [],
    ("--mem=1G", "--time=10", "TIMEOUT=$((W > 660 ? W - 600 : 60))\npython train.py"): [],
    ("--mem=1G", "--time=10", "timeout=30\nwhile sleep 1; do timeout=$((timeout - 1)); done\npython train.py"): [],
    ("--mem=1G", "--time=10", "timeout -s USR1 9m python train.py"): [],
    ("--mem=1G", "--time=10", "timeout --signal=USR1 580 python train.py"): ["fail"],
    ("--mem=1G", "--time=10", "CKPT_STEP=$((10 - 5))\npython train.py"): [],
}


@pytest.mark.parametrize("case", CHECKPOINTS, ids=" ".join)
def test_time_for_a_checkpoint(tmp_path: Path, case: tuple[str, str, str]) -> None:
    signal, limit, body = case
    text = f"#!/bin/bash\n#SBATCH {signal}\n#SBATCH {limit}\n{body}\n"
    assert verdicts(tmp_path, "slurm-checkpoint-in-time", text) == CHECKPOINTS[case]


GPUS = {
    "--gres=gpu:4": [],
    "--gres=gpu:a100:4 -p gpu-a100": [],
    "--gres=gpu:a100:4 -p a100,v100": [],
    "--gres=gpu:a100_80gb:4 -C a100": [],
    "--gres=gpu:rtx6000:1 -p quadro-rtx6000": [],
    "--gres=gpu:v100:4 -p gpu_p13": [],
    "--gres=gpu:v100:4 -p all,gpu-a6000": [],
    "--gres=gpu:v100:4 -p gpu-a6000": ["fail"],
    "--gres=gpu:v100:4 -C a6000": ["fail"],
    "--gres=gpu:a100:16": [],
    "--gres=gpu:h100:9": ["fail"],
    "--gpus=h100:16": [],
    "--gpus=h100:16 -N 1": ["fail"],
    "--gpus-per-task=1 -n 32": [],
    "--gres=gpu:ampere:1": [],
    "--gres=gpu:fancy:1": ["unknown"],
    "--gres=gpu:a10000:1": ["fail"],
    "--gres=gpu:{{type}}:1": ["unknown"],
    "--gres=gpu:mi250:8": [],
    "--gres=lscratch:10": [],
    "--gres=gpu:a100:4 --gpus-per-node=v100:4": ["fail"],
    "--gres=gpu:a100:4 --gpus=h100:4": ["fail"],
    "--gres=gpu:a100:4 --gpus-per-task=a6000:1": ["fail"],
    "--gres=gpu:a100:4 --gpus-per-node=a100:4": [],
    "--gres=gpu:a100:4 --gpus-per-node=4": [],
    "--gres=gpu:a100:4 --gres=gpu:v100:4": [],
    "--gres=gpu:a100:1,gpu:v100:1": [],
    "--gres=gpu:rtx6000:1 --gpus=quadro_rtx6000:1": [],
}


@pytest.mark.parametrize("options", GPUS)
def test_which_gpus_can_be(tmp_path: Path, options: str) -> None:
    text = f"#!/bin/bash\n#SBATCH {options}\nsrun python train.py\n"
    assert verdicts(tmp_path, "slurm-gpu-as-asked", text) == GPUS[options]


STARTED = {
    "torchrun --nproc_per_node=4 train.py": [],
    "torchrun --nproc_per_node=gpu train.py": [],
    "torchrun --nproc_per_node=5 train.py": ["fail"],
    "accelerate launch --num_processes 4 train.py": [],
    "accelerate launch --num_processes 8 train.py": ["fail"],
    "deepspeed --num_gpus 8 train.py": ["fail"],
    "vllm serve x --tensor-parallel-size 8": ["fail"],
    "vllm serve x --tensor-parallel-size=4": [],
    "export CUDA_VISIBLE_DEVICES=0,1,2,3; python train.py": [],
    "export CUDA_VISIBLE_DEVICES=0,1,2,3,4; python train.py": ["fail"],
    # Slurm sets it anew for each step.
    "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\nsrun torchrun --nproc_per_node=4 train.py": [],
    "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\nsrun true\ntorchrun --nproc_per_node=4 train.py": ["fail"],
    "srun --gpus=8 torchrun --nproc_per_node=8 train.py": [],
    # How many tasks there are is said where it is submitted.
    "#SBATCH --gres=none --gpus-per-task=1\nexport CUDA_VISIBLE_DEVICES=3,2,1,0; srun python train.py": [],
}


@pytest.mark.parametrize("line", STARTED)
def test_what_is_started_fits(tmp_path: Path, line: str) -> None:
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:a100:4\n{line}\n"
    assert verdicts(tmp_path, "slurm-gpu-as-asked", text) == STARTED[line]
