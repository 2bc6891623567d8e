#!/bin/bash
#SBATCH --gres=gpu:a100:4
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

srun torchrun --standalone --nproc_per_node=4 train.py \
    --epochs 5 \ 
    --no-resume
