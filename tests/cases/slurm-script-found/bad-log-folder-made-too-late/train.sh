#!/bin/bash
#SBATCH --job-name=finetune
#SBATCH --output=runs/logs/%x-%j.out
#SBATCH --error=runs/logs/%x-%j.err
#SBATCH --gres=gpu:a100:1
#SBATCH --time=04:00:00

set -euo pipefail
mkdir -p runs/logs
srun python train.py
