#!/bin/bash
#SBATCH --gpus-per-node=H1000:4
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun python train.py
