#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=1
#SBATCH --gpu=2
#SBATCH --cpus_per_task=8
#SBATCH --mem=64 GB
#SBATCH --time=48h

export TOKENIZERS_PARALLELISM=false
srun python train.py
