#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --gres=gpu:2
#SBATCH --time=04:00:00

export TOKENIZERS_PARALLELISM=false
srun python train.py experiment=base trainer.devices=4 trainer.accelerator=gpu
