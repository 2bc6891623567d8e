#!/bin/bash
#SBATCH --partition=mig
#SBATCH --gres=gpu:1
#SBATCH --mem-per-cpu=8G
source /etc/profile.d/modules.sh
#SBATCH --cpus-per-task=1

export OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
python train.py
