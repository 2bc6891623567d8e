#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
if [ -n "$RESUME" ]; then
    srun python train.py --resume "$RESUME"
else
    srun python train.py
