#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:2
#SBATCH --time=04:00:00

export TOKENIZERS_PARALLELISM=false OMP_NUM_THREADS=4
for card in 0 1; do
    CUDA_VISIBLE_DEVICES=$card python train.py --seed $card > $card.log &
done
wait $(jobs -p)
