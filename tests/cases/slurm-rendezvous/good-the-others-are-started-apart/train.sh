#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:a100:4
#SBATCH --cpus-per-task=32
#SBATCH --time=08:00:00

export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
srun --nodes=1 --ntasks=1 -w "${nodes[1]}" python train.py --num_nodes 2 --node_rank 1 --head "${nodes[0]}" &
python train.py --num_nodes 2 --node_rank 0 --head "${nodes[0]}"
wait $(jobs -p)
