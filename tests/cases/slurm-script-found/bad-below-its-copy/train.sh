#!/bin/bash
#SBATCH --gres=gpu:a100:1
HERE=$(dirname "$(readlink -f "$0")")
ROOT="$(cd "$HERE/.." && pwd)"
cd "$ROOT"
srun python train.py
