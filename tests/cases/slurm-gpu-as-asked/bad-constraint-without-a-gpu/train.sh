#!/bin/bash
#SBATCH --partition=gpu
#SBATCH --constraint="(a100|h100)&ib"
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00

srun python train.py
