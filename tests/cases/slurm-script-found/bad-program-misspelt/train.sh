#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --time=12:00:00

srun --cpus-per-task=8 pyhton -u train.py
