#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:4
#SBATCH --time=04:00:00

export TOKENIZERS_PARALLELISM=false
torchrun --standalone --nproc_per_node=4 python train.py --epochs 3
