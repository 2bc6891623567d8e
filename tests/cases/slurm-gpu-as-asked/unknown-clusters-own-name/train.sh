#!/bin/bash
#SBATCH --gres=gpu:bigmem:2
#SBATCH --cpus-per-task=32
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
torchrun --standalone --nproc_per_node=2 train.py
