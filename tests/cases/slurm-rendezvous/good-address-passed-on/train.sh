#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gres=gpu:4
#SBATCH --time=04:00:00
#SBATCH --export=NONE

export TOKENIZERS_PARALLELISM=false
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
export MASTER_PORT=29500
unset SLURM_EXPORT_ENV
srun python train.py
srun --export=ALL,NCCL_DEBUG=INFO python train.py --second-stage
