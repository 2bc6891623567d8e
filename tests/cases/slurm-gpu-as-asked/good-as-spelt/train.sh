#!/bin/bash
#SBATCH --partition=gpu-a100
#SBATCH --gres=gpu:A100_80gb:4
#SBATCH --cpus-per-task=32
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
nvidia-smi -L
torchrun --standalone --nproc_per_node="$SLURM_GPUS_ON_NODE" train.py
