#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --array=0-7
#SBATCH --gres=gpu:1
#SBATCH --time=00:20:00
grep -c SBATCH "$0"
line=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$SLURM_SUBMIT_DIR/grid.txt")
[ -f "$(dirname "$0")/env.txt" ] && cat "$(dirname "$0")/env.txt"
srun python3 train.py $line
