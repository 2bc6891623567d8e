#!/bin/bash
#SBATCH --job-name=smoke
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-task=1
#SBATCH --time=00:30:00

cat > smoke.py <<'PROGRAM'
import os

import torch

local_rank = int(os.environ["SLURM_LOCALID"])
torch.cuda.set_device(local_rank)
print(torch.cuda.get_device_name(local_rank))
PROGRAM
srun python smoke.py
