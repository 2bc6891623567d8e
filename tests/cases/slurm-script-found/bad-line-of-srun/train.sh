#!/bin/bash
#SBATCH --job-name=train
#SBATCH -N=1
#SBATCH --gres=gpus:2
#SBATCH --signal=B:TERM@00:30
#SBATCH --requeue=yes
#SBATCH --cpu-bind=cores
#SBATCH --unbuffered
#SBATCH --time=48:00:00

export TOKENIZERS_PARALLELISM=false
srun python train.py
