#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:a100:4
#SBATCH --cpus-per-task=32
#SBATCH --time=08:00:00

export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
head_ip=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address)
python train.py launcher=torchrun launcher.nnodes=$SLURM_NNODES launcher.rdzv_endpoint="$head_ip:29500"
