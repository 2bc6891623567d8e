#!/bin/bash
#SBATCH --gres=gpu:a100:1
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &> /dev/null && pwd)"
srun bash -c 'exec python -u "'"$here"'/train.py" --epochs 3'
