#!/bin/bash
#SBATCH --array=0-9%2
#SBATCH --nodes=2
#SBATCH --gres=gpu:a100_80gb:2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=12
#SBATCH --mem=0
#SBATCH --time=0-02:00:00
#SBATCH --signal=SIGUSR1@90
export NCCL_DEBUG=INFO PYTHONFAULTHANDLER=1
export OMP_NUM_THREADS=12 TOKENIZERS_PARALLELISM=false
SEEDS=(1 2 3 4 5 6 7 8 9 10)
srun conda run --no-capture-output -n lit python src/lit.py fit --seed "${SEEDS[$SLURM_ARRAY_TASK_ID]}"
