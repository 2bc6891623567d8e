#!/bin/bash
#SBATCH --job-name=folds
#SBATCH --gres=gpu:a6000:4
#SBATCH --cpus-per-task=32
#SBATCH --time=04:00:00

for fold in 0 1 2 3; do
    CUDA_VISIBLE_DEVICES=$fold python train.py --fold "$fold" > "fold-$fold.log" 2>&1 &
done
wait $(jobs -p)
