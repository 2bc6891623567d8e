#!/bin/bash
#SBATCH --job-name=segment
#SBATCH --gres=gpu:a6000:2
#SBATCH --cpus-per-task=8
#SBATCH --time=00:08:00

WALLTIME_SECONDS=480
BUFFER_SECONDS=600
TIMEOUT=$((WALLTIME_SECONDS - BUFFER_SECONDS))
export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false

timeout --signal=USR1 "$TIMEOUT" torchrun --nproc_per_node=2 train.py --resume
