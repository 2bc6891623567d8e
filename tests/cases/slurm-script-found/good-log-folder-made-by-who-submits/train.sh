#!/bin/bash
#SBATCH --output=logs/%x-%j.out
#SBATCH --gres=gpu:a100:1
#SBATCH --time=04:00:00

mkdir -p logs
srun python train.py
