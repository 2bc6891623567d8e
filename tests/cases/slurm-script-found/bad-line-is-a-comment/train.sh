#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATH --time=12:00:00
#SBTACH --mem=120G

srun python train.py
