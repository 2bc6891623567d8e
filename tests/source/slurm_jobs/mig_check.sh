#!/bin/sh
#SBATCH --partition=mig
#SBATCH --gres=gpu:1g.10gb:1
#SBATCH --cpus-per-task=1
#SBATCH --mem=16G
#SBATCH --time=10:00
OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
export OMP_NUM_THREADS TOKENIZERS_PARALLELISM
exec python3 check.py
