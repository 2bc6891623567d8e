#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
echo "started from $here"
source "$(dirname "$0")/cluster_env.sh" 2>/dev/null || source "${SLURM_SUBMIT_DIR:-$(dirname "$0")}/slurm/cluster_env.sh"
[ -n "${SLURM_JOB_ID:-}" ] || source "$here/cluster_env.sh"
export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun python train.py
