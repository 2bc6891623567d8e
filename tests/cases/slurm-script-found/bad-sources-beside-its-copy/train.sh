#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/cluster_env.sh"
export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun python train.py
