#!/bin/bash
#SBATCH --gres=gpu:a100:8
#SBATCH --cpus-per-task=32
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
torchrun --standalone --nproc_per_node=4 train.py
