#!/bin/bash
#SBATCH --job-name=smoke
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gres=gpu:h100:8
#SBATCH --time=00:30:00

export MASTER_PORT=29500
srun python3 - <<'PROGRAM'
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
print(int(os.environ["RANK"]))
PROGRAM
