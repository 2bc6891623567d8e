#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue

export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
srun python train.py &
wait
