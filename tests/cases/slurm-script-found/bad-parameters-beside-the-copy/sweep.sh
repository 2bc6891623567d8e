#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --array=0-7
#SBATCH --gres=gpu:1
#SBATCH --time=00:20:00
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
line=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$here/grid.txt")
srun python3 -c "print('$line')"
