#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --gres=gpu:a100:8
##SBATCH --gres=gpu:a100:4
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun --ntasks-per-node=2 bash -c 'CUDA_VISIBLE_DEVICES=$((4*SLURM_LOCALID)),$((4*SLURM_LOCALID+1)),$((4*SLURM_LOCALID+2)),$((4*SLURM_LOCALID+3)) torchrun --standalone --nproc_per_node=4 train.py'
