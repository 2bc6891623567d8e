"""Slurm jobs as people keep them: recognised by their content, and left in peace where nothing is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.run import Ran, run

GOOD = Path(__file__).parent / "slurm_jobs"
JOBS = sorted(str(path.relative_to(GOOD)) for path in GOOD.rglob("*") if path.suffix in (".sh", ".slurm", ".sbatch"))


def check(folder: Path, *options: str) -> Ran:
    return run("check", ".", "--format", "json", "--show-passed", *options, cwd=folder)


def told(folder: Path, rule: str, script: str, **files: str) -> list[dict[str, Any]]:
    (folder / "job.sh").write_text(script, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_py", ".py").replace("_sh", ".sh")).write_text(text, encoding="utf-8")
    return [each for each in check(folder, "--rule", rule).findings if each["verdict"] not in ("pass", "skip")]


def verdicts(folder: Path, rule: str, script: str, **files: str) -> list[str]:
    return [each["verdict"] for each in told(folder, rule, script, **files)]


def test_there_are_enough() -> None:
    assert len(JOBS) >= 10


def test_good_jobs_in_many_styles(tmp_path: Path) -> None:
    ran = check(shutil.copytree(GOOD, tmp_path / "jobs"), "--strict")
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    assert ran.report["evaluated"]["files"] == len(JOBS)
    assert ran.code == 0


HEAD = "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\n"
RECOGNISED = {
    "a.sh": HEAD,
    "b.slurm": HEAD,
    "c": HEAD,
    "d.sh": "#!/bin/bash\nsbatch <<EOF\n#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\nEOF\n",
    "e.sh": "#!/bin/bash\nsbatch --gres=gpu:h1000:1 --wrap 'python -c 1'\n",
    "f.sh": "#!/bin/bash\ncat > job.sh <<'EOF'\n#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\nEOF\nsbatch job.sh\n",
    "g.sh": "#!/bin/bash\nmodule load cuda\n#SBATCH --gres=gpu:h1000:1\n",
    "h.sh.j2": "#!/bin/bash\n#SBATCH --gres=gpu:h1000:{{ n }}\n#SBATCH --gpus=h1000:1\n",
    "i.py": "#!/usr/bin/env python3\n#SBATCH --gres=gpu:h1000:1\nimport torch\n",
    "j.job": "#SBATCH --gres=gpu:h1000:1\npython -c 1\n",
    "k.sh": "#!/bin/bash\r\n#SBATCH --gres=gpu:h1000:1\r\n",
    "l.sh": "#!/bin/bash\n#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH --gres=gpu:h1000:1\n",
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_what_is_a_job(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(RECOGNISED[name].encode())
    ran = check(tmp_path, "--rule", "slurm-gpu-as-asked")
    assert ran.report["evaluated"]["files"] == 1
    assert {each["verdict"] for each in ran.findings} & {"fail", "unknown"}


NO_JOBS = {
    "a.md": "# Jobs\n\n#SBATCH --gres=gpu:h1000:1\n",
    "b.py": 'HEAD = """#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\n"""\n',
    "c.py": '#!/usr/bin/env python\nHEAD = """\n#SBATCH --gres=gpu:h1000:1\n"""\n',
    "d.sh": "#!/bin/bash\ngrep '#SBATCH' jobs/*.sh\n",
    "e.sh": "#!/bin/bash\nsbatch jobs/train.sh\n",
    "f.txt": "#SBATCH --gres=gpu:h1000:1\n",
}


@pytest.mark.parametrize("name", NO_JOBS)
def test_what_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(NO_JOBS[name], encoding="utf-8")
    assert check(tmp_path).report["evaluated"]["files"] == 0


def test_a_job_is_no_boot_script(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:a100:1\nmodprobe nvidia\nsystemctl enable kubelet\nsrun python -c 1\n"
    (tmp_path / "job.sh").write_text(text, encoding="utf-8")
    for options in (("check", "."), ("check", "job.sh")):
        ran = run(*options, "--format", "json", "--show-passed", cwd=tmp_path)
        assert {each["rule"] for each in ran.findings if each["verdict"] != "skip"} <= {
            "slurm-gpu-as-asked", "slurm-environment", "no-secret-in-plain-sight",
        }  # fmt: skip


def test_a_boot_script_that_brings_a_job_is_one(tmp_path: Path) -> None:
    job = "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\n"
    padding = "# padding\n" * 600
    text = f"#!/bin/bash\ndnf install -y nvidia-driver\n{padding}cat > /opt/job.sh <<'EOF'\n{job}EOF\n"
    (tmp_path / "boot.sh").write_text(text, encoding="utf-8")
    rules = {each["rule"] for each in check(tmp_path).findings}
    assert "profiling-before-driver" in rules
    assert not any(rule.startswith("slurm") for rule in rules)


def test_a_suppression(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(
        "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1 # nodeworthy: ignore slurm-gpu-as-asked a cluster of ours\n"
    )
    ran = check(tmp_path)
    assert ran.report["summary"]["suppressed"] == 1
    assert ran.code == 0


def test_places_inside_of_what_is_submitted(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "slurm-gpu-as-asked", RECOGNISED["d.sh"])
    assert (found["where"]["line"], found["where"]["column"]) == (4, 9)


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
    "srun python train.py": ["unknown"],
    f"{MEET}srun bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS python train.py'": [],
    f"{MEET}export RANK=$SLURM_PROCID WORLD_SIZE=2; srun python train.py": ["fail"],
    "deepspeed train.py": ["fail"],
    "deepspeed --hostfile=hosts train.py": [],
    "srun deepspeed --hostfile=hosts train.py": ["fail"],
    f"{MEET}srun bash -c 'deepspeed --no_ssh --node_rank $SLURM_NODEID --master_addr $MASTER_ADDR train.py'": [],
    "srun accelerate launch --config_file x.yaml train.py": ["unknown"],
}


@pytest.mark.parametrize("line", MEETING)
def test_where_ranks_meet(tmp_path: Path, line: str) -> None:
    assert verdicts(tmp_path, "slurm-rendezvous", f"{NODES}{line}\n") == MEETING[line]


def test_a_script_that_is_read_decides(tmp_path: Path) -> None:
    plain = f"{NODES}srun python train.py\n"
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="import lightning") == []
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="dist.init_process_group('nccl')") == ["fail"]
    assert verdicts(tmp_path, "slurm-rendezvous", plain, train_py="rank = environ['SLURM_PROCID']") == []


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
    "python model.py": ["unknown"],
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
    "cd $WHERE; python train.py": ["unknown"],
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
}


@pytest.mark.parametrize("line", FOUND)
def test_which_scripts_are_there(tmp_path: Path, line: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text("import torch")
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:1\n{line}\n"
    assert verdicts(tmp_path, "slurm-script-found", text, train_py="import torch", node_sh="true\n") == FOUND[line]


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
    "srun --gpus=8 torchrun --nproc_per_node=8 train.py": [],
}


@pytest.mark.parametrize("line", STARTED)
def test_what_is_started_fits(tmp_path: Path, line: str) -> None:
    text = f"#!/bin/bash\n#SBATCH --gres=gpu:a100:4\n{line}\n"
    assert verdicts(tmp_path, "slurm-gpu-as-asked", text) == STARTED[line]


@pytest.mark.parametrize(("end", "expected"), [("EOF", ["fail"]), ("'EOF'", [])])
def test_a_here_document_that_is_expanded_too_early(tmp_path: Path, end: str, expected: list[str]) -> None:
    lines = f"{NODES}srun bash -c '{TORCH} --rdzv_backend c10d --rdzv_endpoint $HEAD:1 train.py'\n"
    text = f"#!/bin/bash\nHEAD=n1\nsbatch <<{end}\n{lines.replace('$HEAD', 'n1')}EOF\n"
    assert verdicts(tmp_path, "slurm-rendezvous", text) == expected
