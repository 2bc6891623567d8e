#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
#SBATCH --time=04:00:00

export TOKENIZERS_PARALLELISM=false
srun ray start --num-gpus=4 --block
