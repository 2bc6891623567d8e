#!/bin/bash
#SBATCH --job-name=finetune
#SBATCH --output=logs/%x-%j.out
#SBATCH --gres=gpu:a100:1
#SBATCH --time=04:00:00

set -euo pipefail
mkdir -p logs
srun python train.py
