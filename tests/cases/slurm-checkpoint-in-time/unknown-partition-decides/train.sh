#!/bin/bash
#SBATCH --partition=preempt
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=8
#SBATCH --signal=USR1@600

export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
srun python train.py
