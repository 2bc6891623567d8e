#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --time=12:00:00
set -euo pipefail
#SBATCH --output=%x_%j.out
#SBATCH --mem=120G

srun python train.py
