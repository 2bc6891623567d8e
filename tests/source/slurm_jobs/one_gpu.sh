#!/bin/bash
#SBATCH --job-name=resnet50
#SBATCH --partition=gpu            # partition
#SBATCH --gres=gpu:1               # one GPU of any kind
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=04:00:00
#SBATCH --output=logs/%x-%j.out
##SBATCH --gres=gpu:h1000:64
#SBATCH --mail-type=END,FAIL

set -euo pipefail
module purge
module load Python/3.11.3-GCCcore-12.3.0 CUDA/12.1.1
source "$HOME/venvs/torch/bin/activate"

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
export TOKENIZERS_PARALLELISM=false

nvidia-smi
echo "Job $SLURM_JOB_ID on $(hostname), started $(date)"
srun python -u train.py --epochs 90 --batch-size 256 --data "$SCRATCH/imagenet"
