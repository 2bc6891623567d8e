"""Where the ranks of a job of several nodes meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.slurm_check import told, verdicts

NODES = "#!/bin/bash\n#SBATCH -N 2 --ntasks-per-node=1 --gpus-per-node=a100:4\n"


MEET = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1) MASTER_PORT=29500\n"


TORCH = "torchrun --nnodes $SLURM_NNODES --nproc_per_node 4"


AT = "--master_addr $MASTER_ADDR --master_port $MASTER_PORT"


MEETING = {
    f"{MEET}srun bash -c '{TORCH} --node_rank $SLURM_NODEID {AT} train.py'": [],
    f'{MEET}srun bash -c "{TORCH} --node_rank \\$SLURM_NODEID {AT} train.py"': [],
    f'{MEET}srun bash -c "{TORCH} --node_rank $SLURM_NODEID {AT} train.py"': ["fail"],
    f"{MEET}srun {TORCH} --node_rank $SLURM_NODEID {AT} train.py": ["fail"],
    f"{MEET}srun {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py": [],
    f"{MEET}srun {TORCH} --rdzv_backend c10d train.py": ["fail"],
    f"srun {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py": ["fail"],
    f"srun {TORCH} --rdzv_backend c10d --rdzv_endpoint localhost:29500 train.py": ["fail"],
    f"{MEET}srun torchrun --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 train.py": ["fail"],
    f"{MEET}srun torchrun --nnodes 3 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 train.py": ["fail"],
    f"{MEET}srun torchrun --nnodes 1:2 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 train.py": [],
    f"{MEET}srun --ntasks-per-node=4 {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 train.py": ["fail"],
    f"{MEET}srun -N1 -n1 torchrun --standalone --nproc_per_node 4 train.py": [],
    f"{MEET}torchrun --nproc_per_node 4 train.py": ["fail"],
    f"{MEET}export PET_NODE_RANK=0; srun {TORCH} {AT} train.py": ["fail"],
    f"{MEET}srun bash -c 'export NODE_RANK=$SLURM_PROCID; {TORCH} --node_rank $NODE_RANK {AT} train.py'": [],
    f"{MEET}for i in 0 1; do srun -N1 -n1 -w node$i {TORCH} --node_rank $i {AT} train.py & done; wait": [],
    f"{MEET}srun --mpi=pmix python train.py": [],
    f"{MEET}mpirun -np 2 python train.py": [],
    "srun --nodes=1 --ntasks=1 python train.py": [],
    # How many there are, nobody here knows; with none at all srun starts nothing.
    f"{MEET}L=($(list)); N=${{#L[@]}}; srun -N $N {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 x.py": [],
    f"{MEET}L=(); srun -N ${{#L[@]}} -n 1 {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 x.py": ["unknown"],
    "srun python train.py": ["unknown"],
    f"{MEET}srun bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS python train.py'": [],
    f"{MEET}export RANK=$SLURM_PROCID WORLD_SIZE=2; srun python train.py": ["fail"],
    "deepspeed train.py": ["fail"],
    "deepspeed --hostfile=hosts train.py": [],
    "srun deepspeed --hostfile=hosts train.py": ["fail"],
    f"{MEET}srun bash -c 'deepspeed --no_ssh --node_rank $SLURM_NODEID --master_addr $MASTER_ADDR train.py'": [],
    "srun accelerate launch --config_file x.yaml train.py": ["unknown"],
    # What the batch shell expands names the first node, for all of them.
    f"srun {TORCH} --rdzv_backend c10d --rdzv_endpoint $(hostname):29500 train.py": [],
    f"srun {TORCH} --rdzv_backend c10d --rdzv_endpoint `hostname -f`:29500 train.py": [],
    f"srun {TORCH} --rdzv_backend c10d --rdzv_endpoint $HOSTNAME:29500 train.py": [],
    f'srun bash -c "{TORCH} --rdzv_backend c10d --rdzv_endpoint $(hostname):29500 train.py"': [],
    f"srun bash -c '{TORCH} --rdzv_backend c10d --rdzv_endpoint $(hostname):29500 train.py'": ["fail"],
    f'srun bash -c "{TORCH} --rdzv_backend c10d --rdzv_endpoint \\$(hostname):29500 train.py"': ["fail"],
    f"srun bash -c '{TORCH} --rdzv_backend c10d --rdzv_endpoint $(uname -n):29500 train.py'": ["fail"],
    f"srun bash -c '{TORCH} --rdzv_backend c10d --rdzv_endpoint $(cat /etc/hostname):29500 train.py'": ["fail"],
    f"srun bash -c 'read hostname <first; {TORCH} --rdzv_backend c10d --rdzv_endpoint $hostname:1 train.py'": [],
    f"export MASTER_ADDR=$(hostname)\nsrun {TORCH} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 train.py": [],
    f"export MASTER_ADDR=$(hostname) MASTER_PORT=1\nsrun bash -c '{TORCH} --node_rank $SLURM_NODEID {AT} x.py'": [],
    f"srun bash -c 'MASTER_ADDR=$(hostname); {TORCH} --node_rank $SLURM_NODEID --master_addr $MASTER_ADDR x.py'": [
        "fail"
    ],
    "export MASTER_ADDR=$(hostname) MASTER_PORT=1 WORLD_SIZE=8\nsrun python train.py": [],
    # A launch behind variables.
    f'{MEET}A="--nodes=2"\nL="{TORCH} --node_rank \\$SLURM_NODEID {AT}"\nsrun $A bash -c "$L train.py"': [],
    f'{MEET}A="--nodes=2"\nL="{TORCH} --node_rank $SLURM_NODEID {AT}"\nsrun $A bash -c "$L train.py"': ["fail"],
    f'{MEET}A=(--nproc_per_node 4 --nnodes 2 {AT})\nsrun torchrun "${{A[@]}}" train.py': ["fail"],
    f"{MEET}R='srun --label'\nC='{TORCH} --node_rank $SLURM_NODEID {AT} train.py'\n$R bash -c \"$C\"": [],
    f"{MEET}if [ -n \"$D\" ]; then L=python; else L='{TORCH} {AT}'; fi\nsrun $L train.py": ["fail"],
    f"{MEET}if [ -n \"$D\" ]; then C='-l'; else C='-u'; fi\nsrun $C {TORCH} {AT} train.py": ["fail"],
    "srun $CMD": ["unknown"],
    'srun bash -c "$CMD"': ["unknown"],
    'srun "$@"': ["unknown"],
    "srun --nodes=1 --ntasks=1 $CMD": [],
    f"{MEET}srun $IN_IMAGE {TORCH} {AT} train.py": ["fail"],
    f"{MEET}srun tune run --nnodes 2 --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:1 lora": [],
    f"{MEET}srun tune run --nproc_per_node 4 lora": ["fail"],
    # How many words a command prints is not known, nor then how many elements an array made of them has.
    f"N=($(scontrol show hostnames))\n{MEET}srun torchrun --nnodes ${{#N[@]}} --rdzv_backend c10d "
    "--rdzv_endpoint $MASTER_ADDR:1 train.py": [],
    f"N=($(scontrol show hostnames))\nM=$((${{#N[@]}} - 1))\n{MEET}srun -N $M -n $M accelerate launch "
    "--num_machines $M --rdzv_backend c10d --main_process_ip $MASTER_ADDR train.py": [],
    f"N=(one two three)\n{MEET}srun torchrun --nnodes ${{#N[@]}} --rdzv_backend c10d "
    "--rdzv_endpoint $MASTER_ADDR:1 train.py": ["fail"],
    # No node, or no task: srun refuses it, and nothing is started.
    f"{MEET}srun --nodes=0 {TORCH} train.py": ["unknown"],
    f"{MEET}srun --nodes=$((1 - 1)) --ntasks=2 {TORCH} train.py": ["unknown"],
    f"{MEET}srun --ntasks=0 {TORCH} train.py": ["unknown"],
    f"{MEET}srun --ntasks-per-node=0 {TORCH} train.py": ["unknown"],
    # A job without arguments of its own ends here; with them it does not.
    f"if [ $# -lt 1 ]; then exit 1; fi\n{MEET}srun {TORCH} {AT} $1": ["fail"],
}


@pytest.mark.parametrize("line", MEETING)
def test_where_ranks_meet(tmp_path: Path, line: str) -> None:
    assert verdicts(tmp_path, "slurm-rendezvous", f"{NODES}{line}\n") == MEETING[line]


@pytest.mark.parametrize("none", ["--nodes=0 --ntasks=4", "--nodes=0", "--ntasks=0", "--ntasks-per-node=0"])
def test_a_job_of_nothing_is_not_judged(tmp_path: Path, none: str) -> None:
    text = f"#!/bin/bash\n#SBATCH {none} --gpus-per-node=a100:4\nsrun {TORCH} train.py\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text) == ["unknown"]


def test_a_script_that_is_read_decides(tmp_path: Path) -> None:
    plain = f"{NODES}srun python train.py\n"
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="import lightning") == []
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="dist.init_process_group('nccl')") == ["fail"]
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="rank = environ['SLURM_PROCID']") == []


def test_a_module_and_what_it_imports_are_read(tmp_path: Path) -> None:
    module = f"{NODES}srun python -m training.main\n"
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "main.py").write_text("import torch.distributed\nfrom .ranks import init\n")
    (tmp_path / "training" / "ranks.py").write_text("rank = os.environ['SLURM_PROCID']\n")
    assert verdicts(tmp_path, "slurm-rendezvous", module) == []
    (tmp_path / "training" / "ranks.py").write_text("rank = os.environ['RANK']\n")
    assert verdicts(tmp_path, "slurm-rendezvous", module) == ["fail"]


def test_what_sbcast_brings_is_read(tmp_path: Path) -> None:
    text = f"{NODES}sbcast -f train.py /tmp/train.py\nsrun python /tmp/train.py\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text, train_py="import lightning") == []
    assert verdicts(tmp_path, "slurm-rendezvous", text, train_py="dist.init_process_group('nccl')") == ["fail"]


ON_ONE_NODE = {
    "srun torchrun --standalone --nproc_per_node=2 train.py": ["fail"],
    "srun torchrun --standalone --nproc_per_node=$SLURM_NTASKS_PER_NODE train.py": ["fail"],
    "srun torchrun --standalone --nproc_per_node=gpu train.py": ["fail"],
    "srun python -m torch.distributed.run --standalone --nproc-per-node=$SLURM_GPUS_ON_NODE train.py": ["fail"],
    "srun --ntasks=1 torchrun --standalone --nproc_per_node=2 train.py": [],
    "torchrun --standalone --nproc_per_node=2 train.py": [],
    # Each with a card of its own, or with other work to do.
    "srun torchrun --standalone --nproc_per_node=1 train.py": [],
    "srun torchrun --standalone train.py": [],
    "srun --gpus-per-task=1 torchrun --standalone --nproc_per_node=gpu train.py": [],
    "srun --gpu-bind=single:1 torchrun --standalone --nproc_per_node=gpu train.py": [],
    "srun bash -c 'torchrun --standalone --nproc_per_node=2 train.py --fold $SLURM_PROCID'": [],
    "srun bash -c 'CUDA_VISIBLE_DEVICES=$SLURM_LOCALID torchrun --standalone --nproc_per_node=gpu train.py'": [],
    "srun bash -c 'torchrun --standalone --nproc_per_node=2 train.py'": ["fail"],
}


@pytest.mark.parametrize("line", ON_ONE_NODE)
def test_a_launcher_that_is_started_twice_on_the_same_cards(tmp_path: Path, line: str) -> None:
    text = f"#!/bin/bash\n#SBATCH --nodes=1 --ntasks-per-node=2 --gres=gpu:a100:2\n{line}\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text) == ON_ONE_NODE[line]


@pytest.mark.parametrize("options", ["--gpus-per-task=1", "--ntasks=2 --gres=gpu:4", "--gres=gpu:2 --gpu-bind=closest"])
def test_tasks_that_have_cards_enough(tmp_path: Path, options: str) -> None:
    text = f"#!/bin/bash\n#SBATCH --ntasks-per-node=2 {options}\nsrun torchrun --standalone --nproc_per_node=2 x.py\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text) == []


def test_told_of_more_nodes_than_there_are(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:4\nmodule load x\n#SBATCH --nodes=2\ntorchrun --nnodes=2 train.py\n"
    (found,) = told(tmp_path, "slurm-rendezvous", text)
    assert "waits for more nodes" in found["message"]
    assert found["related"][0]["line"] == 4


def test_what_accelerate_is_told_in_its_file(tmp_path: Path) -> None:
    launch = "accelerate launch --config_file fsdp.yaml"
    late = (
        f"{NODES}{MEET}srun bash -c '{launch} --machine_rank $SLURM_NODEID --main_process_ip $MASTER_ADDR train.py'\n"
    )
    early = f"{NODES}{MEET}srun {launch} --machine_rank $SLURM_NODEID --main_process_ip $MASTER_ADDR train.py\n"
    (tmp_path / "fsdp.yaml").write_text("num_machines: 2\nmachine_rank: 0\nnum_processes: 8\n")
    assert verdicts(tmp_path, "slurm-rendezvous", late) == []
    assert verdicts(tmp_path, "slurm-rendezvous", early) == ["fail"]
    (tmp_path / "fsdp.yaml").write_text("num_machines: 2\nrdzv_backend: c10d\n")
    assert verdicts(tmp_path, "slurm-rendezvous", early) == []
    (tmp_path / "fsdp.yaml").write_text("num_machines: 1\n")
    assert verdicts(tmp_path, "slurm-rendezvous", late) == ["fail"]


@pytest.mark.parametrize(("end", "expected"), [("EOF", ["fail"]), ("'EOF'", [])])
def test_a_here_document_that_is_expanded_too_early(tmp_path: Path, end: str, expected: list[str]) -> None:
    lines = f"{NODES}srun bash -c '{TORCH} --rdzv_backend c10d --rdzv_endpoint $HEAD:1 train.py'\n"
    text = f"#!/bin/bash\nHEAD=n1\nsbatch <<{end}\n{lines.replace('$HEAD', 'n1')}EOF\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text) == expected
