#!/bin/bash
#SBATCH --job-name=pretrain
#SBATCH --nodes=1
#SBATCH --gres=gpu:v100:4
#SBATCH --gpus-per-node=a100:4
#SBATCH --cpus-per-task=32
#SBATCH --time=08:00:00

torchrun --standalone --nproc_per_node=4 train.py
