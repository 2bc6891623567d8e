#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false HF_HOME=/scratch/hf
export HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567
srun python train.py
