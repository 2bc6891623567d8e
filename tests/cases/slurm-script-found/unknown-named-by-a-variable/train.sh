#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

cd "$SLURM_SUBMIT_DIR"
export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
srun python "$ENTRY.py"
