#!/bin/bash
#SBATCH --gres=gpu:a100:1
HERE=${SLURM_SUBMIT_DIR:-$(dirname "$(readlink -f "$0")")}
ROOT="$(cd -- "$HERE" && pwd)"
cd "$ROOT"
srun python train.py
