#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:h100:16
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
torchrun --nproc_per_node=16 train.py
