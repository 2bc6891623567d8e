#!/bin/bash
#SBATCH --job-name="train, twice"   # a comment
#SBATCH -N1 -n 1 -p gpu
#SBATCH --gpus-per-node a100:2
#SBATCH --cpus-per-t=8 --of-a-plugin=8
#SBATCH --mem=64Gb --time=2-0
#SBATCH --exclusive --mail-type=END,FAILED
#SBATCH --signal=B:USR1@300
#SBATCH --gres=gpu:a100:2
#SBATCH --requeue
#SBATCH --out=train.log

export TOKENIZERS_PARALLELISM=false
trap 'touch stop' USR1
srun python train.py &
wait $(jobs -p)
