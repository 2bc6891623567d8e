#!/bin/bash
#SBATCH --gres=gpu:a6000:4
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun apptainer exec --nv torch.sif \
    torchrun --standalone --nproc_per_node=4 training/train.py --epochs 5
