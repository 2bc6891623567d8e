#!/usr/bin/env bash
# Submits one job for every learning rate.
set -euo pipefail
for lr in 1e-4 3e-4; do
    sbatch <<JOB
#!/bin/bash
#SBATCH --job-name=sweep-$lr
#SBATCH --gres=gpu:rtx3090:1
#SBATCH --cpus-per-task=6
#SBATCH --mem=24G
#SBATCH --time=02:00:00
export OMP_NUM_THREADS=6 TOKENIZERS_PARALLELISM=false
srun python train.py --lr $lr
JOB
done
