#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
#SBATCH --time=04:00:00

export TOKENIZERS_PARALLELISM=false
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
srun --nodes=1 --ntasks=1 -w "$HEAD" ray start --head --port=6379 --block &
sleep 20
srun --nodes=1 --ntasks=1 --exclude="$HEAD" ray start --address="$HEAD:6379" --block &
sleep 20
python -u train.py
